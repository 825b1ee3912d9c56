// SPDX-License-Identifier: Apache-2.0
// hlo/passes/simplify/rules.h -- the simplifier's rules, one function per root op, and forward_tuples().
#pragma once

#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {

// Each function returns the replacement's id, or kNoInstruction if no rule applies. simplify.cc maps ops to functions.
InstructionId simplify_abs(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_add(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_and(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_bitcast_convert(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_broadcast(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_clamp(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_compare(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_complex(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_concatenate(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_constant(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_convert(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_convolution(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_copy(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_divide(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_dot(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_dynamic_slice(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_dynamic_update_slice(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_gather(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_get_tuple_element(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_imag(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_iota(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_maximum(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_minimum(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_multiply(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_negate(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_not(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_or(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_pad(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_power(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_real(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_reduce(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_reduce_precision(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_remainder(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_reshape(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_reverse(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_rounding(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_scatter(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_select(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_shift(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_slice(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_sort(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_subtract(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_transpose(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_tuple(RewriteBuilder& b, const RewriteNode& n);
InstructionId simplify_xor(RewriteBuilder& b, const RewriteNode& n);

/// Rules of floor_division.cc for an and, and for a select: the written-out forms of x // c and x % c, which round
/// towards minus infinity.
InstructionId sign_of_remainder(RewriteBuilder& b, const RewriteNode& n);
InstructionId floor_division(RewriteBuilder& b, const RewriteNode& n);

/// Simplifies only get-tuple-element(tuple(x, y), 0) -> x, for passes that create tuples.
InstructionId forward_tuples(RewriteBuilder& b, const RewriteNode& n);

}  // namespace hilo::hlo
