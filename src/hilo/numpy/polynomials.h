// SPDX-License-Identifier: Apache-2.0
// numpy/polynomials.h -- polynomials as vectors of coefficients, highest power first.
#pragma once

#include "hilo/numpy/dtypes.h"

namespace hilo::numpy {

/// Returns the coefficients of the polynomial with these roots, or the characteristic polynomial of a matrix.
Array poly(const Operand& seq_of_zeros);
/// Adds two polynomials.
Array polyadd(const Operand& a1, const Operand& a2);
/// Subtracts two polynomials.
Array polysub(const Operand& a1, const Operand& a2);
struct PolyOptions {
  bool trim_leading_zeros = false;
};
/// Multiplies two polynomials.
Array polymul(const Operand& a1, const Operand& a2, const PolyOptions& options = {});
/// Divides two polynomials; returns quotient and remainder.
std::pair<Array, Array> polydiv(const Operand& u, const Operand& v, const PolyOptions& options = {});
/// Returns the m-th derivative of a polynomial.
Array polyder(const Operand& p, int64_t m = 1);
/// Returns the m-th antiderivative of a polynomial; `k` holds the integration constants.
Array polyint(const Operand& p, int64_t m = 1, const std::optional<Array>& k = std::nullopt);
struct PolyvalOptions {
  int64_t unroll = 16;  ///< JAX's; no effect on the result
};
/// Evaluates a polynomial at x. The first axis of p holds the coefficients; its other axes broadcast with x.
/// Example    polyval(array({1, 0, 2}), 3)  // 11
Array polyval(const Operand& p, const Operand& x, const PolyvalOptions& options = {});
struct PolyfitOptions {
  std::optional<double> rcond = std::nullopt;
  std::optional<Array> w = std::nullopt;  ///< weights of the points
};
/// Fits a polynomial of degree `deg` to points by least squares.
Array polyfit(const Operand& x, const Operand& y, int64_t deg, const PolyfitOptions& options = {});
struct PolyfitResult {
  Array p;
  Array resids;  ///< sums of squared residuals, one for each column of y
  Array rank;    ///< rank of the scaled Vandermonde matrix
  Array s;       ///< singular values of the scaled Vandermonde matrix
  Array rcond;
};
/// Fits a polynomial and returns diagnostics. JAX's full=True.
PolyfitResult polyfit_full(const Operand& x, const Operand& y, int64_t deg, const PolyfitOptions& options = {});
struct PolyfitCovOptions {
  std::optional<double> rcond = std::nullopt;
  std::optional<Array> w = std::nullopt;
  const char* cov = "scaled";  ///< "scaled" by the residuals for each degree of freedom, or "unscaled"
};
struct PolynomialAndCovariance {
  Array p, V;
};
/// Fits a polynomial and returns the covariance of the coefficients. JAX's cov=True.
/// Shapes    covariance: [deg + 1, deg + 1], with a trailing axis for the columns of y
/// Errors    INVALID_ARGUMENT for "scaled", unless there are more points than coefficients
PolynomialAndCovariance polyfit_with_cov(const Operand& x, const Operand& y, int64_t deg,
                                         const PolyfitCovOptions& options = {});
struct RootsOptions {
  bool strip_zeros = true;  ///< whether leading zeros are removed; their number must be known
};
/// Returns the roots of a polynomial, as the eigenvalues of its companion matrix.
/// Types     complex
Array roots(const Operand& p, const RootsOptions& options = {});

}  // namespace hilo::numpy
