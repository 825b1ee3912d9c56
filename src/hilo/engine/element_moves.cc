// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/element_moves.h"

#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::engine {

using hlo::attributes_of;
using hlo::Opcode;

namespace {

using Indices = std::vector<int64_t>;

Indices before_broadcast(const hlo::Instruction& i, std::span<const int64_t> extents, const Indices& at) {
  Indices from;
  const auto& dimensions = attributes_of<hlo::BroadcastAttributes>(i).dimensions;
  for (size_t d = 0; d < dimensions.size(); ++d) from.push_back(extents[d] == 1 ? 0 : at[dimensions[d]]);
  return from;
}

Indices before_transpose(const hlo::Instruction& i, const Indices& at) {
  const auto& permutation = attributes_of<hlo::TransposeAttributes>(i).permutation;
  Indices from(at.size());
  for (size_t d = 0; d < at.size(); ++d) from[permutation[d]] = at[d];
  return from;
}

Indices before_slice(const hlo::Instruction& i, Indices at) {
  const auto& ranges = attributes_of<hlo::SliceAttributes>(i).ranges;
  for (size_t d = 0; d < at.size(); ++d) at[d] = ranges[d].start + at[d] * ranges[d].stride;
  return at;
}

Indices before_reverse(const hlo::Instruction& i, std::span<const int64_t> extents, Indices at) {
  for (int64_t d : attributes_of<hlo::ReverseAttributes>(i).dimensions) at[d] = extents[d] - 1 - at[d];
  return at;
}

/// The indices in operand 0; none for an element of the padding.
std::optional<Indices> before_pad(const hlo::Instruction& i, std::span<const int64_t> extents,
                                  std::span<const int64_t> padded, Indices at) {
  const auto& padding = attributes_of<hlo::PadAttributes>(i).padding;
  for (size_t d = 0; d < at.size(); ++d) {
    const hlo::KeptRange kept = hlo::kept_by(padding[d], extents[d], padded[d]);
    const int64_t distance = at[d] - kept.at;
    if (distance < 0 || distance % kept.step != 0 || distance / kept.step >= kept.count) return std::nullopt;
    at[d] = kept.from + distance / kept.step;
  }
  return at;
}

ElementSource before_concatenate(const hlo::Instruction& i, std::span<const Indices> extents, Indices at) {
  const int64_t d = attributes_of<hlo::ConcatenateAttributes>(i).dimension;
  size_t operand = 0;
  for (; at[d] >= extents[operand][d]; ++operand) at[d] -= extents[operand][d];
  return {operand, element_of(extents[operand], at)};
}

}  // namespace

std::vector<int64_t> indices_of(std::span<const int64_t> extents, int64_t element) {
  Indices indices(extents.size());
  for (size_t d = extents.size(); d-- > 0; element /= extents[d]) indices[d] = element % extents[d];
  return indices;
}

int64_t element_of(std::span<const int64_t> extents, std::span<const int64_t> indices) {
  int64_t element = 0;
  for (size_t d = 0; d < extents.size(); ++d) element = element * extents[d] + indices[d];
  return element;
}

bool is_fixed_move(hlo::Opcode opcode) {
  return opcode == Opcode::kReshape || opcode == Opcode::kBroadcast || opcode == Opcode::kTranspose ||
         opcode == Opcode::kSlice || opcode == Opcode::kReverse || opcode == Opcode::kConcatenate ||
         opcode == Opcode::kPad;
}

ElementSource source_of(const hlo::Instruction& move, std::span<const std::vector<int64_t>> operands,
                        std::span<const int64_t> result, int64_t element) {
  if (move.opcode == Opcode::kReshape) return {0, element};
  Indices at = indices_of(result, element);
  const auto in_first = [&](const Indices& from) { return ElementSource{0, element_of(operands[0], from)}; };
  switch (move.opcode) {  // NOLINT: the ops of is_fixed_move
    case Opcode::kBroadcast: return in_first(before_broadcast(move, operands[0], at));
    case Opcode::kTranspose: return in_first(before_transpose(move, at));
    case Opcode::kSlice: return in_first(before_slice(move, std::move(at)));
    case Opcode::kReverse: return in_first(before_reverse(move, operands[0], std::move(at)));
    case Opcode::kConcatenate: return before_concatenate(move, operands, std::move(at));
    default: {
      const std::optional<Indices> from = before_pad(move, operands[0], result, std::move(at));
      return from ? in_first(*from) : ElementSource{1, 0};
    }
  }
}

}  // namespace hilo::engine
