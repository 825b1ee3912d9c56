// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_layouts.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::tests {
namespace {

using hlo::ComputationPtr;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Int64List;
using hlo::Opcode;

constexpr std::string_view kMemoryOrder = "memory_order";
constexpr int64_t kMaxRank = 5;

template <typename T>
T must(StatusOr<T> value) {
  if (!value.ok()) throw std::logic_error(value.status().to_string());
  return *std::move(value);
}

class Drawn {
 public:
  explicit Drawn(unsigned seed) : random_(seed) {}
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<unsigned>(n)); }

  Int64List order(int64_t rank) {
    Int64List order(static_cast<size_t>(rank));
    std::iota(order.rbegin(), order.rend(), 0);
    if (below(3) > 0) std::ranges::shuffle(order, random_);
    return order;
  }

  Shape laid_out(const Shape& shape) {
    return shape.map_leaves([&](const Shape& leaf) {
      return leaf.is_array() && leaf.rank() > 1 && leaf.rank() <= kMaxRank ? leaf.with_layout(order(leaf.rank()))
                                                                           : leaf;
    });
  }

  /// Random dimensions with `count` elements.
  std::vector<int64_t> dimensions(int64_t count) {
    std::vector<int64_t> sizes;
    for (int64_t factor = 2; count > 1 && std::ssize(sizes) < kMaxRank - 1; ++factor) {
      if (factor * factor > count) factor = count;
      if (count % factor != 0 || below(4) == 0) continue;
      sizes.push_back(factor);
      count /= factor;
      --factor;
    }
    sizes.push_back(count);
    if (below(3) == 0 && std::ssize(sizes) < kMaxRank) sizes.push_back(1);
    std::ranges::shuffle(sizes, random_);
    return sizes;
  }

 private:
  std::mt19937 random_;
};

Int64List reversed(const Int64List& list) { return {list.rbegin(), list.rend()}; }

Int64List inverse(const Int64List& permutation) {
  Int64List back(permutation.size());
  for (size_t k = 0; k < permutation.size(); ++k) back[static_cast<size_t>(permutation[k])] = static_cast<int64_t>(k);
  return back;
}

InstructionId transposed(hlo::Builder& b, InstructionId x, const Int64List& permutation) {
  auto attributes = std::make_shared<hlo::TransposeAttributes>();
  attributes->permutation = permutation;
  return must(b.add(Opcode::kTranspose, {x}, std::move(attributes)));
}

/// Reads the memory of an array of `from` as one of `to`.
ComputationPtr memory_order(const Shape& from, const Int64List& from_order, const Shape& to,
                            const Int64List& to_order) {
  hlo::Builder b{std::string(kMemoryOrder)};
  std::vector<int64_t> stored;
  for (const int64_t d : reversed(to_order)) stored.push_back(to.dimension(d));
  const InstructionId memory = transposed(b, b.parameter(from), reversed(from_order));
  const InstructionId row = must(b.add(Opcode::kReshape, {memory}, nullptr, to.with_dimensions(stored)));
  const InstructionId root = transposed(b, row, inverse(reversed(to_order)));
  return must(std::move(b).build(root));
}

bool is_memory_order(const Instruction& i) {
  return i.opcode == Opcode::kCall &&
         hlo::attributes_of<hlo::CallAttributes>(i).to_apply->name().starts_with(kMemoryOrder);
}

InstructionId reordered(hlo::ComputationDraft& draft, Drawn& drawn, InstructionId x, const Shape& to,
                        const std::string& name) {
  const Shape from = draft.instruction(x).shape;
  auto call = std::make_shared<hlo::CallAttributes>();
  call->to_apply = memory_order(from, drawn.order(from.rank()), to, drawn.order(to.rank()));
  return draft.append(Opcode::kCall, to, {&x, 1}, std::move(call), name);
}

/// Assigns layouts to one computation, independently of others.
class LayoutWriter {
 public:
  LayoutWriter(const ComputationPtr& source, Drawn& drawn) : source_(*source), drawn_(drawn), draft_(source->name()) {}

  ComputationPtr written() {
    for (const Instruction& i : source_.instructions()) places_.push_back(write(i));
    InstructionId root = places_[source_.root_id()];
    if (draft_.instruction(root).opcode == Opcode::kBitcast)  // attributes of a fusion's root are ignored
      root = copied(root, drawn_.laid_out(draft_.instruction(root).shape));
    return must(std::move(draft_).finish(root));
  }

 private:
  InstructionId copied(InstructionId x, const Shape& shape) { return draft_.append(Opcode::kCopy, shape, {&x, 1}); }

  InstructionId bitcast(InstructionId x, const Shape& operand, const Shape& result, const std::string& name) {
    x = copied(x, operand);
    return draft_.append(Opcode::kBitcast, result, {&x, 1}, nullptr, name);
  }

  InstructionId write(const Instruction& i) {
    std::vector<InstructionId> operands;
    for (const InstructionId operand : i.operands) operands.push_back(places_[operand]);
    if (i.opcode == Opcode::kBitcast)
      return bitcast(operands[0], source_.instruction(i.operands[0]).shape, i.shape, i.name);
    if (is_memory_order(i)) return write_memory_order(i, operands[0]);
    const InstructionId id = draft_.append_copy(i, operands);
    Instruction& copy = draft_.mutable_instruction(id);
    if (i.opcode != Opcode::kCustomCall) copy.shape = drawn_.laid_out(i.shape);
    if (i.opcode == Opcode::kCall && drawn_.below(2) == 0) make_fusion(copy);
    return id;
  }

  InstructionId write_memory_order(const Instruction& i, InstructionId x) {
    const hlo::Computation& body = *hlo::attributes_of<hlo::CallAttributes>(i).to_apply;
    const auto& last = hlo::attributes_of<hlo::TransposeAttributes>(body.root());
    const Instruction& first = body.instruction(body.instruction(body.root().operands[0]).operands[0]);
    const Int64List& order = hlo::attributes_of<hlo::TransposeAttributes>(first).permutation;
    const Shape& from = body.parameter(0).shape;
    return bitcast(x, from.with_layout(reversed(order)), i.shape.with_layout(reversed(inverse(last.permutation))),
                   i.name);
  }

  static void make_fusion(Instruction& call) {
    const auto& attributes = hlo::attributes_of<hlo::CallAttributes>(call);
    if (attributes.is_composite) return;
    auto fusion = std::make_shared<hlo::RawAttributes>();
    fusion->raw = {"kind=kLoop"};
    fusion->called_names = {"calls"};
    fusion->called = {attributes.to_apply};
    call.opcode = Opcode::kFusion;
    call.attributes = std::move(fusion);
  }

  const hlo::Computation& source_;
  Drawn& drawn_;
  hlo::ComputationDraft draft_;
  std::vector<InstructionId> places_;
};

/// The elements of the entry's root tuple, or the root.
std::vector<InstructionId> results_of(const hlo::Computation& entry) {
  if (entry.root().opcode != Opcode::kTuple) return {entry.root_id()};
  return {entry.root().operands.begin(), entry.root().operands.end()};
}

/// Calls `entry` with the elements of a tuple from `first` on.
InstructionId called(hlo::Builder& b, const ComputationPtr& entry, InstructionId tuple, int64_t first) {
  std::vector<InstructionId> arguments;
  for (int64_t k = 0; k < entry->parameter_count(); ++k)
    arguments.push_back(must(b.get_tuple_element(tuple, first + k)));
  auto call = std::make_shared<hlo::CallAttributes>();
  call->to_apply = entry;
  return must(b.add(Opcode::kCall, arguments, std::move(call)));
}

std::vector<InstructionId> elements_from(hlo::Builder& b, InstructionId value, int64_t first,
                                         const std::vector<std::string>& names) {
  if (!b.shape(value).is_tuple()) return {must(b.add(Opcode::kCopy, {value}, nullptr, std::nullopt, names[0]))};
  std::vector<InstructionId> elements;
  for (const std::string& name : names) {
    auto attributes = std::make_shared<hlo::GetTupleElementAttributes>();
    attributes->index = first++;
    elements.push_back(must(b.add(Opcode::kGetTupleElement, {value}, std::move(attributes), std::nullopt, name)));
  }
  return elements;
}

InstructionId in_branch(hlo::Builder& b, const ComputationPtr& entry, const std::vector<InstructionId>& arguments) {
  hlo::Builder branch("branch");
  const InstructionId root = called(branch, entry, branch.parameter(Shape::tuple(entry->parameter_shapes())), 0);
  auto conditional = std::make_shared<hlo::ConditionalAttributes>();
  conditional->branches.assign(2, must(std::move(branch).build(root)));
  const InstructionId chosen = b.parameter(Shape::scalar(ElementType::kS32)), all = b.tuple(arguments);
  return must(b.add(Opcode::kConditional, {chosen, all, all}, std::move(conditional)));
}

/// The carry: a counter, the iteration count, the arguments, the results.
InstructionId in_loop(hlo::Builder& b, const ComputationPtr& entry, const std::vector<InstructionId>& arguments,
                      const std::vector<std::string>& names) {
  const Shape number = Shape::scalar(ElementType::kS32);
  std::vector<InstructionId> start = {b.constant(Literal(number)), b.parameter(number)};
  start.insert(start.end(), arguments.begin(), arguments.end());
  for (const InstructionId result : results_of(*entry)) {
    const Shape shape = entry->instruction(result).shape;
    const InstructionId zero = b.constant(Literal(Shape::scalar(shape.element_type())));
    start.push_back(must(b.add(Opcode::kBroadcast, {zero}, std::make_shared<hlo::BroadcastAttributes>(), shape)));
  }
  const InstructionId init = b.tuple(start);
  hlo::Builder body("body"), condition("condition");
  const InstructionId carry = body.parameter(b.shape(init)), tested = condition.parameter(b.shape(init));
  std::vector<InstructionId> next = {must(
      body.add(Opcode::kAdd, {must(body.get_tuple_element(carry, 0)), body.constant(Literal::scalar<int32_t>(1))}))};
  for (size_t k = 1; k < arguments.size() + 2; ++k)
    next.push_back(must(body.get_tuple_element(carry, static_cast<int64_t>(k))));
  const std::vector<InstructionId> results = elements_from(body, called(body, entry, carry, 2), 0, names);
  next.insert(next.end(), results.begin(), results.end());
  auto less = std::make_shared<hlo::CompareAttributes>();
  less->direction = hlo::ComparisonDirection::kLt;
  const InstructionId counter = must(condition.get_tuple_element(tested, 0));
  const InstructionId going =
      must(condition.add(Opcode::kCompare, {counter, must(condition.get_tuple_element(tested, 1))}, std::move(less)));
  const InstructionId root = body.tuple(next);
  auto loop = std::make_shared<hlo::WhileAttributes>();
  loop->condition = must(std::move(condition).build(going));
  loop->body = must(std::move(body).build(root));
  return must(b.add(Opcode::kWhile, {init}, std::move(loop)));
}

}  // namespace

hlo::Invocation nested(const hlo::Invocation& program, unsigned seed) {
  const ComputationPtr& entry = program.module.entry;
  std::vector<std::string> names;
  for (const InstructionId id : results_of(*entry)) {
    if (!entry->instruction(id).shape.is_array()) return program;
    names.push_back(std::string(entry->instruction(id).name));
  }
  if (seed % 3 == 0) return program;
  hlo::Builder b("main");
  std::vector<InstructionId> arguments;
  for (const Shape& shape : entry->parameter_shapes()) arguments.push_back(b.parameter(shape));
  const bool branch = seed % 3 == 1;
  const InstructionId outer = branch ? in_branch(b, entry, arguments) : in_loop(b, entry, arguments, names);
  const int64_t first = branch ? 0 : std::ssize(arguments) + 2;
  const InstructionId root = b.tuple(elements_from(b, outer, first, names));
  hlo::Invocation changed = program;
  changed.module.entry = must(std::move(b).build(root));
  changed.arguments.push_back(Literal::scalar<int32_t>(1));
  return changed;
}

hlo::Module with_reordered_values(const hlo::Module& module, unsigned seed) {
  Drawn drawn(seed);
  const auto reorder = [&](const ComputationPtr& source) -> StatusOr<ComputationPtr> {
    hlo::ComputationDraft draft(source->name());
    std::vector<InstructionId> places;
    for (const Instruction& i : source->instructions()) {
      std::vector<InstructionId> operands;
      for (const InstructionId operand : i.operands) operands.push_back(places[operand]);
      places.push_back(draft.append_copy(i, operands));
      if (i.opcode != Opcode::kCopy || i.shape.rank() > kMaxRank || drawn.below(2) == 0) continue;
      const Shape between = i.shape.with_dimensions(drawn.dimensions(i.shape.element_count()));
      const InstructionId there = reordered(draft, drawn, places.back(), between, "");
      places.back() = reordered(draft, drawn, there, i.shape, i.name + "_again");
    }
    return std::move(draft).finish(places[source->root_id()]);
  };
  hlo::Module changed = module;
  must(hlo::rewrite_computations(changed, reorder));
  return changed;
}

hlo::Module with_random_layouts(const hlo::Module& module, unsigned seed) {
  Drawn drawn(seed);
  const auto lay_out = [&](const ComputationPtr& source) -> StatusOr<ComputationPtr> {
    return source->name().starts_with(kMemoryOrder) ? source : LayoutWriter(source, drawn).written();
  };
  hlo::Module changed = module;
  must(hlo::rewrite_computations(changed, lay_out));
  if (drawn.below(2) == 0) return changed;
  changed.entry_parameter_layouts.emplace();
  for (const Shape& shape : changed.entry->parameter_shapes())
    changed.entry_parameter_layouts->push_back(drawn.laid_out(shape));
  changed.entry_result_layout = drawn.laid_out(changed.entry->result_shape());
  return changed;
}

}  // namespace hilo::tests
