// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/sharding/propagate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "hilo/hlo/sharding/manual.h"

namespace hilo::hlo {
namespace {

struct DimensionState {
  Atoms atoms;
  bool open = true;
  int64_t priority = 0;
};

struct ArrayState {
  std::vector<DimensionState> dimensions;
  Atoms replicated;
};

enum class Direction : uint8_t { kNone, kForward, kBackward, kBoth };

constexpr int kRounds = 5;

/// Returns in which direction shardings propagate along a factor in a round. Rounds 0 and 1: ops that never
/// communicate, in round 0 only if no other op reads their operands. Round 2: pass-through factors. Round 3: everything
/// except broadcasts forwards. Round 4: everything.
Direction direction_of(const FlowOp& op, const Factor& factor, int round, bool one_use) {
  if (factor.blocked) return Direction::kNone;
  if (round < 2) {
    if (round == 0 && !one_use) return Direction::kNone;
    switch (op.kind) {
      case FlowKind::kElementwise:
      case FlowKind::kPassing: return Direction::kBoth;
      case FlowKind::kDynamicSlice: return Direction::kForward;
      case FlowKind::kBroadcast:
      case FlowKind::kOther: return Direction::kNone;
    }
  }
  if (round == 2 && factor.kind != FactorKind::kPass) return Direction::kNone;
  if (round < 4 && op.kind == FlowKind::kBroadcast) return Direction::kBackward;
  return Direction::kBoth;
}

/// An array as an op sees it: axes by factor instead of by dimension.
struct Projection {
  FlowArrayId array = kNoFlowArray;
  const ArrayFactors* factors = nullptr;
  bool is_result = false;
  std::vector<Atoms> atoms;   ///< by factor
  std::vector<bool> present;  ///< by factor
  std::vector<bool> grows;    ///< by factor: whether propagation may add axes
};

class Propagation {
 public:
  Propagation(const PropagationRequest& request, DataFlow flow)
      : request_(request),
        mesh_(request.mesh),
        flow_(std::move(flow)),
        states_(flow_.arrays.size()),
        readers_(states_.size()) {}
  Status set_up();
  Status run();
  PropagatedFlow finish() &&;

 private:
  /// Returns the atoms by dimension, without those that don't divide the dimension.
  ArraySplit split(FlowArrayId array) const;
  Status state(FlowArrayId array, const Sharding& sharding);
  Status state_edge(const std::vector<FlowArrayId>& arrays, const std::vector<std::optional<Sharding>>& stated,
                    const std::vector<bool>& free);
  void sweep(int round);
  bool propagate(const FlowOp& op, int round);
  StatusOr<bool> query(const FlowOp& op);
  Sharding sharding(FlowArrayId array) const;
  bool has_axes(const FlowOp& op) const;
  Projection project(const ShardingRule& rule, FlowArrayId array, const ArrayFactors& factors, bool is_result) const;
  void project_dimension(const ShardingRule& rule, const DimensionState& state, const std::vector<int>& factors,
                         Projection& out) const;
  Atoms agreed(const std::vector<Projection>& arrays, size_t factor, bool from_operands, bool from_results) const;
  Atoms fitting(const ShardingRule& rule, const Projection& array, size_t factor, const Atoms& requested) const;
  bool write_back(const ShardingRule& rule, const Projection& array);
  int64_t weight(const FlowOp& op, const std::vector<Projection>& arrays, size_t factor, const Atoms& atoms) const;
  bool shown(const DimensionState& dimension) const { return dimension.priority <= priority_; }

  const PropagationRequest& request_;
  MeshAtoms mesh_;
  DataFlow flow_;
  std::vector<ArrayState> states_;
  std::vector<std::vector<uint32_t>> readers_;  ///< by array: the ops that have it as operand or result
  std::vector<bool> waiting_;                   ///< by op
  std::map<const FlowOp*, std::vector<Sharding>> last_queries_;  ///< shardings that were known at the op's last query
  int64_t priority_ = 0;
  Status status_;
};

Status Propagation::state(FlowArrayId array, const Sharding& sharding) {
  ArrayState& state = states_[array];
  if (sharding.dimensions.size() != state.dimensions.size())
    return invalid_argument(fmt::format("a sharding of {} dimensions on {}", sharding.dimensions.size(),
                                        flow_.arrays[array].shape.to_string()));
  for (size_t d = 0; d < state.dimensions.size(); ++d) {
    const DimensionSharding& stated = sharding.dimensions[d];
    HILO_ASSIGN_OR_RETURN(Atoms atoms, mesh_.atoms_of(stated.axes));
    state.dimensions[d] = {std::move(atoms), stated.open, stated.priority};
  }
  HILO_ASSIGN_OR_RETURN(state.replicated, mesh_.atoms_of(sharding.replicated));
  return ok_status();
}

Status Propagation::state_edge(const std::vector<FlowArrayId>& arrays,
                               const std::vector<std::optional<Sharding>>& stated, const std::vector<bool>& free) {
  if (stated.size() != arrays.size() || free.size() != arrays.size())
    return invalid_argument(fmt::format("propagation of shardings: got {} and {} entries; wanted {}", stated.size(),
                                        free.size(), arrays.size()));
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (stated[i]) {
      const Status status = state(arrays[i], *stated[i]);
      if (!status.ok()) return status;
    } else if (!free[i]) {
      for (DimensionState& dimension : states_[arrays[i]].dimensions) dimension.open = false;
    }
  }
  return ok_status();
}

Status Propagation::set_up() {
  for (size_t i = 0; i < states_.size(); ++i) {
    const Shape& shape = flow_.arrays[i].shape;
    states_[i].dimensions.resize(shape.is_array() ? static_cast<size_t>(shape.rank()) : 0);
  }
  HILO_RETURN_IF_ERROR(state_edge(flow_.parameters, request_.parameters, request_.free_parameters));
  HILO_RETURN_IF_ERROR(state_edge(flow_.results, request_.results, request_.free_results));
  for (const DataFlow::Stated& stated : flow_.stated) {
    HILO_ASSIGN_OR_RETURN(const std::vector<Sharding> shardings, request_.stated(*stated.instruction));
    if (shardings.empty()) continue;
    if (shardings.size() != stated.arrays.size())
      return invalid_argument(fmt::format("{}: got {} shardings; wanted {}", describe(*stated.instruction),
                                          shardings.size(), stated.arrays.size()));
    for (size_t i = 0; i < shardings.size(); ++i) {
      const Status status = state(stated.arrays[i], shardings[i]);
      if (!status.ok()) return status.with_context(describe(*stated.instruction));
    }
  }
  for (size_t i = 0; i < states_.size(); ++i) {
    if (flow_.arrays[i].manual_depth == 0) continue;
    const Atoms& manual = flow_.arrays[i].manual;
    states_[i].replicated.insert(states_[i].replicated.end(), manual.begin(), manual.end());
  }
  for (uint32_t i = 0; i < flow_.ops.size(); ++i) {
    for (const auto* list : {&flow_.ops[i].operands, &flow_.ops[i].results}) {
      for (const FlowArrayId id : *list) {
        if (id != kNoFlowArray && (readers_[id].empty() || readers_[id].back() != i)) readers_[id].push_back(i);
      }
    }
  }
  return ok_status();
}

Status Propagation::run() {
  std::set<int64_t> priorities = {0};
  for (const ArrayState& state : states_) {
    for (const DimensionState& dimension : state.dimensions) priorities.insert(dimension.priority);
  }
  for (const int64_t priority : priorities) {
    priority_ = priority;
    for (int round = 0; round < kRounds && status_.ok(); ++round) sweep(round);
  }
  return status_;
}

void Propagation::sweep(int round) {
  waiting_.assign(flow_.ops.size(), true);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < flow_.ops.size(); ++i) {
      if (!waiting_[i]) continue;
      waiting_[i] = false;
      changed |= has_axes(flow_.ops[i]) && propagate(flow_.ops[i], round);
    }
  }
}

bool Propagation::has_axes(const FlowOp& op) const {
  for (const auto* list : {&op.operands, &op.results}) {
    for (const FlowArrayId id : *list) {
      if (id != kNoFlowArray &&
          std::ranges::any_of(states_[id].dimensions, [](const DimensionState& d) { return !d.atoms.empty(); }))
        return true;
    }
  }
  return false;
}

/// Distributes a dimension's axes to its factors, major first, up to an axis that doesn't divide its factor.
void Propagation::project_dimension(const ShardingRule& rule, const DimensionState& state,
                                    const std::vector<int>& factors, Projection& out) const {
  size_t next = 0;
  bool whole = shown(state);  // all axes so far are distributed
  for (size_t i = 0; i < factors.size(); ++i) {
    const size_t factor = factors[i];
    out.present[factor] = true;
    out.grows[factor] = whole && state.open;
    if (!whole) continue;
    const bool minor = i + 1 == factors.size();
    int64_t left = rule.factors[factor].size;
    for (; next < state.atoms.size() && (minor || (left > 1 && left % mesh_.size(state.atoms[next]) == 0)); ++next) {
      out.atoms[factor].push_back(state.atoms[next]);
      left /= mesh_.size(state.atoms[next]);
    }
    whole = left == 1;
    if (next < state.atoms.size() && !whole) out.grows[factor] = false;
  }
}

Projection Propagation::project(const ShardingRule& rule, FlowArrayId array, const ArrayFactors& factors,
                                bool is_result) const {
  Projection result{array,
                    &factors,
                    is_result,
                    std::vector<Atoms>(rule.factors.size()),
                    std::vector<bool>(rule.factors.size()),
                    std::vector<bool>(rule.factors.size())};
  for (size_t d = 0; d < factors.size(); ++d) project_dimension(rule, states_[array].dimensions[d], factors[d], result);
  return result;
}

/// Returns the longest list of axes that is compatible with all source arrays.
Atoms Propagation::agreed(const std::vector<Projection>& arrays, size_t factor, bool from_operands,
                          bool from_results) const {
  Atoms atoms;
  bool may_grow = true;
  for (const Projection& array : arrays) {
    if (!array.present[factor] || !(array.is_result ? from_results : from_operands)) continue;
    const Atoms& own = array.atoms[factor];
    const size_t common = common_prefix(atoms, own);
    if (common == atoms.size()) {
      if (may_grow) atoms = own;
    } else if (common < own.size()) {
      atoms.resize(common);
      may_grow = false;
    }
  }
  return atoms;
}

/// Returns the longest prefix of `requested` that the array can use along the factor, next to its other axes.
Atoms Propagation::fitting(const ShardingRule& rule, const Projection& array, size_t factor,
                           const Atoms& requested) const {
  const ArrayState& state = states_[array.array];
  bool minor = false;
  for (const std::vector<int>& factors : *array.factors)
    minor |= !factors.empty() && factors.back() == static_cast<int>(factor);
  const auto is_taken = [&](uint16_t atom) {
    if (contains(state.replicated, atom)) return true;
    for (size_t f = 0; f < array.atoms.size(); ++f) {
      if (f != factor && contains(array.atoms[f], atom)) return true;
    }
    // Dimensions that the op doesn't tie, or whose priority comes later.
    for (size_t d = 0; d < state.dimensions.size(); ++d) {
      const bool tied = !(*array.factors)[d].empty() && shown(state.dimensions[d]);
      if (!tied && contains(state.dimensions[d].atoms, atom)) return true;
    }
    return false;
  };
  Atoms result;
  int64_t left = rule.factors[factor].size;
  for (const uint16_t atom : requested) {
    if (is_taken(atom) || (!minor && left % mesh_.size(atom) != 0)) break;
    result.push_back(atom);
    left /= mesh_.size(atom);
  }
  return result;
}

/// Writes the axes of factors back to the dimensions. After a factor that isn't sharded completely, later factors of
/// the dimension get no axes.
bool Propagation::write_back(const ShardingRule& rule, const Projection& array) {
  bool changed = false;
  for (size_t d = 0; d < array.factors->size(); ++d) {
    const std::vector<int>& factors = (*array.factors)[d];
    DimensionState& state = states_[array.array].dimensions[d];
    if (factors.empty() || !state.open || !shown(state)) continue;
    Atoms atoms;
    for (const int factor : factors) {
      const Atoms& own = array.atoms[factor];
      atoms.insert(atoms.end(), own.begin(), own.end());
      if (mesh_.size(own) != rule.factors[factor].size) break;
    }
    if (atoms.size() <= state.atoms.size() || common_prefix(atoms, state.atoms) != state.atoms.size()) continue;
    state.atoms = std::move(atoms);
    changed = true;
  }
  if (changed) {
    for (const uint32_t op : readers_[array.array]) waiting_[op] = true;
  }
  return changed;
}

/// Returns the weight of a factor if two factors compete for the same axes: the size of the largest source array. For
/// elementwise ops, whose arrays have equal sizes, it is the number of shards.
int64_t Propagation::weight(const FlowOp& op, const std::vector<Projection>& arrays, size_t factor,
                            const Atoms& atoms) const {
  if (op.kind == FlowKind::kElementwise) return mesh_.size(atoms);
  int64_t largest = 0;
  for (const Projection& array : arrays) {
    const bool source = array.present[factor] && !array.atoms[factor].empty();
    if (source) largest = std::max(largest, flow_.arrays[array.array].shape.element_count());
  }
  return largest;
}

Sharding Propagation::sharding(FlowArrayId array) const {
  if (array == kNoFlowArray) return {};
  return sharding_of(split(array), request_.mesh, mesh_);
}

/// Queries the shardings of a custom call's results and applies them where propagation may shard the result. Repeats
/// the query only if the known shardings have changed.
StatusOr<bool> Propagation::query(const FlowOp& op) {
  std::vector<Sharding> operands, results;
  for (const FlowArrayId id : op.operands) operands.push_back(sharding(id));
  for (const FlowArrayId id : op.results) results.push_back(sharding(id));
  std::vector<Sharding> known = operands;
  known.insert(known.end(), results.begin(), results.end());
  std::vector<Sharding>& before = last_queries_[&op];
  if (before == known) return false;
  before = std::move(known);
  HILO_ASSIGN_OR_RETURN(const std::vector<Sharding> answer,
                        request_.query(*op.query, op.operand_shapes, operands, results));
  bool changed = false;
  for (size_t i = 0; i < std::min(answer.size(), op.results.size()); ++i) {
    const FlowArrayId id = op.results[i];
    std::vector<DimensionState>& dimensions = states_[id].dimensions;
    for (size_t d = 0; d < std::min(dimensions.size(), answer[i].dimensions.size()); ++d) {
      HILO_ASSIGN_OR_RETURN(Atoms atoms, mesh_.atoms_of(answer[i].dimensions[d].axes));
      if (!dimensions[d].open || dimensions[d].atoms == atoms) continue;
      dimensions[d].atoms = std::move(atoms);
      changed = true;
    }
    for (const uint32_t reader : readers_[id]) waiting_[reader] = waiting_[reader] || changed;
  }
  return changed;
}

bool Propagation::propagate(const FlowOp& op, int round) {
  if (op.query != nullptr) {
    if (!status_.ok()) return false;
    StatusOr<bool> changed = query(op);
    if (!changed.ok()) status_ = changed.status().with_context(describe(*op.query));
    return changed.ok() && *changed;
  }
  std::vector<Projection> arrays;
  bool one_use = true;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if (op.operands[i] == kNoFlowArray) continue;
    arrays.push_back(project(op.rule, op.operands[i], op.rule.operands[i], false));
    one_use &= flow_.arrays[op.operands[i]].uses <= 1;
  }
  for (size_t i = 0; i < op.results.size(); ++i)
    arrays.push_back(project(op.rule, op.results[i], op.rule.results[i], true));
  struct Candidate {
    size_t factor;
    Direction direction;
    Atoms atoms;
    int64_t weight;
  };
  std::vector<Candidate> candidates;
  for (size_t f = 0; f < op.rule.factors.size(); ++f) {
    const Direction direction = direction_of(op, op.rule.factors[f], round, one_use);
    if (direction == Direction::kNone) continue;
    bool sideways = true;  // a closed result of an elementwise op stops propagation between its operands
    for (const Projection& array : arrays)
      sideways &= op.kind != FlowKind::kElementwise || !array.is_result || !array.present[f] || array.grows[f];
    const Atoms atoms =
        agreed(arrays, f, direction != Direction::kBackward && sideways, direction != Direction::kForward);
    if (!atoms.empty()) candidates.push_back({f, direction, atoms, weight(op, arrays, f, atoms)});
  }
  std::ranges::stable_sort(candidates, std::greater<>{}, &Candidate::weight);
  for (const Candidate& candidate : candidates) {
    for (Projection& array : arrays) {
      const bool target =
          array.is_result ? candidate.direction != Direction::kBackward : candidate.direction != Direction::kForward;
      if (!target || !array.grows[candidate.factor]) continue;
      Atoms atoms = fitting(op.rule, array, candidate.factor, candidate.atoms);
      Atoms& own = array.atoms[candidate.factor];
      if (atoms.size() > own.size() && common_prefix(atoms, own) == own.size()) own = std::move(atoms);
    }
  }
  bool changed = false;
  for (const Projection& array : arrays) changed |= write_back(op.rule, array);
  return changed;
}

ArraySplit Propagation::split(FlowArrayId array) const {
  ArraySplit result;
  if (flow_.arrays[array].manual_depth != 0) return ArraySplit(states_[array].dimensions.size());
  for (size_t d = 0; d < states_[array].dimensions.size(); ++d) {
    int64_t left = flow_.arrays[array].shape.dimension(d);
    Atoms& dividing = result.emplace_back();
    for (const uint16_t atom : states_[array].dimensions[d].atoms) {
      if (left % mesh_.size(atom) != 0) break;
      dividing.push_back(atom);
      left /= mesh_.size(atom);
    }
  }
  return result;
}

PropagatedFlow Propagation::finish() && {
  std::vector<ArraySplit> splits;
  for (FlowArrayId id = 0; id < flow_.arrays.size(); ++id) splits.push_back(split(id));
  return {std::move(flow_), std::move(splits)};
}

StatusOr<FlowHints> hints_of(const Module& module, const PropagationRequest& request) {
  FlowHints hints;
  hints.queries_calls = request.query != nullptr;
  for (const ComputationPtr& computation : computations_of(module)) {
    for (const Instruction& i : computation->instructions()) {
      if (enters_manual(i) || leaves_manual(i))
        hints.rules.emplace(&i, edge_rule(computation->instruction(i.operands[0]).shape, i.shape));
      if (request.rule == nullptr || i.annotations == nullptr || i.annotations->frontend_attributes.empty()) continue;
      std::vector<Shape> operands;
      for (const InstructionId id : i.operands) operands.push_back(computation->instruction(id).shape);
      HILO_ASSIGN_OR_RETURN(std::optional<ShardingRule> rule, request.rule(i, operands));
      if (rule) hints.rules.emplace(&i, *std::move(rule));
    }
  }
  return hints;
}

/// Ties the arrays of each group by an artificial op. Arrays of different shapes are tied separately.
void tie_groups(const PropagationRequest& request, DataFlow& flow) {
  if (request.group == nullptr) return;
  std::map<std::pair<int64_t, std::vector<int64_t>>, std::vector<FlowArrayId>> groups;  // by group and dimension sizes
  for (const DataFlow::Stated& stated : flow.stated) {
    const std::optional<int64_t> group = request.group(*stated.instruction);
    for (const FlowArrayId id : group ? stated.arrays : std::vector<FlowArrayId>()) {
      const Shape& shape = flow.arrays[id].shape;
      if (shape.is_array()) groups[{*group, {shape.dimensions().begin(), shape.dimensions().end()}}].push_back(id);
    }
  }
  for (const auto& [key, arrays] : groups) {
    FlowOp tie;
    tie.kind = FlowKind::kElementwise;
    ArrayFactors factors;
    for (const int64_t size : key.second) {
      factors.push_back({static_cast<int>(tie.rule.factors.size())});
      tie.rule.factors.push_back({size});
    }
    tie.operands.assign(arrays.begin(), arrays.end() - 1);
    tie.results = {arrays.back()};
    tie.rule.operands.assign(tie.operands.size(), factors);
    tie.rule.results = {factors};
    flow.ops.push_back(std::move(tie));
  }
}

}  // namespace

Sharding sharding_of(const ArraySplit& split, const Mesh& mesh, const MeshAtoms& atoms) {
  Sharding result;
  result.mesh = mesh;
  for (const Atoms& dimension : split) result.dimensions.push_back({.axes = atoms.whole_axes(dimension)});
  return result;
}

StatusOr<PropagatedFlow> propagate_flow(const Module& module, const PropagationRequest& request) {
  HILO_ASSIGN_OR_RETURN(const FlowHints hints, hints_of(module, request));
  DataFlow flow = data_flow(module, hints);
  HILO_ASSIGN_OR_RETURN(const ManualAtoms atoms, manual_atoms(module, request));
  mark_manual(flow, atoms);
  tie_groups(request, flow);
  Propagation propagation(request, std::move(flow));
  HILO_RETURN_IF_ERROR(propagation.set_up());
  HILO_RETURN_IF_ERROR(propagation.run());
  return std::move(propagation).finish();
}

StatusOr<PropagatedProgram> propagate_program(const Module& module, const PropagationRequest& request) {
  StatusOr<Module> called = with_manual_calls(module, request);
  if (!called.ok() && called.status().code() != StatusCode::kUnimplemented) return called.status();
  // a program that the partitioner rejects still gets shardings
  PropagatedProgram result{called.ok() ? *std::move(called) : module, {}};
  HILO_ASSIGN_OR_RETURN(result.propagated, propagate_flow(result.module, request));
  return result;
}

StatusOr<PropagatedShardings> propagate_shardings(const Module& module, const PropagationRequest& request) {
  HILO_ASSIGN_OR_RETURN(const PropagatedProgram program, propagate_program(module, request));
  const PropagatedFlow& propagated = program.propagated;
  const MeshAtoms mesh(request.mesh);
  const auto sharding = [&](FlowArrayId id) { return sharding_of(propagated.splits[id], request.mesh, mesh); };
  PropagatedShardings result;
  for (const FlowArrayId id : propagated.flow.parameters) result.parameters.push_back(sharding(id));
  for (const FlowArrayId id : propagated.flow.results) result.results.push_back(sharding(id));
  for (const DataFlow::Stated& stated : propagated.flow.stated) {
    for (const FlowArrayId id : stated.arrays) {
      const FlowArray& array = propagated.flow.arrays[id];
      result.noted.push_back(
          {stated.instruction->annotations->frontend_attributes, array.shape, sharding(id), array.manual_depth != 0});
    }
  }
  return result;
}

}  // namespace hilo::hlo
