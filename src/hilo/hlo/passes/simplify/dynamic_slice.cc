// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/simplify/dimensions.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

/// Returns the clamped start along dimension d, if it is known.
std::optional<int64_t> known_start(const RewriteBuilder& b, const RewriteNode& n, size_t first_start, size_t d,
                                   int64_t extent, int64_t size) {
  if (size == extent) return 0;  // every start is clamped to 0
  const std::optional<int64_t> start = splat_integer(b, n.operand(first_start + d));
  if (!start) {
    // Unsigned numbers above 2^63 are clamped to the end, too.
    return is_highest(b, n.operand(first_start + d)) ? std::optional(extent - size) : std::nullopt;
  }
  return std::clamp<int64_t>(*start, 0, extent - size);
}

}  // namespace

InstructionId simplify_dynamic_slice(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0);
  const Shape from = b.shape(x);
  if (const Literal* value = splat_value(b, x)) return b.splat(n.shape, *value);
  // All starts known -> slice.
  std::vector<SliceRange> ranges;
  for (int64_t d = 0; d < from.rank(); ++d) {
    const int64_t extent = from.dimension(d), size = n.shape.dimension(d);
    const std::optional<int64_t> start = known_start(b, n, 1, d, extent, size);
    if (!start) return kNoInstruction;
    ranges.push_back({*start, *start + size, 1});
  }
  return slice(b, x, std::move(ranges));
}

InstructionId simplify_dynamic_update_slice(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0), update = n.operand(1);
  // The update covers all of x -> update.
  if (b.shape(update) == n.shape) return update;
  // The update is empty -> x.
  if (b.shape(update).element_count() == 0) return x;
  // The update was read from the same place -> x.
  const RewriteNode* read = match(b, update, Opcode::kDynamicSlice);
  if (read != nullptr && read->operand(0) == x &&
      std::equal(read->operands.begin() + 1, read->operands.end(), n.operands.begin() + 2, n.operands.end()))
    return x;
  // A second update of the same place overwrites the first.
  const RewriteNode* first = match(b, x, Opcode::kDynamicUpdateSlice);
  if (first != nullptr && b.shape(first->operand(1)) == b.shape(update) &&
      std::equal(first->operands.begin() + 2, first->operands.end(), n.operands.begin() + 2, n.operands.end())) {
    std::vector<InstructionId> operands(n.operands.begin(), n.operands.end());
    operands[0] = first->operand(0);
    return b.add(Opcode::kDynamicUpdateSlice, operands);
  }
  return kNoInstruction;
}

}  // namespace hilo::hlo
