// SPDX-License-Identifier: Apache-2.0
// lax/qdwh.h -- the polar decomposition by iteration.
#pragma once

#include <optional>
#include <utility>

#include "hilo/array/array.h"

namespace hilo::lax::linalg {

struct QdwhOptions {
  bool is_hermitian = false;                             ///< says nothing that is made use of, as in JAX
  std::optional<int64_t> max_iterations = std::nullopt;  ///< 10
  std::optional<double> eps = std::nullopt;  ///< the least singular value, of 1, that counts; the type's epsilon
  /// Where the matrix ends in an array that is larger: refused if given, for shapes are part of programs.
  std::optional<std::pair<Array, Array>> dynamic_shape = std::nullopt;
};
struct QdwhResult {
  Array u, h, num_iters, is_converged;
};
/// x = u h, where u has orthonormal columns and h is Hermitian and positive semidefinite: Halley's iteration with weights
/// that make it converge in some six steps, of QR decompositions first, then of Cholesky's.
///   Shapes    x[m, n], m >= n -> u[m, n], h[n, n], and two scalars
///   Types     f32, f64, c64, c128
///   Errors    INVALID_ARGUMENT for fewer rows than columns, other ranks, and max_iterations or eps that aren't positive;
///             UNIMPLEMENTED for dynamic_shape
///   Gradient  forward mode: the number of steps isn't known
///   Source    Nakatsukasa, Bai, Gygi, "Optimizing Halley's iteration for computing the matrix polar decomposition" (2010);
///             Nakatsukasa, Higham, "Stable and efficient spectral divide and conquer algorithms" (2013)
QdwhResult qdwh(const Operand& x, const QdwhOptions& options = {});

}  // namespace hilo::lax::linalg
