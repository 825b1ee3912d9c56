// SPDX-License-Identifier: Apache-2.0
// hlo/partition/view.h -- slices, pads and concatenations that nobody has made yet: their parts may have several sizes, and who
// reads them often wants other parts.
#pragma once

#include "hilo/hlo/partition/op_parts.h"

namespace hilo::hlo {

/// `size` elements of an array along the view's dimension, from `from` on; without an array: `fill`, a scalar.
struct ViewPiece {
  Expr value;
  ArraySplit split;
  int64_t whole = 0;  ///< size of the array's dimension
  int64_t from = 0, size = 0;
  bool is_fill = false;
};

/// Pieces one after the other along a dimension. Example    a roll of f32[1024] by 1: element 1023, then elements 0 to 1022
struct View {
  Shape shape;  ///< of the whole array
  int64_t dimension = 0;
  std::vector<ViewPiece> pieces;
  std::map<ArraySplit, Expr> made = {};  ///< what was asked for
};

/// The op as a view, or made of views, which is wanted cut so: a slice without strides, a pad without interior, a concatenation,
/// along a dimension that an operand has cut. Views along other dimensions are made first. Nothing for all others.
std::optional<Part> write_view(DeviceProgram& program, const Instruction& instruction, const Computation& computation,
                               std::span<const Part> operands, const ArraySplit& wanted);

/// The view's part.
Expr make_view(DeviceProgram& program, View& view, const ArraySplit& to);

/// Any part, cut as `to`.
Expr cut_as(DeviceProgram& program, const Part& part, const ArraySplit& to);

}  // namespace hilo::hlo
