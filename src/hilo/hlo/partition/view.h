// SPDX-License-Identifier: Apache-2.0
// hlo/partition/view.h -- deferred slices, pads and concatenations. Their natural shards may have unequal sizes, and
// users often request other shards.
#pragma once

#include "hilo/hlo/partition/op_parts.h"

namespace hilo::hlo {

/// `size` elements of an array along the view's dimension, from `from` on. Without an array: the scalar `fill`,
/// repeated.
struct ViewPiece {
  Expr value;
  ArraySplit split;
  int64_t whole = 0;  ///< size of the array's dimension
  int64_t from = 0, size = 0;
  bool is_fill = false;
};

/// Pieces that are concatenated along a dimension.
/// Example   a roll of f32[1024] by 1: element 1023, then elements 0 to 1022
struct View {
  Shape shape;  ///< of the whole array
  int64_t dimension = 0;
  std::vector<ViewPiece> pieces;
  std::map<ArraySplit, Expr> cache = {};  ///< cached results by requested split
};

/// Returns the op as a view, or computed from views, for the requested sharding of its result. Views are slices without
/// strides, pads without interior padding, and concatenations, along a dimension in which an operand is sharded.
/// Operands that are views along other dimensions are computed first. Returns nothing for all other ops.
std::optional<Part> write_view(DeviceProgram& program, const Instruction& instruction, const Computation& computation,
                               std::span<const Part> operands, const ArraySplit& requested);

/// Returns the view's shard.
Expr make_view(DeviceProgram& program, View& view, const ArraySplit& to);

/// Returns any part, resharded to `to`.
Expr cut_as(DeviceProgram& program, const Part& part, const ArraySplit& to);

}  // namespace hilo::hlo
