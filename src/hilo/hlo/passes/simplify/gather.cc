// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/gather.h"

#include <algorithm>

#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/hlo/passes/simplify/dimensions.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {

InstructionId simplify_gather(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0), indices = n.operand(1);
  const auto& gather = attributes_of<GatherAttributes>(n);
  const Shape index_shape = b.shape(indices);
  const int64_t vector_size = gather.start_index_map.size();
  if (const Literal* value = splat_value(b, x)) return b.splat(n.shape, *value);
  // One window -> dynamic-slice, which clamps its starts as gather does.
  if (index_shape.element_count() != vector_size || vector_size == 0 || !gather.operand_batching_dims.empty())
    return kNoInstruction;
  const Shape scalar = Shape::scalar(index_shape.element_type());
  const InstructionId flat =
      b.add(Opcode::kReshape, {indices}, nullptr, index_shape.with_dimensions(std::span(&vector_size, 1)));
  std::vector<InstructionId> operands(b.shape(x).rank() + 1, kNoInstruction);
  operands[0] = x;
  for (int64_t i = 0; i < vector_size; ++i) {
    const InstructionId start = slice(b, flat, {{i, i + 1, 1}});
    operands[static_cast<size_t>(gather.start_index_map[i]) + 1] = b.add(Opcode::kReshape, {start}, nullptr, scalar);
  }
  for (InstructionId& start : operands) {
    if (start == kNoInstruction) start = splat_like(b, scalar, 0);
  }
  const InstructionId window = b.add(Opcode::kDynamicSlice, operands,
                                     make<DynamicSliceAttributes>([&](auto& a) { a.sizes = gather.slice_sizes; }));
  return b.add(Opcode::kReshape, {window}, nullptr, n.shape);
}

namespace {

// Elements of an array that may be copied. A scatter has one form that updates in place; what the update of a slice
// becomes depends on all that reads the array.
constexpr int64_t kSmallArray = 1024;

/// Returns the op that joins an update to the old element: kSelect for its replacement. Nothing for other bodies.
std::optional<Opcode> join_of(const Computation& body) {
  const Instruction& root = body.root();
  if (root.opcode == Opcode::kParameter && parameter_number(root) == 1) return Opcode::kSelect;
  return opcode_of(body.reducer_kind());
}

/// Returns the scalar at a place of a flat array.
InstructionId entry(RewriteBuilder& b, InstructionId flat, int64_t place) {
  const Shape scalar = Shape::scalar(b.shape(flat).element_type());
  return b.add(Opcode::kReshape, {slice(b, flat, {{place, place + 1, 1}})}, nullptr, scalar);
}

/// Returns whether 0 <= start <= high.
InstructionId is_within(RewriteBuilder& b, InstructionId start, int64_t high) {
  const auto compare = [&](ComparisonDirection direction, int64_t bound) {
    const InstructionId limit = splat_like(b, b.shape(start), static_cast<double>(bound));
    return b.add(Opcode::kCompare, {start, limit}, make<CompareAttributes>([&](auto& a) { a.direction = direction; }));
  };
  return b.add(Opcode::kAnd, {compare(ComparisonDirection::kGe, 0), compare(ComparisonDirection::kLe, high)});
}

/// A scatter of one window into a small array -> the update of a slice, which needs no call of the library. Out of
/// bounds, where a scatter drops the window, the slice is updated with its own elements.
InstructionId one_window(RewriteBuilder& b, const RewriteNode& n) {
  const auto& scatter = attributes_of<ScatterAttributes>(n);
  const InstructionId x = n.operand(0);
  const Shape index_shape = b.shape(n.operand(1)), updates = b.shape(n.operand(2));
  const int64_t vector_size = scatter.scatter_dims_to_operand_dims.size();
  const std::optional<Opcode> join = join_of(*scatter.to_apply);
  const ElementType index = index_shape.element_type();
  if (!join || vector_size == 0 || index_shape.element_count() != vector_size || !scatter.input_batching_dims.empty() ||
      n.shape.element_count() > kSmallArray || (index != ElementType::kS32 && index != ElementType::kS64))
    return kNoInstruction;
  std::vector<int64_t> sizes;
  for (int64_t d = 0, next = 0; d < n.shape.rank(); ++d) {
    const bool inserted = std::ranges::find(scatter.inserted_window_dims, d) != scatter.inserted_window_dims.end();
    sizes.push_back(inserted ? 1 : updates.dimension(scatter.update_window_dims[next++]));
  }
  const Shape window = n.shape.with_dimensions(sizes), scalar = Shape::scalar(index);
  const InstructionId flat =
      b.add(Opcode::kReshape, {n.operand(1)}, nullptr, index_shape.with_dimensions(std::span(&vector_size, 1)));
  std::vector<InstructionId> starts(n.shape.rank(), kNoInstruction);
  InstructionId inside = kNoInstruction;
  for (int64_t i = 0; i < vector_size; ++i) {
    const int64_t d = scatter.scatter_dims_to_operand_dims[i];
    starts[d] = entry(b, flat, i);
    const InstructionId fits = is_within(b, starts[d], n.shape.dimension(d) - sizes[d]);
    inside = inside == kNoInstruction ? fits : b.add(Opcode::kAnd, {inside, fits});
  }
  for (InstructionId& start : starts) {
    if (start == kNoInstruction) start = splat_like(b, scalar, 0);
  }
  std::vector<InstructionId> operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  const InstructionId old =
      b.add(Opcode::kDynamicSlice, operands, make<DynamicSliceAttributes>([&](auto& a) { a.sizes = sizes; }));
  InstructionId update = b.add(Opcode::kReshape, {n.operand(2)}, nullptr, window);
  if (*join != Opcode::kSelect) update = b.add(*join, {old, update});
  const InstructionId everywhere = b.add(Opcode::kBroadcast, {inside}, std::make_shared<BroadcastAttributes>(),
                                         window.with_element_type(ElementType::kPred));
  operands.insert(operands.begin() + 1, b.add(Opcode::kSelect, {everywhere, update, old}));
  return b.add(Opcode::kDynamicUpdateSlice, operands);
}

}  // namespace

InstructionId simplify_scatter(RewriteBuilder& b, const RewriteNode& n) {
  // No updates -> the operands.
  const size_t count = n.operands.size() / 2;
  if (b.shape(n.operands.back()).element_count() != 0) return count == 1 ? one_window(b, n) : kNoInstruction;
  return count == 1 ? n.operand(0) : b.tuple(n.operands.first(count));
}

}  // namespace hilo::hlo
