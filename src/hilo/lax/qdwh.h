// SPDX-License-Identifier: Apache-2.0
// lax/qdwh.h -- the polar decomposition by iteration.
#pragma once

#include <optional>
#include <utility>

#include "hilo/array/array.h"

namespace hilo::lax::linalg {

struct QdwhOptions {
  bool is_hermitian = false;                             ///< ignored, as in JAX
  std::optional<int64_t> max_iterations = std::nullopt;  ///< default: 10
  /// smallest relative singular value that counts; default: the type's epsilon
  std::optional<double> eps = std::nullopt;
  /// The matrix' size inside of a larger array. Rejected if set, because shapes are part of programs.
  std::optional<std::pair<Array, Array>> dynamic_shape = std::nullopt;
};
struct QdwhResult {
  Array u, h, num_iters, is_converged;
};
/// Computes the polar decomposition x = u h, where u has orthonormal columns and h is Hermitian and positive
/// semidefinite. Uses Halley's iteration with weights for which about six steps converge: first by QR, then by Cholesky
/// decompositions.
/// Shapes     x[m, n], m >= n -> u[m, n], h[n, n], and two scalars
/// Types      f32, f64, c64, c128
/// Errors     INVALID_ARGUMENT for fewer rows than columns, other ranks, and max_iterations or eps that aren't
///            positive; UNIMPLEMENTED for dynamic_shape
/// Gradient   forward mode, because the number of steps isn't known
/// Source     Nakatsukasa, Bai, Gygi, "Optimizing Halley's iteration for computing the matrix polar decomposition"
///            (2010); Nakatsukasa, Higham, "Stable and efficient spectral divide and conquer algorithms" (2013)
QdwhResult qdwh(const Operand& x, const QdwhOptions& options = {});

}  // namespace hilo::lax::linalg
