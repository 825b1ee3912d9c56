// SPDX-License-Identifier: Apache-2.0
// hlo/passes/passes.h -- declares the passes: one function each, defined in the file of its name.
#pragma once

#include <limits>
#include <span>
#include <string_view>

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// Makes every array of every computation row-major. The layouts of the entry's parameters and result move to the
/// module's entry layouts. Values are preserved: a bitcast between layouts becomes transposes and a reshape, and a
/// custom call stores its layouts as attributes. In a program that isn't scheduled, a fused computation uses the
/// layouts of its call, as in XLA's layout assignment.
StatusOr<bool> normalize_layouts(Module& module);

/// Removes the type of comparisons, except TOTALORDER of floats. Integers that are compared with the other signedness
/// are converted first; every other type follows from the operands.
StatusOr<bool> normalize_compares(Module& module);

/// Gives all NaNs that the program computes the same bits where these are seen: in its results, and before
/// bitcast-convert, sort and comparisons in total order. Which operand's NaN an instruction of the processor returns
/// depends on the code around it. NaNs that are only moved from arguments keep their bits.
StatusOr<bool> normalize_nans(Module& module);

/// Drops instructions that no result and no effect needs. Parameters stay: they determine the computation's type.
StatusOr<bool> dce(Module& module);

/// Merges equal instructions (opcode, shape, operands, attributes) and drops unused ones. Effects, barriers and calls
/// of computations with effects are never merged.
StatusOr<bool> cse(Module& module);

/// Computes instructions that depend only on constants, by the reference kernels. A repeated scalar stays a broadcast.
/// Results larger than their operands and long computations are left to run time.
StatusOr<bool> fold_constants(Module& module);

/// Applies algebraic rules (passes/simplify/, one file per root op), constant folding and sharing in one sweep. Rules
/// preserve every bit of floating-point results, including signed zeros and NaN. The exception is power(x, 2) = x*x,
/// which is more accurate.
StatusOr<bool> simplify(Module& module);

/// Inlines calls, as long as the program grows by no more than a limit. Composites stay.
StatusOr<bool> inline_calls(Module& module);

/// Simplifies loops: removes those with no or one known iteration, and drops carries that never change or are unused.
StatusOr<bool> simplify_while(Module& module);

/// Simplifies conditionals whose branch is known, or whose branches are equal.
StatusOr<bool> simplify_conditional(Module& module);

/// Moves loop-invariant computations before the loop.
StatusOr<bool> hoist_invariants(Module& module);

/// Moves reductions over some dimensions behind loops with a known trip count that only collect them: a sum of sums, a
/// maximum of maxima. The gradient of what the rows of a batch share is such a sum. Each iteration must compute the
/// reduced values element by element. Then the elements are collected apart, and reduced once. The accumulators of a
/// loop have at most `byte_limit` bytes, because they must fit in a core's cache. Narrow floats stay.
StatusOr<bool> sink_reductions(Module& module, int64_t byte_limit);
inline constexpr int64_t kSinkBytes = 128 << 10;
/// As sink_reductions(module, kSinkBytes).
StatusOr<bool> sink_reductions(Module& module);

/// Exchanges the operands of a product that is transposed, as in gradients of weights, or that another product reads
/// along its batch. Only if there is no other user, and the last dimension is then read along. This writes the product
/// in the order in which it is read. A transpose that moves only batch dimensions may remain.
StatusOr<bool> turn_products(Module& module);

/// For functions with a custom_vjp and optimize_remat: computes the value by the function itself instead of by fwd if
/// no residual is needed.
StatusOr<bool> optimize_remat(Module& module);

/// Decomposes extension ops and XLA's shorthands, and replaces composites by their computations. fma stays, except in
/// formulas of other ops.
StatusOr<bool> lower_extensions(Module& module);

/// As lower_extensions(module), but the extension ops in `native` stay, too: the engine runs them itself.
StatusOr<bool> lower_extensions(Module& module, std::span<const Opcode> native);

/// Decomposes reductions of small windows to slices and arithmetic, which regions fuse. Maxima and minima of large
/// windows are computed dimension by dimension. Windows as large as the array become plain reductions. Cumulative
/// reductions and all other windows stay.
StatusOr<bool> lower_windows(Module& module);

/// As lower_windows(module), and also decomposes convolutions of few groups of one feature with small windows, or with
/// few positions. The terms of sums over windows are fma if `native`, the extension ops that the engine runs itself,
/// has it. Convolutions of f16 and bf16 become those of f32.
StatusOr<bool> lower_windows(Module& module, std::span<const Opcode> native);

/// The largest numbers of rows and columns of matrices whose factorizations are written out, and the largest number of
/// operations that one factorization or solve may take: their compilation takes time.
struct MatrixLimits {
  int64_t cholesky = 8;
  int64_t lu = 8;  ///< and of triangular solves, which may have twice as many right-hand sides
  int64_t qr = 8;
  int64_t operations = std::numeric_limits<int64_t>::max();  ///< on real numbers, about
};
struct SmallMatrices {
  MatrixLimits one, batch;  ///< of a single matrix; of several
};

/// Writes out factorizations of small matrices and solves with their factors: cholesky, triangular-solve, and LAPACK's
/// calls for LU, Cholesky and QR. Each element of a matrix becomes a value of the batch's shape. Regions fuse such
/// values, and loops over them need no library call. Other element types than LAPACK's stay.
StatusOr<bool> lower_small_linalg(Module& module);
/// As lower_small_linalg(module), up to these sizes.
StatusOr<bool> lower_small_linalg(Module& module, const SmallMatrices& limits);

/// Converts while loops with a known trip count to scans of as many steps, which reverse mode can differentiate. Values
/// that the body changes become carries; unchanged ones become constants. Calls in the body are inlined, so that
/// derivatives see which values depend on the carry. For programs that are transformed later; no engine runs it.
StatusOr<bool> raise_while(Module& module);

/// Converts the polynomials of CHLO's expansion of erf_inv back to erf_inv. Its derivative is finite where that of the
/// expansion is NaN.
StatusOr<bool> raise_erf_inv(Module& module);

/// Converts CHLO's expansion of lgamma back to lgamma. The derivative of the expansion is NaN at integers.
StatusOr<bool> raise_lgamma(Module& module);

/// Converts CHLO's expansion of digamma back to digamma. The derivative of the expansion is NaN at the poles.
StatusOr<bool> raise_digamma(Module& module);

/// Converts windows as long as the array to cumsum, cumprod, cummax, cummin and cumlogsumexp. Derivatives of cummax and
/// cummin then take linear time and are shared by equal elements, as in JAX.
StatusOr<bool> raise_cumulative(Module& module);

/// Converts custom calls of LAPACK to the equivalent ops, which have derivatives: cholesky, triangular-solve, lu, qr,
/// eigh, svd, eig. Where LAPACK would report a failure, these return NaN and the reported info is zero. The unused
/// triangle may differ: a Cholesky factor has zeros there. No engine runs it.
StatusOr<bool> raise_linalg(Module& module);

/// Converts psum, all_gather and similar ops over the axis `axis_name` to collectives of `replicas` replicas, the
/// axis's members.
StatusOr<bool> lower_named_axis(Module& module, std::string_view axis_name, int64_t replicas);

}  // namespace hilo::hlo
