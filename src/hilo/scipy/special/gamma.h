// SPDX-License-Identifier: Apache-2.0
// scipy/special/gamma.h -- the gamma function and related functions. Operands broadcast, and integers become floats.
#pragma once

#include "hilo/numpy/dtypes.h"

namespace hilo::scipy::special {

/// Computes the gamma function, also for complex arguments; NaN at the poles.
/// Source    DLMF 5.2, 5.11; for complex arguments Lanczos, "A precision approximation of the gamma function" (1964)
/// Example   gamma(numpy::array({1.0, 5.0})).round(3)  // [ 1. 24.]
Array gamma(const Operand& x);
/// Computes log |gamma(x)|.
/// Example    gammaln(numpy::array({3.0, 10.0})).round(3)  // [ 0.693 12.802]
Array gammaln(const Operand& x);
/// Computes the continuous branch of log(gamma(x)); NaN for real x below 0.
Array loggamma(const Operand& x);
/// Returns the sign of gamma(x); NaN where it is undefined.
Array gammasgn(const Operand& x);
/// Computes the derivative of log(gamma(x)).
Array digamma(const Operand& x);
/// Computes the n-th derivative of digamma.
/// Errors    INVALID_ARGUMENT for n that is not an integer
Array polygamma(const Operand& n, const Operand& x);
/// Computes the multivariate log gamma function of dimension d.
Array multigammaln(const Operand& a, int64_t d);
/// Computes the Hurwitz zeta function: the sum of (k + q)^-x over k = 0, 1, ...
Array zeta(const Operand& x, const Operand& q);
struct FactorialOptions {
  bool exact = false;  ///< true is rejected, as in JAX
};
/// Computes gamma(n + 1); 0 for negative n.
/// Errors    UNIMPLEMENTED for exact = true
Array factorial(const Operand& n, const FactorialOptions& options = {});
struct CombOptions {
  bool repetition = false;
};
/// Computes the binomial coefficient: the number of ways to choose k of N.
Array comb(const Operand& N, const Operand& k, const CombOptions& options = {});
/// Computes the Pochhammer symbol gamma(z + m) / gamma(z).
Array poch(const Operand& z, const Operand& m);
/// Computes the beta function gamma(a) gamma(b) / gamma(a + b).
Array beta(const Operand& a, const Operand& b);
/// Computes log |beta(a, b)|.
Array betaln(const Operand& a, const Operand& b);
/// Computes the regularized incomplete beta function; see lax::betainc.
Array betainc(const Operand& a, const Operand& b, const Operand& x);
/// Computes the regularized lower incomplete gamma function.
Array gammainc(const Operand& a, const Operand& x);
/// Computes the regularized upper incomplete gamma function.
Array gammaincc(const Operand& a, const Operand& x);
/// Returns the Bernoulli numbers B0, ..., Bn, with B1 = -1/2.
Array bernoulli(int64_t n, numpy::Line line = numpy::Line::current());

}  // namespace hilo::scipy::special
