// SPDX-License-Identifier: Apache-2.0
// scipy/optimize/block_least_squares.h -- nonlinear least squares of many small residuals that read few small blocks of
// parameters each: bundle adjustment, pose graphs, factor graphs.
#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "hilo/numpy/dtypes.h"
#include "hilo/scipy/optimize/least_squares.h"

namespace hilo::scipy::optimize {

/// The parameter blocks that residuals read: residual k reads row index[k] of the parameters x[kind].
struct BlockIndex {
  int64_t kind = 0;
  Array index;  ///< [m], integers
};
/// m residuals of one form. residual_blocks creates them.
struct ResidualBlocks {
  /// Computes one residual from its parameter blocks and its data.
  using Function = std::function<Array(const std::vector<Array>& blocks, const std::vector<Array>& data)>;
  Function fun;
  std::vector<BlockIndex> parameters;
  std::vector<Array> data;  ///< row k belongs to residual k
};
/// Returns the residuals fun(x[kind][index[k]]..., data[k]...) for all k, for block_least_squares.
/// Shapes     parameters {kind, index[m]}..., data [m, ...]; fun gets rows, and returns [] or [r]
/// Example    const auto apart = [](Array a, Array b, Array length) { return b - a - length; };
///            const Array from = numpy::array({0, 1}), to = numpy::array({1, 2}), length = numpy::ones({2});
///            residual_blocks(apart, {{0, from}, {0, to}}, length).data[0]  // [1. 1.]
template <typename F, size_t N, std::convertible_to<Array>... Data>
ResidualBlocks residual_blocks(F fun, const BlockIndex (&parameters)[N], const Data&... data) {
  const auto of_lists = [fun = std::move(fun)](const std::vector<Array>& blocks, const std::vector<Array>& rows) {
    return [&]<size_t... I, size_t... J>(std::index_sequence<I...>, std::index_sequence<J...>) {
      return Array(fun(blocks[I]..., rows[J]...));
    }(std::make_index_sequence<N>(), std::make_index_sequence<sizeof...(Data)>());
  };
  return {of_lists, {std::begin(parameters), std::end(parameters)}, {Array(data)...}};
}

/// The result of block_gauss_newton_step. A pytree.
struct BlockStep {
  std::vector<Array> x;  ///< the parameters after the step
  Array cost;            ///< half of the sum of squares before the step
};
/// Returns a step of the damped Gauss-Newton method, from the normal equations with damping * diag(J' J) added to J' J.
/// Shapes     x[kind] [blocks, size]; damping []
/// Types      real floats of one type
/// Errors     INVALID_ARGUMENT for other shapes and types, and for known indices out of range; traced indices must be
///            in range
/// Cost       no Jacobian or matrix with one row per residual and one column per parameter exists. The kind with the
///            most parameters, of which each residual reads at most one block, is eliminated by a Schur complement. The
///            rest is a dense system. Indices that are known when a function is traced, such as captured arrays, let
///            the Schur complement skip pairs of blocks without a common eliminated block; traced ones don't.
/// Gradient   through the step, with respect to all values
/// Source     Triggs et al., "Bundle Adjustment: A Modern Synthesis" (2000), section 6
/// Example    const auto apart = [](Array a, Array b, Array length) { return b - a - length; };
///            const auto first = [](Array a) { return a; };
///            const Array from = numpy::array({0, 1}), to = numpy::array({1, 2}), length = numpy::ones({2, 1});
///            const std::vector<ResidualBlocks> residuals = {residual_blocks(apart, {{0, from}, {0, to}}, length),
///                                                           residual_blocks(first, {{0, numpy::array({0})}})};
///            block_gauss_newton_step(residuals, {numpy::zeros({3, 1})}, 0.0f).x[0][2].round(3)  // [2.]
BlockStep block_gauss_newton_step(const std::vector<ResidualBlocks>& residuals, const std::vector<Array>& x,
                                  const Operand& damping);

/// The result of block_least_squares. A pytree. The derivatives of the counters are 0.
struct BlockLeastSquaresResults {
  std::vector<Array> x;
  Array cost;        ///< half of the sum of squares
  Array optimality;  ///< maximum component of the gradient
  Array nfev;        ///< number of evaluations of the residuals
  Array status;      ///< 0: max_nfev was reached; 1, 2, 3: ended by gtol, ftol, xtol
  Array success;     ///< whether status > 0
};
/// Minimizes the sum of squares of residuals near x0, by the Levenberg-Marquardt algorithm.
/// Shapes     x0[kind] [blocks, size]
/// Types      as block_gauss_newton_step
/// Errors     as block_gauss_newton_step, and INVALID_ARGUMENT for other methods
/// Cost       a block_gauss_newton_step and an evaluation of the residuals for each step. The normal equations square
///            the condition number: in f32, least_squares is more accurate for small problems.
/// Gradient   of x and what depends on it, with respect to values captured by the residuals and to data, in both modes,
///            by the implicit function theorem with conjugate gradients; x0 has none
/// Source     as least_squares
/// Example    const Array t = numpy::array({0.0, 1.0, 2.0}), y = numpy::array({1.0, 3.0, 5.0});
///            const auto line = [](Array p, Array t, Array y) { return p[0] + p[1] * t - y; };
///            const auto residuals = residual_blocks(line, {{0, numpy::array({0, 0, 0})}}, t, y);
///            block_least_squares({residuals}, {numpy::zeros({1, 2})}).x[0].round(3)  // [[1. 2.]]
BlockLeastSquaresResults block_least_squares(const std::vector<ResidualBlocks>& residuals, const std::vector<Array>& x0,
                                             const LeastSquaresOptions& options = {},
                                             numpy::Line line = numpy::Line::current());

}  // namespace hilo::scipy::optimize
