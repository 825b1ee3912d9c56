// SPDX-License-Identifier: Apache-2.0
// scipy/special/gamma.h -- the gamma function and its relatives. Operands broadcast and become floats.
#pragma once

#include "hilo/numpy/dtypes.h"

namespace hilo::scipy::special {

/// Complex arguments too. NaN at the poles.
/// Source    DLMF 5.2, 5.11; for complex arguments Lanczos, "A precision approximation of the gamma function" (1964)
Array gamma(const Operand& x);
/// log |gamma(x)|
Array gammaln(const Operand& x);
/// log(gamma(x)) without a jump; NaN for real x below 0.
Array loggamma(const Operand& x);
/// The sign of gamma(x), NaN where there is none.
Array gammasgn(const Operand& x);
Array digamma(const Operand& x);
/// The n-th derivative of digamma. Errors    INVALID_ARGUMENT for n that isn't an integer
Array polygamma(const Operand& n, const Operand& x);
/// The multivariate log gamma function of dimension d.
Array multigammaln(const Operand& a, int64_t d);
/// sum of (k + q)^-x over k = 0, 1, ...
Array zeta(const Operand& x, const Operand& q);
struct FactorialOptions {
  bool exact = false;  ///< true is refused, as in JAX
};
/// gamma(n + 1), 0 for negative n. Errors    UNIMPLEMENTED with exact
Array factorial(const Operand& n, const FactorialOptions& options = {});
struct CombOptions {
  bool repetition = false;
};
/// How many ways to choose k of N.
Array comb(const Operand& N, const Operand& k, const CombOptions& options = {});
/// gamma(z + m) / gamma(z)
Array poch(const Operand& z, const Operand& m);
Array beta(const Operand& a, const Operand& b);
/// log |beta(a, b)|
Array betaln(const Operand& a, const Operand& b);
/// The regularised incomplete beta function: lax::betainc.
Array betainc(const Operand& a, const Operand& b, const Operand& x);
/// The regularised incomplete gamma functions, lower and upper.
Array gammainc(const Operand& a, const Operand& x);
Array gammaincc(const Operand& a, const Operand& x);
/// The Bernoulli numbers B0, ..., Bn, with B1 = -1/2.
Array bernoulli(int64_t n, numpy::Line line = numpy::Line::current());

}  // namespace hilo::scipy::special
