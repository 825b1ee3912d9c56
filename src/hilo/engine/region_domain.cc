// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_former.h"

#include <algorithm>

namespace hilo::engine {

using hlo::Opcode;

namespace {

/// Whether `fine` has the dimensions of `coarse`, some of them split. Examples: [4,6] is split into [4,3,2] and into
/// [2,2,6].
bool refines(std::span<const int64_t> fine, std::span<const int64_t> coarse) {
  size_t k = 0;
  for (int64_t whole : coarse) {
    int64_t product = 1;
    while (product < whole && k < fine.size()) product *= fine[k++];
    if (product != whole) return false;
  }
  return skip_ones(fine, k) == fine.size();
}

/// Whether the value rearranges elements of other values so that a reader can't compute one from a linear index.
/// Examples: x - row, or x reversed. Its rows must be long enough for vectors, or as long as those of `own`.
bool moves_elements(const RegionState& state, ValueId value, const Shape& own) {
  constexpr size_t kMaxNodes = 16;
  constexpr int64_t kShortestRow = 16;
  if (own.rank() == 0 || state.shape(value).rank() == 0) return false;
  if (state.shape(value).dimensions().back() < std::min(own.dimensions().back(), kShortestRow)) return false;
  std::vector<ValueId> ahead = {value};
  for (size_t k = 0; k < ahead.size() && k < kMaxNodes; ++k) {
    const Node* const node = state.maker(ahead[k]);
    if (node == nullptr) continue;
    const Opcode opcode = node->instruction->opcode;
    if (is_lanewise(opcode)) ahead.insert(ahead.end(), node->operands.begin(), node->operands.end());
    if (opcode == Opcode::kReverse || opcode == Opcode::kSlice || opcode == Opcode::kGather) return true;
    if (opcode == Opcode::kBroadcast && !is_scalar_broadcast(state.graph, *node)) return true;
  }
  return false;
}

/// Returns a value that repeats, interleaves or moves elements and is reshaped to an operand of an elementwise op. No
/// linear index can read such a value. Example: repeating each element of s32[n,63] twice is an s32[n,63,2]. Returns
/// kNoValue if no such value exists or if a reduction needs the op's own dimensions. Values that only move elements
/// don't count next to guards, because a guard refers to one dimension.
ValueId finer_value(const RegionState& state, const Node& node) {
  constexpr size_t kMaxNodes = 32;
  const Shape& own = state.shape(node.results[0]);
  std::vector<const Node*> ahead = {&node};
  ValueId repeated = kNoValue, moved = kNoValue;
  bool is_guarded = false;
  for (size_t k = 0; k < ahead.size() && k < kMaxNodes; ++k) {
    for (ValueId v : ahead[k]->operands) {
      const Node* const operand = state.maker(v);
      if (operand == nullptr) continue;
      const Opcode opcode = operand->instruction->opcode;
      if (opcode == Opcode::kReduce || opcode == Opcode::kDot) return kNoValue;
      is_guarded |= opcode == Opcode::kPad || opcode == Opcode::kConcatenate || opcode == Opcode::kDynamicUpdateSlice;
      if (is_lanewise(opcode)) ahead.push_back(operand);
      if (opcode != Opcode::kReshape) continue;
      const ValueId source = operand->operands[0];
      const Node* const from = state.maker(source);
      if (from == nullptr || !refines(state.shape(source).dimensions(), own.dimensions())) continue;
      const bool repeats = from->instruction->opcode == Opcode::kBroadcast || is_interleaving(state, *from);
      if (repeats && repeated == kNoValue) repeated = source;
      if (moved == kNoValue && moves_elements(state, source, own)) moved = source;
    }
  }
  return repeated != kNoValue || is_guarded ? repeated : moved;
}

}  // namespace

ValueId domain_value(const RegionState& state, const Node& node) {
  if (state.shape(node.results[0]).element_count() == 0) return kNoValue;
  if (is_lanewise(node.instruction->opcode)) return finer_value(state, node);
  ValueId source = kNoValue;
  for (const Node* n = &node; n != nullptr && n->instruction->opcode == Opcode::kReshape; n = state.maker(source))
    source = n->operands[0];
  return source;
}

}  // namespace hilo::engine
