// SPDX-License-Identifier: Apache-2.0
// scipy/linalg/special_matrices.h -- matrices of a pattern, by their names in jax.scipy.linalg. Axes in front are batches.
#pragma once

#include "hilo/numpy/dtypes.h"

namespace hilo::scipy::linalg {

/// Matrices along the diagonal, zeros elsewhere; vectors are rows, scalars 1 x 1.
/// Errors    INVALID_ARGUMENT for more than two dimensions
Array block_diag(const std::vector<Array>& arrs, numpy::Line line = numpy::Line::current());
template <typename... Arrays>
  requires(std::convertible_to<Arrays, Array> && ...)
Array block_diag(const Arrays&... arrs) {
  return block_diag(std::vector<Array>{Array(arrs)...});
}
/// Constant along diagonals: first column c, first row r (by default conj(c)), whose first element isn't looked at.
Array toeplitz(const Operand& c, const std::optional<Array>& r = std::nullopt);
/// Constant against diagonals: first column c, last row r (by default zeros), whose first element isn't looked at.
Array hankel(const Operand& c, const std::optional<Array>& r = std::nullopt);
/// Each column is the one before, turned by one.
Array circulant(const Operand& c);
/// Of a polynomial's coefficients. Errors    INVALID_ARGUMENT for fewer than two
Array companion(const Operand& a);
/// The same with bandwidth two. Source    Fiedler, "A note on companion matrices" (2003)
Array fiedler_companion(const Operand& a);
/// |a_i - a_j|
Array fiedler(const Operand& a);
/// Birth rates f[n] in the first row, survival rates s[n - 1] below the diagonal.
Array leslie(const Operand& f, const Operand& s);
struct ConvolutionMatrixOptions {
  const char* mode = "full";  ///< or valid, same
};
/// The matrix A of A v = convolve(a, v, mode) for v[n].
Array convolution_matrix(const Operand& a, int64_t n, const ConvolutionMatrixOptions& options = {});

/// 1 / (i + j + 1), and its inverse.
Array hilbert(int64_t n, numpy::Line line = numpy::Line::current());
Array invhilbert(int64_t n, numpy::Line line = numpy::Line::current());
struct PascalOptions {
  const char* kind = "symmetric";  ///< or lower, upper
};
/// Of binomial coefficients, and its inverse.
Array pascal(int64_t n, const PascalOptions& options = {}, numpy::Line line = numpy::Line::current());
Array invpascal(int64_t n, const PascalOptions& options = {}, numpy::Line line = numpy::Line::current());
struct HelmertOptions {
  bool full = false;  ///< with the first row, of equal elements
};
Array helmert(int64_t n, const HelmertOptions& options = {}, numpy::Line line = numpy::Line::current());
struct HadamardOptions {
  numpy::Dtype dtype = std::nullopt;
};
/// Errors    INVALID_ARGUMENT unless n is a power of 2
Array hadamard(int64_t n, const HadamardOptions& options = {}, numpy::Line line = numpy::Line::current());
struct DftOptions {
  const char* scale = nullptr;  ///< divided by "n", or by "sqrtn"
  numpy::Dtype dtype = std::nullopt;
};
/// The matrix of the discrete Fourier transform, complex.
Array dft(int64_t n, const DftOptions& options = {}, numpy::Line line = numpy::Line::current());

}  // namespace hilo::scipy::linalg
