// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hilo/hlo/passes/simplify/dimensions.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

constexpr size_t kMaxOperands = 64;  // limit on flattening a chain of concatenations, so that its cost stays linear

/// Merges two slices of one array that are adjacent along `d` and equal in other dimensions.
InstructionId joined(RewriteBuilder& b, InstructionId left, InstructionId right, int64_t d) {
  const RewriteNode* x = match(b, left, Opcode::kSlice);
  const RewriteNode* y = match(b, right, Opcode::kSlice);
  if (x == nullptr || y == nullptr || x->operand(0) != y->operand(0)) return kNoInstruction;
  std::vector<SliceRange> ranges = attributes_of<SliceAttributes>(*x).ranges;
  const std::vector<SliceRange>& second = attributes_of<SliceAttributes>(*y).ranges;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (static_cast<int64_t>(i) != d && ranges[i] != second[i]) return kNoInstruction;
  }
  SliceRange& r = ranges[d];
  const SliceRange& next = second[d];
  if (r.stride != next.stride || r.start + length_of(r) * r.stride != next.start) return kNoInstruction;
  r.limit = next.limit;
  return slice(b, x->operand(0), std::move(ranges));
}

}  // namespace

InstructionId simplify_concatenate(RewriteBuilder& b, const RewriteNode& n) {
  // One operand -> that operand.
  if (n.operands.size() == 1) return n.operand(0);
  const int64_t d = attributes_of<ConcatenateAttributes>(n).dimension;
  std::vector<InstructionId> operands;
  for (size_t i = 0; i < n.operands.size(); ++i) {
    const InstructionId x = n.operand(i);
    // Skips empty operands.
    if (b.shape(x).dimension(d) == 0) continue;
    // concatenate(concatenate(x, y), z) -> concatenate(x, y, z).
    const RewriteNode* nested = match(b, x, Opcode::kConcatenate);
    if (nested != nullptr && attributes_of<ConcatenateAttributes>(*nested).dimension == d &&
        operands.size() + nested->operands.size() + (n.operands.size() - i) <= kMaxOperands) {
      operands.insert(operands.end(), nested->operands.begin(), nested->operands.end());
      continue;
    }
    const InstructionId slice_of_both = operands.empty() ? kNoInstruction : joined(b, operands.back(), x, d);
    if (slice_of_both == kNoInstruction) operands.push_back(x);
    else operands.back() = slice_of_both;
  }
  if (operands.empty()) return n.operand(0);  // all operands are empty, so the result is too
  if (operands.size() == 1) return operands[0];
  // All operands repeat one scalar -> broadcast of it.
  const Literal* value = splat_value(b, operands[0]);
  const bool all_equal = value != nullptr && std::ranges::all_of(operands, [&](InstructionId x) {
                           const Literal* other = splat_value(b, x);
                           return other != nullptr && other->identical(*value);
                         });
  if (all_equal) return b.splat(n.shape, *value);
  if (std::equal(operands.begin(), operands.end(), n.operands.begin(), n.operands.end())) return kNoInstruction;
  return b.add(Opcode::kConcatenate, operands, n.attributes);
}

}  // namespace hilo::hlo
