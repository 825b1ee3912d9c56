// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/propagation.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "hilo/stablehlo/devices/mesh_axes.h"

namespace hilo::pjrt {
namespace {

using stablehlo::Attribute;
using stablehlo::AxisReference;
using stablehlo::kNone;
using stablehlo::ModuleTree;
using stablehlo::Operation;
using stablehlo::OperationId;
using stablehlo::Region;
using stablehlo::Sharding;
using stablehlo::ValueId;

using Known = std::optional<Sharding>;
using Dimensions = std::vector<int64_t>;

constexpr int kMostVisits = 1 << 20;
constexpr int kMostCalls = 64;  // one in another

/// Whether the sharding has the axis, or a part of it, already.
bool uses(const Sharding& sharding, const AxisReference& axis) {
  return std::ranges::any_of(sharding.dimensions, [&](const std::vector<AxisReference>& axes) {
    return std::ranges::find(axes, axis.name, &AxisReference::name) != axes.end();
  });
}

/// Splits dimension d of `to` along these axes, if nothing splits it yet and the axes are free.
void split(Sharding& to, size_t d, const std::vector<AxisReference>& axes) {
  if (!to.dimensions[d].empty()) return;
  if (std::ranges::none_of(axes, [&](const AxisReference& axis) { return uses(to, axis); })) to.dimensions[d] = axes;
}

/// No dimension split, on the mesh of another.
Sharding unsplit(const Sharding& like, size_t rank) {
  Sharding sharding;
  sharding.mesh_name = like.mesh_name;
  sharding.mesh = like.mesh;
  sharding.dimensions.resize(rank);
  return sharding;
}

bool same_mesh(const Sharding& a, const Sharding& b) {
  return a.mesh_name == b.mesh_name && a.mesh.axes.size() == b.mesh.axes.size();
}

/// What is split along an axis of `from` and free in `to`; dimension d of `from` is map[d] of the result, -1 for none.
void add(Known& to, const Known& from, std::span<const int64_t> map, size_t rank) {
  if (!from || from->dimensions.size() != map.size()) return;
  if (!to) to = unsplit(*from, rank);
  if (!same_mesh(*to, *from)) return;
  for (size_t d = 0; d < map.size(); ++d) {
    if (map[d] >= 0 && static_cast<size_t>(map[d]) < rank) split(*to, static_cast<size_t>(map[d]), from->dimensions[d]);
  }
}

std::vector<Sharding> shardings_in(const Attribute& attribute) {
  const std::string_view text = attribute.text;
  const size_t list = text.find('['), one = text.find('<');
  if (list == text.npos) return {};
  // `[<@mesh, [..]>, ..]` or `<@mesh, [..]>`, in text with the attribute's name before it.
  const bool is_list = one > list || text.starts_with("#sdy.sharding_per_value");
  StatusOr<std::vector<Sharding>> found =
      stablehlo::parse_shardings(is_list ? std::string(text.substr(list)) : fmt::format("[{}]", text.substr(one)));
  return found.ok() ? *std::move(found)
                    : std::vector<Sharding>{};  // who reads the program for its meaning names errors
}

class Propagation {
 public:
  explicit Propagation(const ModuleTree& tree) : tree_(tree), known_(tree.values.size()) {}

  std::vector<Known> returned_by(const Operation& function) {
    const Region& body = tree_.regions[function.regions.begin];
    return run(body);
  }

  void take_arguments(const Operation& function) {
    const Region& body = tree_.regions[function.regions.begin];
    const Attribute* const list = tree_.find(function, "arg_attrs");
    if (list == nullptr) return;
    for (uint32_t i = 0; i < std::min<size_t>(body.arguments.count, list->elements.size()); ++i) {
      const Attribute* const said = tree_.find(tree_.attributes[list->elements[i]], "sdy.sharding");
      if (said == nullptr) continue;
      if (std::vector<Sharding> found = shardings_in(*said); found.size() == 1)
        known_[body.arguments.begin + i] = std::move(found[0]);
    }
  }

 private:
  /// What the region's last operation takes, after all others.
  std::vector<Known> run(const Region& region) {
    std::vector<Known> returned;
    for (OperationId id = region.first; id != kNone; id = tree_.operations[id].next) {
      if (++visits_ > kMostVisits) return returned;
      const Operation& op = tree_.operations[id];
      if (id == region.last) {
        for (uint32_t i = 0; i < op.operands.count; ++i) returned.push_back(known_[tree_.operand(op, i)]);
        return returned;
      }
      visit(op);
    }
    return returned;
  }

  void visit(const Operation& op) {
    for (uint32_t i = 0; i < op.results.count; ++i) known_[tree_.result(op, i)].reset();
    if (op.results.count == 0 || says_itself(op)) return;
    if (op.name == "func.call") return visit_call(op, "callee");
    if (op.name == "stablehlo.composite") return visit_call(op, "decomposition");
    if (op.name == "stablehlo.case" || op.name == "stablehlo.if") return visit_branches(op);
    if (op.name == "stablehlo.while" || op.name == "stablehlo.optimization_barrier") return pass_on(op);
    for (uint32_t i = 0; i < op.results.count; ++i) known_[tree_.result(op, i)] = computed(op, i);
  }

  /// Shardings that stand at the operation. An open constraint adds to what comes in.
  bool says_itself(const Operation& op) {
    const bool constraint = op.name == "sdy.sharding_constraint";
    const Attribute* said = tree_.find(op, constraint                            ? "sharding"
                                           : op.name == "sdy.manual_computation" ? "out_shardings"
                                                                                 : "sdy.sharding");
    if (said == nullptr) return false;
    std::vector<Sharding> found = shardings_in(*said);
    if (found.size() != op.results.count) return false;
    for (uint32_t i = 0; i < op.results.count; ++i) {
      Known& result = known_[tree_.result(op, i)];
      result = std::move(found[i]);
      if (constraint && said->text.find('?') != std::string_view::npos)
        add(result, known_[tree_.operand(op, 0)], identity(rank_of(tree_.operand(op, 0))), result->dimensions.size());
    }
    return true;
  }

  void visit_call(const Operation& op, std::string_view key) {
    const Attribute* const callee = tree_.find(op, key);
    const Operation* const function = callee == nullptr ? nullptr : function_named(callee->text);
    if (function == nullptr || function->regions.count == 0 || calls_ >= kMostCalls) return;
    const Region& body = tree_.regions[function->regions.begin];
    if (body.arguments.count != op.operands.count) return;
    for (uint32_t i = 0; i < op.operands.count; ++i) known_[body.arguments.begin + i] = known_[tree_.operand(op, i)];
    ++calls_;
    std::vector<Known> returned = run(body);
    --calls_;
    set_results(op, std::move(returned));
  }

  void visit_branches(const Operation& op) {
    std::vector<Known> first;
    for (uint32_t r = 0; r < op.regions.count; ++r) {
      std::vector<Known> returned = run(tree_.regions[op.regions.begin + r]);
      if (r == 0) first = std::move(returned);
    }
    set_results(op, std::move(first));
  }

  void set_results(const Operation& op, std::vector<Known> found) {
    for (uint32_t i = 0; i < std::min<size_t>(op.results.count, found.size()); ++i)
      known_[tree_.result(op, i)] = std::move(found[i]);
  }

  void pass_on(const Operation& op) {
    for (uint32_t i = 0; i < std::min(op.results.count, op.operands.count); ++i)
      known_[tree_.result(op, i)] = known_[tree_.operand(op, i)];
  }

  Known computed(const Operation& op, uint32_t i) const {
    const size_t rank = rank_of(tree_.result(op, i));
    Known result;
    if (op.name == "stablehlo.custom_call" || op.name == "stablehlo.rng_bit_generator" ||
        op.name == "stablehlo.gather" || op.name == "stablehlo.convolution" || op.operands.count == 0)
      return pass_custom_call(op, i);
    if (op.name == "stablehlo.transpose") {
      const std::vector<int64_t> order = integers(op, "permutation");
      std::vector<int64_t> map(order.size(), -1);
      for (size_t d = 0; d < order.size(); ++d)
        if (order[d] >= 0 && static_cast<size_t>(order[d]) < map.size())
          map[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
      add(result, known_[tree_.operand(op, 0)], map, rank);
    } else if (op.name == "stablehlo.broadcast_in_dim") {
      add(result, known_[tree_.operand(op, 0)], equal_sizes(op, i, integers(op, "broadcast_dimensions")), rank);
    } else if (op.name == "stablehlo.reduce") {
      add(result, known_[tree_.operand(op, i)], left_of_reduction(op, i), rank);
    } else if (op.name == "stablehlo.reshape") {
      add(result, known_[tree_.operand(op, 0)], reshaped(op), rank);
    } else if (op.name == "stablehlo.dot_general") {
      add_product(op, result, rank);
    } else {  // by element, or along some dimensions, of which those that keep their size are split as before
      for (uint32_t k = 0; k < op.operands.count; ++k) {
        if (rank_of(tree_.operand(op, k)) == rank)
          add(result, known_[tree_.operand(op, k)], equal_sizes(op, i, identity(rank), k), rank);
      }
    }
    return result;
  }

  /// A note to a partitioner or a planner of memory changes nothing. Others may do anything.
  Known pass_custom_call(const Operation& op, uint32_t i) const {
    const Attribute* const target = tree_.find(op, "call_target_name");
    if (target == nullptr || op.operands.count != op.results.count) return {};
    const bool note = target->text == "LayoutConstraint" || target->text == "annotate_device_placement" ||
                      target->text == "InspectSharding" || target->text == "Sharding";
    return note ? known_[tree_.operand(op, i)] : Known{};
  }

  void add_product(const Operation& op, Known& result, size_t rank) const {
    const ValueId sides[] = {tree_.operand(op, 0), tree_.operand(op, 1)};
    const std::vector<int64_t> batch[] = {integers(op, "lhs_batching_dimensions"),
                                          integers(op, "rhs_batching_dimensions")};
    const std::vector<int64_t> summed[] = {integers(op, "lhs_contracting_dimensions"),
                                           integers(op, "rhs_contracting_dimensions")};
    int64_t next = static_cast<int64_t>(batch[0].size());
    for (const int side : {0, 1}) {
      std::vector<int64_t> map(rank_of(sides[side]), -1);
      for (size_t d = 0; d < map.size(); ++d) {
        const auto at = std::ranges::find(batch[side], static_cast<int64_t>(d));
        if (at != batch[side].end()) map[d] = at - batch[side].begin();
        else if (std::ranges::find(summed[side], static_cast<int64_t>(d)) == summed[side].end()) map[d] = next++;
      }
      add(result, known_[sides[side]], map, rank);
    }
  }

  std::vector<int64_t> left_of_reduction(const Operation& op, uint32_t i) const {
    const std::vector<int64_t> gone = integers(op, "dimensions");
    std::vector<int64_t> map(rank_of(tree_.operand(op, i)), -1);
    int64_t next = 0;
    for (size_t d = 0; d < map.size(); ++d)
      if (std::ranges::find(gone, static_cast<int64_t>(d)) == gone.end()) map[d] = next++;
    return map;
  }

  /// Dimensions of equal size at equal places; of those that are taken apart or together, the first of each.
  std::vector<int64_t> reshaped(const Operation& op) const {
    const Dimensions& from = dimensions(tree_.operand(op, 0));
    const Dimensions& to = dimensions(tree_.result(op, 0));
    std::vector<int64_t> map(from.size(), -1);
    size_t f = 0, t = 0;
    while (f < from.size() && t < to.size()) {
      if (from[f] == 1 && to[t] != 1) {
        ++f;
        continue;
      }
      if (to[t] == 1 && from[f] != 1) {
        ++t;
        continue;
      }
      map[f] = static_cast<int64_t>(t);
      int64_t left = from[f++], right = to[t++];
      while (left != right) {
        if (left < right && f < from.size()) left *= from[f++];
        else if (right < left && t < to.size()) right *= to[t++];
        else return map;
      }
    }
    return map;
  }

  /// The map without dimensions whose size changes.
  std::vector<int64_t> equal_sizes(const Operation& op, uint32_t i, std::vector<int64_t> map,
                                   uint32_t operand = 0) const {
    const Dimensions& from = dimensions(tree_.operand(op, operand));
    const Dimensions& to = dimensions(tree_.result(op, i));
    for (size_t d = 0; d < map.size(); ++d) {
      const int64_t at = map[d];
      if (d >= from.size() || at < 0 || static_cast<size_t>(at) >= to.size() || from[d] != to[static_cast<size_t>(at)])
        map[d] = -1;
    }
    return map;
  }

  const Operation* function_named(std::string_view name) const {
    for (const Operation& op : tree_.operations) {
      if (op.name != "func.func") continue;
      const Attribute* const own = tree_.find(op, "sym_name");
      if (own != nullptr && own->text == name) return &op;
    }
    return nullptr;
  }

  static std::vector<int64_t> identity(size_t rank) {
    std::vector<int64_t> map(rank);
    std::iota(map.begin(), map.end(), int64_t{0});
    return map;
  }
  const Dimensions& dimensions(ValueId value) const { return tree_.type_of(value).dimensions; }
  size_t rank_of(ValueId value) const { return dimensions(value).size(); }
  std::vector<int64_t> integers(const Operation& op, std::string_view name) const {
    const Attribute* const attribute = tree_.find(op, name);
    if (attribute == nullptr) return {};
    StatusOr<std::vector<int64_t>> found = stablehlo::integers_of(tree_, *attribute);
    return found.ok() ? *std::move(found) : std::vector<int64_t>{};
  }

  const ModuleTree& tree_;
  std::vector<Known> known_;  ///< by value
  int visits_ = 0, calls_ = 0;
};

}  // namespace

void place_results(const ModuleTree& tree, const Operation& function, int64_t devices,
                   std::vector<ProgramValue>& results) {
  if (devices == 1 || function.regions.count == 0) return;
  Propagation propagation(tree);
  propagation.take_arguments(function);
  const std::vector<Known> found = propagation.returned_by(function);
  const Attribute* const said = tree.find(function, "res_attrs");
  for (size_t i = 0; i < std::min(results.size(), found.size()); ++i) {
    if (said != nullptr && i < said->elements.size() &&
        tree.find(tree.attributes[said->elements[i]], "sdy.sharding") != nullptr)
      continue;
    if (!found[i] || !found[i]->unreduced.empty()) continue;
    StatusOr<stablehlo::Mesh> mesh =
        found[i]->mesh_name.empty() ? found[i]->mesh : stablehlo::find_mesh(tree, found[i]->mesh_name);
    if (!mesh.ok()) continue;
    StatusOr<Placement> placement = placement_of(results[i].placement.whole, *found[i], *mesh, devices);
    if (placement.ok()) results[i].placement = *std::move(placement);
  }
}

}  // namespace hilo::pjrt
