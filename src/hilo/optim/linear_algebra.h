// SPDX-License-Identifier: Apache-2.0
// optim/linear_algebra.h -- optax's matrix functions.
#pragma once

#include <functional>

#include "hilo/lax/precision.h"
#include "hilo/random/keys.h"

namespace hilo::optim {

struct PowerIterationOptions {
  std::optional<Array> v0 = std::nullopt;  ///< start vector; default random numbers
  int64_t num_iters = 100;
  double error_tolerance = 1e-6;  ///< tolerance of |A v - eigenvalue v| / eigenvalue
  lax::PrecisionLike precision = lax::Precision::HIGHEST;
  std::optional<random::Key> key = std::nullopt;  ///< key of the random start vector
};
struct DominantEigenpair {
  Array eigenvalue, eigenvector;
};
/// Returns the eigenvalue of the greatest absolute value and its unit eigenvector, by power iteration.
/// Errors    INVALID_ARGUMENT for a matrix that is not square, or a function without v0
/// Source    von Mises and Pollaczek-Geiringer, "Praktische Verfahren der Gleichungsaufloesung" (1929)
DominantEigenpair power_iteration(const Operand& matrix, const PowerIterationOptions& options = {});
namespace detail {
DominantEigenpair power_iteration(const std::function<Array(const Array&)>& matrix,
                                  const PowerIterationOptions& options, const std::source_location& location);
}  // namespace detail
/// Returns the same for a linear function of arrays like v0.
template <typename F>
  requires(std::is_invocable_r_v<Array, F, const Array&> && !std::convertible_to<F, Array>)
DominantEigenpair power_iteration(const F& matrix, const PowerIterationOptions& options,
                                  std::source_location location = std::source_location::current()) {
  return detail::power_iteration(matrix, options, location);
}

struct InverseRootOptions {
  int64_t num_iters = 100;
  double ridge_epsilon = 1e-6;  ///< factor of the greatest eigenvalue; the product is added to the diagonal
  double error_tolerance = 1e-6;
  lax::PrecisionLike precision = lax::Precision::HIGHEST;
};
struct InverseRoot {
  Array root, error;
};
/// Returns matrix^(-1/p) of a positive definite matrix, in f32, and the error: the distance of its p-th power times the
/// matrix from the identity.
/// Errors    INVALID_ARGUMENT for a matrix that is not square, or p other than 1, 2, 4 and 8
/// Source    Higham, "Functions of matrices" (2008), equation 7.18
InverseRoot matrix_inverse_pth_root(const Operand& matrix, int64_t p, const InverseRootOptions& options = {});

struct NnlsOptions {
  int64_t unroll = 1;
  std::optional<Array> L = std::nullopt;  ///< upper bound of the greatest eigenvalue of A^T A
};
/// Solves min |A x - b| for x >= 0 by `iters` projected gradient steps.
/// Shapes    A [m, n], b [m] or [m, k] -> [n] or [n, k]
/// Source    Polyak, "Projected gradient method for non-negative least square" (2015)
Array nnls(const Operand& A, const Operand& b, int64_t iters, const NnlsOptions& options = {});

/// Independent normal distributions, with means and the logarithms of standard deviations.
struct MultiNormalDiagFromLogScale {
  Array loc, log_scale;

  /// Returns samples of shape [shape..., parameters' shape...].
  Array sample(const Dimensions& shape, const random::Key& key) const;
  /// Returns the joint log density of all parameters, which are the last axes of x.
  Array log_prob(const Operand& x) const;
  std::vector<Array> params() const { return {loc, log_scale}; }
};
MultiNormalDiagFromLogScale multi_normal(const Operand& loc, const Operand& log_scale);

}  // namespace hilo::optim
