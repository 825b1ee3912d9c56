// SPDX-License-Identifier: Apache-2.0
// hlo/buckets/padded_op.h -- the rules by which ops compute on padded arrays.
#pragma once

#include <optional>

#include "hilo/hlo/buckets/size_pattern.h"
#include "hilo/hlo/build/expr.h"

namespace hilo::hlo {

/// An instruction in both traces, and its operands in the program that is being written.
struct PaddedOp {
  const SizePattern& pattern;
  const Computation& small_owner;
  const Computation& large_owner;
  const Instruction& small;
  const Instruction& large;
  Exprs operands;
  const Exprs& sizes;  ///< s32 scalars, one per size
  Sink& sink;

  const Shape& small_operand(size_t k) const { return small_owner.instruction(small.operands[k]).shape; }
  const Shape& large_operand(size_t k) const { return large_owner.instruction(large.operands[k]).shape; }
  /// Whether dimension d of operand k has another extent in both traces.
  bool varies(size_t k, int64_t d) const { return small_operand(k).dimension(d) != large_operand(k).dimension(d); }
  /// Returns a number of the trace as an s32 scalar.
  Expr number(int64_t in_small, int64_t in_large) const;
  Expr extent(size_t k, int64_t d) const {
    return number(small_operand(k).dimension(d), large_operand(k).dimension(d));
  }
  /// Returns the op on these operands, as in the larger trace.
  Expr as_large(const Exprs& operands) const { return sink.add(large.opcode, operands, large.attributes, large.shape); }
  /// Returns operand k with `fill`, a scalar, in place of the padding along these dimensions.
  Expr masked(size_t k, std::span<const int64_t> dimensions, Expr fill) const;
  Expr masked(size_t k, std::span<const int64_t> dimensions, const Literal& fill) const;
  /// Returns the error for a dimension without a rule.
  Status refusal(int64_t dimension) const;
};

/// Whether the index along dimension d is less than `extent`, for each element of a shape with these dimensions.
Expr before(Sink& sink, std::span<const int64_t> dimensions, int64_t d, Expr extent);

/// Returns the result of an op without called computations that run as its own instructions.
/// Errors    UNIMPLEMENTED for ops without a rule
StatusOr<Expr> padded_op(const PaddedOp& op);

}  // namespace hilo::hlo
