// SPDX-License-Identifier: Apache-2.0
// hlo/passes/passes.h -- the passes: one function each, defined in the file of its name.
#pragma once

#include <span>
#include <string_view>

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// Every array of every computation becomes row-major; what the entry stated of its parameters and result moves to the module's
/// entry layouts. Values stay: a bitcast between layouts becomes the transposes and the reshape that it stands for, and a custom
/// call keeps the layouts that it hands over as attributes. A fused computation of a program that isn't scheduled takes its
/// arrays as its call does, whatever its parameters and root state, as XLA's layout assignment has it.
StatusOr<bool> normalize_layouts(Module& module);

/// Comparisons say no type but TOTALORDER of floats: integers that are compared with the other sign are converted before, and
/// what else a type says the operands say too.
StatusOr<bool> normalize_compares(Module& module);

/// Drops instructions that no result and no effect needs. Parameters stay: they are the computation's type.
StatusOr<bool> dce(Module& module);

/// Equal instructions (opcode, shape, operands, attributes) become one; unused ones go. Effects, barriers and calls of
/// computations with effects are never merged.
StatusOr<bool> cse(Module& module);

/// Computes what depends on constants only, through the reference kernels. A value that is one scalar everywhere stays
/// a broadcast of that scalar; results larger than their operands and large work stay for run time.
StatusOr<bool> fold_constants(Module& module);

/// Algebraic rules (passes/simplify/, one file per root op), constant folding and sharing in one sweep. Rules keep every
/// bit of floating-point results, signed zeros and NaN included, but for power(x, 2) = x*x, which is nearer to the truth.
StatusOr<bool> simplify(Module& module);

/// Calls become the bodies they call, where that makes the program no more than a fixed bit larger. Composites stay.
StatusOr<bool> inline_calls(Module& module);

/// Loops: none or one iteration known, carries that never change or that nobody reads.
StatusOr<bool> simplify_while(Module& module);

/// Branches that are known, or all the same.
StatusOr<bool> simplify_conditional(Module& module);

/// Computations inside a loop body that don't depend on the carry's changing part move before the loop.
StatusOr<bool> hoist_invariants(Module& module);

/// A transposed product, as gradients of weights are, becomes the product of the exchanged operands, if nobody else reads it: it
/// is written as it is read.
StatusOr<bool> turn_products(Module& module);

/// Functions with a custom_vjp that was told optimize_remat: where no residual is needed, their value is computed by the
/// function itself and not by fwd.
StatusOr<bool> optimize_remat(Module& module);

/// Extension ops and XLA's shorthands become their decompositions, composites the computations they stand for. fma stays.
StatusOr<bool> lower_extensions(Module& module);

/// As above, but the extension ops in `native` stay too: the engine runs them itself.
StatusOr<bool> lower_extensions(Module& module, std::span<const Opcode> native);

/// Reductions of small windows become slices and arithmetic, which regions fuse; large windows of extremes go dimension
/// by dimension, windows as large as the array are plain reductions. Running reductions stay, and what is left.
StatusOr<bool> lower_windows(Module& module);

/// While loops whose trip count is known become scans of as many steps, so that reverse mode goes through them: what the
/// body changes is the carry, what it hands on unchanged the constants. Calls in the body are inlined, that derivatives
/// see what depends on the carry. For programs that are to be transformed; no engine runs it.
StatusOr<bool> raise_while(Module& module);

/// The polynomials that CHLO's erf_inv is expanded to become erf_inv again, whose derivative is finite where theirs is NaN.
StatusOr<bool> raise_erf_inv(Module& module);

/// The same for lgamma, whose expansion is NaN in its derivative at integers.
StatusOr<bool> raise_lgamma(Module& module);

/// The same for digamma, whose expansion is NaN in its derivative at the poles.
StatusOr<bool> raise_digamma(Module& module);

/// Windows as long as the array become cumsum, cumprod, cummax, cummin and cumlogsumexp: extremes have derivatives in linear
/// time then, which equal elements share as in JAX.
StatusOr<bool> raise_cumulative(Module& module);

/// Custom calls of LAPACK become the ops that they stand for, which have derivatives: cholesky, triangular-solve, lu, qr,
/// eigh, svd, eig. Where LAPACK would report a failure these give NaN, and the report is zero. The triangle that nobody
/// asked for may differ: the factor of a Cholesky decomposition is zero there. No engine runs it.
StatusOr<bool> raise_linalg(Module& module);

/// psum, all_gather and the like over the axis `axis_name` become collectives of `replicas` replicas, the axis's members.
StatusOr<bool> lower_named_axis(Module& module, std::string_view axis_name, int64_t replicas);

}  // namespace hilo::hlo
