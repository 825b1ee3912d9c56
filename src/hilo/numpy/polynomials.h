// SPDX-License-Identifier: Apache-2.0
// numpy/polynomials.h -- polynomials as vectors of coefficients, the highest power first.
#pragma once

#include "hilo/numpy/dtypes.h"

namespace hilo::numpy {

/// The polynomial with these roots, or the characteristic one of a matrix.
Array poly(const Operand& seq_of_zeros);
Array polyadd(const Operand& a1, const Operand& a2);
Array polysub(const Operand& a1, const Operand& a2);
struct PolyOptions {
  bool trim_leading_zeros = false;
};
Array polymul(const Operand& a1, const Operand& a2, const PolyOptions& options = {});
/// Quotient and remainder.
std::pair<Array, Array> polydiv(const Operand& u, const Operand& v, const PolyOptions& options = {});
Array polyder(const Operand& p, int64_t m = 1);
/// The m-th integral; k are the constants.
Array polyint(const Operand& p, int64_t m = 1, const std::optional<Array>& k = std::nullopt);
struct PolyvalOptions {
  int64_t unroll = 16;  ///< JAX's; the result is the same
};
/// The first axis of p are the coefficients; the others broadcast with x.
Array polyval(const Operand& p, const Operand& x, const PolyvalOptions& options = {});
struct PolyfitOptions {
  std::optional<double> rcond = std::nullopt;
  std::optional<Array> w = std::nullopt;  ///< weights
};
/// The polynomial of degree `deg` nearest to the points.
Array polyfit(const Operand& x, const Operand& y, int64_t deg, const PolyfitOptions& options = {});
struct PolyfitResult {
  Array p;
  Array resids;  ///< sums of squares of what is left, one a column of y
  Array rank;    ///< of the scaled Vandermonde matrix
  Array s;       ///< its singular values
  Array rcond;
};
/// polyfit(..., full=True).
PolyfitResult polyfit_full(const Operand& x, const Operand& y, int64_t deg, const PolyfitOptions& options = {});
struct PolyfitCovOptions {
  std::optional<double> rcond = std::nullopt;
  std::optional<Array> w = std::nullopt;
  const char* cov = "scaled";  ///< by what is left a degree of freedom, or "unscaled"
};
struct PolynomialAndCovariance {
  Array p, V;
};
/// polyfit(..., cov=True): also the covariance of the coefficients, [deg + 1, deg + 1], one behind the other a column of y.
/// Errors    INVALID_ARGUMENT, scaled, unless there are more points than coefficients
PolynomialAndCovariance polyfit_with_cov(const Operand& x, const Operand& y, int64_t deg,
                                         const PolyfitCovOptions& options = {});
struct RootsOptions {
  bool strip_zeros = true;  ///< leading zeros, whose number must be known
};
/// Complex, as the eigenvalues of the companion matrix.
Array roots(const Operand& p, const RootsOptions& options = {});

}  // namespace hilo::numpy
