// SPDX-License-Identifier: Apache-2.0
// scipy/linalg/special_matrices.h -- special matrices, by their names in jax.scipy.linalg. Leading axes are batches.
#pragma once

#include "hilo/numpy/dtypes.h"

namespace hilo::scipy::linalg {

/// Places matrices along the diagonal, with zeros elsewhere. Vectors are rows; scalars are 1 x 1.
/// Errors    INVALID_ARGUMENT for more than two dimensions
Array block_diag(const std::vector<Array>& arrs, numpy::Line line = numpy::Line::current());
template <typename... Arrays>
  requires(std::convertible_to<Arrays, Array> && ...)
Array block_diag(const Arrays&... arrs) {
  return block_diag(std::vector<Array>{Array(arrs)...});
}
/// Returns a matrix with constant diagonals: first column c, first row r (default conj(c)). The first element of r is
/// ignored.
Array toeplitz(const Operand& c, const std::optional<Array>& r = std::nullopt);
/// Returns a matrix with constant antidiagonals: first column c, last row r (default zeros). The first element of r is
/// ignored.
Array hankel(const Operand& c, const std::optional<Array>& r = std::nullopt);
/// Returns a matrix whose columns are c, rotated by one more position each.
Array circulant(const Operand& c);
/// Returns the companion matrix of polynomial coefficients.
/// Errors    INVALID_ARGUMENT for fewer than two coefficients
Array companion(const Operand& a);
/// Returns the Fiedler companion matrix, with bandwidth two.
/// Source    Fiedler, "A note on companion matrices" (2003)
Array fiedler_companion(const Operand& a);
/// Returns the matrix of |a_i - a_j|.
Array fiedler(const Operand& a);
/// Returns the Leslie matrix: birth rates f[n] in the first row, survival rates s[n - 1] below the diagonal.
Array leslie(const Operand& f, const Operand& s);
struct ConvolutionMatrixOptions {
  const char* mode = "full";  ///< "full", "valid" or "same"
};
/// Returns the matrix A with A v = convolve(a, v, mode) for v[n].
Array convolution_matrix(const Operand& a, int64_t n, const ConvolutionMatrixOptions& options = {});

/// Returns the Hilbert matrix 1 / (i + j + 1).
Array hilbert(int64_t n, numpy::Line line = numpy::Line::current());
/// Returns the inverse of the Hilbert matrix.
Array invhilbert(int64_t n, numpy::Line line = numpy::Line::current());
struct PascalOptions {
  const char* kind = "symmetric";  ///< "symmetric", "lower" or "upper"
};
/// Returns the Pascal matrix of binomial coefficients.
Array pascal(int64_t n, const PascalOptions& options = {}, numpy::Line line = numpy::Line::current());
/// Returns the inverse of the Pascal matrix.
Array invpascal(int64_t n, const PascalOptions& options = {}, numpy::Line line = numpy::Line::current());
struct HelmertOptions {
  bool full = false;  ///< whether to include the first row, of equal elements
};
/// Returns the Helmert matrix, whose rows are orthonormal contrasts.
Array helmert(int64_t n, const HelmertOptions& options = {}, numpy::Line line = numpy::Line::current());
struct HadamardOptions {
  numpy::Dtype dtype = std::nullopt;
};
/// Returns the Hadamard matrix.
/// Errors    INVALID_ARGUMENT unless n is a power of 2
Array hadamard(int64_t n, const HadamardOptions& options = {}, numpy::Line line = numpy::Line::current());
struct DftOptions {
  const char* scale = nullptr;  ///< divisor: "n" or "sqrtn"
  numpy::Dtype dtype = std::nullopt;
};
/// Returns the complex matrix of the discrete Fourier transform.
Array dft(int64_t n, const DftOptions& options = {}, numpy::Line line = numpy::Line::current());

}  // namespace hilo::scipy::linalg
