// SPDX-License-Identifier: Apache-2.0
// engine/element_moves.h -- where each element of a moved array comes from, at compile time.
#pragma once

#include <optional>

#include "hilo/hlo/ir/computation.h"

namespace hilo::engine {

/// An element of an operand: its number in row-major order.
struct ElementSource {
  size_t operand = 0;
  int64_t element = 0;
};

/// Row-major indices of an element, and back.
/// Example   {2, 3}, element 4 -> {1, 1}
std::vector<int64_t> indices_of(std::span<const int64_t> extents, int64_t element);
int64_t element_of(std::span<const int64_t> extents, std::span<const int64_t> indices);

/// Whether the op only moves elements to fixed places: broadcast, reshape, transpose, slice, reverse, concatenate, pad.
bool is_fixed_move(hlo::Opcode opcode);

/// The source of element `element` of the result of a fixed move. `operands` and `result` are the extents; a batch that
/// each of several lanes has one index of may have 1 in all of them.
/// Example   transpose(f32[2,3]), element 1 -> operand 0, element 3
ElementSource source_of(const hlo::Instruction& move, std::span<const std::vector<int64_t>> operands,
                        std::span<const int64_t> result, int64_t element);

}  // namespace hilo::engine
