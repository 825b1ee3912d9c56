// SPDX-License-Identifier: Apache-2.0
// optim/linear_algebra.h -- optax's functions of matrices.
#pragma once

#include <functional>

#include "hilo/lax/precision.h"
#include "hilo/random/keys.h"

namespace hilo::optim {

struct PowerIterationOptions {
  std::optional<Array> v0 = std::nullopt;  ///< where to begin; by default random numbers
  int64_t num_iters = 100;
  double error_tolerance = 1e-6;  ///< of |A v - eigenvalue v| / eigenvalue
  lax::PrecisionLike precision = lax::Precision::HIGHEST;
  std::optional<random::Key> key = std::nullopt;  ///< of those numbers
};
struct DominantEigenpair {
  Array eigenvalue, eigenvector;
};
/// The eigenvalue of the greatest size and its vector of norm 1, by repeated products.
/// Errors    INVALID_ARGUMENT for what is no square matrix, or a function without v0
/// Source    von Mises and Pollaczek-Geiringer, "Praktische Verfahren der Gleichungsaufloesung" (1929)
DominantEigenpair power_iteration(const Operand& matrix, const PowerIterationOptions& options = {});
namespace detail {
DominantEigenpair power_iteration(const std::function<Array(const Array&)>& matrix,
                                  const PowerIterationOptions& options, const std::source_location& location);
}  // namespace detail
/// The same of a linear function of arrays like v0.
template <typename F>
  requires(std::is_invocable_r_v<Array, F, const Array&> && !std::convertible_to<F, Array>)
DominantEigenpair power_iteration(const F& matrix, const PowerIterationOptions& options,
                                  std::source_location location = std::source_location::current()) {
  return detail::power_iteration(matrix, options, location);
}

struct InverseRootOptions {
  int64_t num_iters = 100;
  double ridge_epsilon = 1e-6;  ///< times the greatest eigenvalue is added to the diagonal
  double error_tolerance = 1e-6;
  lax::PrecisionLike precision = lax::Precision::HIGHEST;
};
struct InverseRoot {
  Array root, error;
};
/// matrix^(-1/p) of a positive definite matrix, in f32, and by how much its p-th power times the matrix misses the identity.
/// Errors    INVALID_ARGUMENT for what is no square matrix, or p other than 1, 2, 4 and 8
/// Source    Higham, "Functions of matrices" (2008), equation 7.18
InverseRoot matrix_inverse_pth_root(const Operand& matrix, int64_t p, const InverseRootOptions& options = {});

struct NnlsOptions {
  int64_t unroll = 1;
  std::optional<Array> L = std::nullopt;  ///< at least the greatest eigenvalue of the transpose of A times A
};
/// The x >= 0 for which A x is nearest to b, after `iters` projected gradient steps.
/// Shapes    A [m, n], b [m] or [m, k] -> [n] or [n, k]
/// Source    Polyak, "Projected gradient method for non-negative least square" (2015)
Array nnls(const Operand& A, const Operand& b, int64_t iters, const NnlsOptions& options = {});

/// Independent normal distributions, by their means and the logarithms of their deviations.
struct MultiNormalDiagFromLogScale {
  Array loc, log_scale;

  /// Numbers of shape `shape` and the parameters'.
  Array sample(const Dimensions& shape, const random::Key& key) const;
  /// Of all parameters together, which are the last axes of x.
  Array log_prob(const Operand& x) const;
  std::vector<Array> params() const { return {loc, log_scale}; }
};
MultiNormalDiagFromLogScale multi_normal(const Operand& loc, const Operand& log_scale);

}  // namespace hilo::optim
