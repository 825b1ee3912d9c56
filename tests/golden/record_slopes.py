#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/slopes.npz: true values, slopes and slopes of slopes of elementwise functions, by mpmath.

One array a function, a row a point:
  one real argument      x, f, f', f''
  two real arguments     x, y, f, f_x, f_y, f_xx, f_xy, f_yy
  one complex argument   z, f, f', f''  (real and imaginary parts)
Points lie around zeros, poles, cuts and kinks, where functions saturate, at denormal and at the greatest numbers;
most of them are numbers of f32, many of bf16 and f16 too. Derivatives are central differences with as many digits as
it takes until two steps agree.
  python3 record_slopes.py            all functions; needs numpy and mpmath, takes some minutes
  python3 record_slopes.py NAME...    these alone, into the file that is there
"""
import multiprocessing, os, random, sys

import mpmath as mp
import numpy as np

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "slopes.npz")
INF = float("inf")
UNDER, OVER = mp.mpf(10) ** -345, mp.mpf(10) ** 320


class Nothing(Exception):
    """The function has no derivative there, or mpmath no digits."""


# ---- functions ------------------------------------------------------------------------------------------------------
sig = lambda x: 1 / (1 + mp.exp(-x))
phi = lambda x: mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)
Phi = lambda x: mp.erfc(-x / mp.sqrt(2)) / 2
pos = lambda x: x if x > 0 else _no()
softplus = lambda x: mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x))
logaddexp = lambda x, y: max(x, y) + mp.log1p(mp.exp(-abs(x - y)))
log2_ = lambda x: mp.log(x) / mp.log(2)
kSelu, kAlpha = mp.mpf("1.0507009873554804934"), mp.mpf("1.6732632423543772848")


def _no():
    raise Nothing


def erfcx(x):
    if x > 1000:  # asymptotic: mp.erfc is exact but slow
        total, term, n = mp.mpf(1), mp.mpf(1), 1
        while n < 400:
            new = -term * (2 * n - 1) / (2 * x * x)
            if abs(new) >= abs(term) or abs(new) < mp.mpf(10) ** -(mp.mp.dps + 5):
                break
            term = new
            total += term
            n += 1
        if abs(term) > mp.mpf(10) ** -(mp.mp.dps - 5) and abs(x) < 1e6:
            return mp.exp(x * x) * mp.erfc(x)
        return total / (x * mp.sqrt(mp.pi))
    return mp.exp(x * x) * mp.erfc(x)


def dawsn(x):
    a = abs(x)
    if a > 60:
        total, term, n = mp.mpf(1), mp.mpf(1), 1
        while n < 4000:
            new = term * (2 * n - 1) / (2 * x * x)
            if abs(new) >= abs(term) or abs(new) < mp.mpf(10) ** -(mp.mp.dps + 5):
                break
            term = new
            total += term
            n += 1
        if abs(term) > mp.mpf(10) ** -(mp.mp.dps - 5):
            return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)
        return total / (2 * x)
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def ie(order):
    def f(x):
        a = abs(x)
        if a > 1e4:  # DLMF 10.40.1
            total, term, k = mp.mpf(1), mp.mpf(1), 1
            while k < 2000:
                new = -term * (4 * order * order - (2 * k - 1) ** 2) / (8 * k * a)
                if abs(new) < mp.mpf(10) ** -(mp.mp.dps + 5):
                    break
                term = new
                total += term
                k += 1
            value = total / mp.sqrt(2 * mp.pi * a)
        else:
            value = mp.exp(-a) * mp.besseli(order, a)
        return value if order == 0 or x > 0 else -value
    return f


def ndtri(p):
    if p == 0.5:
        return mp.mpf(0)
    return -ndtri(1 - p) if p > 0.5 else mp.findroot(lambda y: mp.log(Phi(y)) - mp.log(p), start_ndtri(p))


def inverse(f, d1, d2, solve):
    """Value, slope and slope of slope of an inverse function, from its own function's."""
    def all_three(x):
        y = solve(x)
        s = 1 / d1(y)
        return y, s, -d2(y) * s ** 3
    return all_three


def solve_monotone(f, df, x, y):
    for _ in range(200):
        step = (f(y) - x) / df(y)
        y -= step
        if abs(step) <= abs(y) * mp.mpf(10) ** -(mp.mp.dps - 10):
            break
    return y


def erfinv3(x):
    if not -1 < x < 1:
        _no()
    with mp.workdps(mp.mp.dps + 20):
        if abs(x) < 0.9:
            y = solve_monotone(mp.erf, lambda y: 2 / mp.sqrt(mp.pi) * mp.exp(-y * y), x, mp.mpf(x) * 0.9)
        else:
            t = mp.log(1 - abs(x))
            y0 = mp.sqrt(-t)
            y = mp.sign(x) * solve_monotone(lambda y: mp.log(mp.erfc(y)),
                                            lambda y: -2 / mp.sqrt(mp.pi) * mp.exp(-y * y) / mp.erfc(y), t, y0)
        s = mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        return y, s, 2 * y * s * s


def ndtri3(p):
    if not 0 < p < 1:
        _no()
    with mp.workdps(mp.mp.dps + 20):
        q = p if p <= 0.5 else 1 - p
        t = mp.log(q)
        y = -mp.mpf(0) if p == 0.5 else solve_monotone(lambda y: mp.log(Phi(y)), lambda y: phi(y) / Phi(y), t,
                                                       -mp.sqrt(-2 * t) if q < 0.01 else (q - 0.5) * 2.5)
        if p > 0.5:
            y = -y
        s = 1 / phi(y)
        return y, s, y * s * s


def by_taylor(value, slope):
    """Where the slope is elementary: its slope by differences."""
    return ("slope", value, slope)


def power_of(p):
    return lambda x: (x if float(p).is_integer() else pos(x)) ** mp.mpf(p)


# name: (function, points around these, domain, kinks and poles, oscillates)
R, P = (-INF, INF), (0, INF)
UNARY = {
    "exp": (mp.exp, [0, 709.78, 88.72, -745, -103.9, 11, -17], R, []),
    "exp2": (lambda x: mp.mpf(2) ** x, [0, 1024, 128, -1074, -149, 16, -24, 1000.3, 15.7], R, []),
    "expm1": (mp.expm1, [0, 709.78, 88.72, -17, -37, -40, -745, -103], R, []),
    "log": (mp.log, [1], P, [0]),
    "log2": (log2_, [1], P, [0]),
    "log10": (mp.log10, [1], P, [0]),
    "log1p": (mp.log1p, [0, -1], (-1, INF), [-1]),
    "sqrt": (mp.sqrt, [1], P, [0]),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), [1], R, [0]),
    "square": (lambda x: x * x, [1], R, []),
    "reciprocal": (lambda x: 1 / x, [1], R, [0]),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), [1], P, [0]),
    "integer_pow_3": (lambda x: x ** 3, [1], R, []),
    "integer_pow_-3": (lambda x: x ** -3, [1], R, [0]),
    "power_2.5": (power_of(2.5), [1], P, [0]),
    "power_0.1": (power_of(0.1), [1], P, [0]),
    "power_-1.5": (power_of(-1.5), [1], P, [0]),
    "sin": (mp.sin, [0, 3.14159265, 1.5707963], (-1e9, 1e9), [], True),
    "cos": (mp.cos, [0, 3.14159265, 1.5707963], (-1e9, 1e9), [], True),
    "tan": (mp.tan, [0, 1.5707963, 3.14159265], (-1e9, 1e9), [], True),
    "sinc": (lambda x: mp.sincpi(x), [0, 1, 2, 10.5], (-1e9, 1e9), [], True),
    "arcsin": (mp.asin, [0, 1, -1], (-1, 1), [-1, 1]),
    "arccos": (mp.acos, [0, 1, -1], (-1, 1), [-1, 1]),
    "arctan": (mp.atan, [0, 1], R, []),
    "sinh": (mp.sinh, [0, 710, 88.9, -20], R, []),
    "cosh": (mp.cosh, [0, 710, 88.9, -20], R, []),
    "tanh": (mp.tanh, [0, 9, 19, -22, 40, 350, -300], R, []),
    "arcsinh": (mp.asinh, [0, 1, 1e8], R, []),
    "arccosh": (mp.acosh, [1, 2, 1e8], (1, INF), [1]),
    "arctanh": (mp.atanh, [0, 1, -1], (-1, 1), [-1, 1]),
    "sigmoid": (sig, [0, 17, 37, 88, 700, -17, -88, -700], R, []),
    "softplus": (softplus, [0, 17, 37, 88, 700, -17, -88, -700], R, []),
    "silu": (lambda x: x * sig(x), [0, 17, 37, 88, 700, -17, -88, -700], R, []),
    "gelu": (lambda x: x * Phi(x), [0, 6, -6, -13, -30, -37], R, []),
    "gelu_tanh": (lambda x: x * sig(2 * mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x ** 3)), [0, 4, -4, -8, -12], R, []),
    "elu": (lambda x: x if x > 0 else mp.expm1(x), [-17, -37, -88, -700], R, [0]),
    "celu": (lambda x: x if x > 0 else mp.expm1(x), [-17, -37, -88, -700], R, [0]),
    "selu": (lambda x: kSelu * (x if x > 0 else kAlpha * mp.expm1(x)), [-17, -37, -88, -700], R, [0]),
    "log_sigmoid": (lambda x: -softplus(-x), [0, 17, 37, 88, 700, -17, -88, -700], R, []),
    "mish": (lambda x: x * mp.tanh(softplus(x)), [0, 10, 20, -20, -80, -700], R, []),
    "squareplus": (lambda x: (x + mp.sqrt(x * x + 4)) / 2 if x > 0 else 2 / (mp.sqrt(x * x + 4) - x),
                   [0, 2, 1e8, -1e8, -4000], R, []),
    "soft_sign": (lambda x: x / (1 + abs(x)), [1, -1, 1e8, -1e8], R, [0]),
    "log1mexp": (lambda x: mp.log(-mp.expm1(-x)), [0.693147, 17, 37, 88, 700], P, [0]),
    "erf": (mp.erf, [0, 1, 4, 6, 10, 26], R, []),
    "erfc": (mp.erfc, [0, 1, 4, 6, 10, 26, -4], R, []),
    "erfinv": (erfinv3, [0, 0.5, 1, -1], (-1, 1), [-1, 1]),
    "erfcx": (by_taylor(erfcx, lambda x: 2 * x * erfcx(x) - 2 / mp.sqrt(mp.pi)), [0, 1, 2, 5, 12, 26, -5, -26], R, []),
    "dawsn": (by_taylor(dawsn, lambda x: 1 - 2 * x * dawsn(x)), [0, 0.9241388, 2, 5, 10], R, []),
    "ndtr": (Phi, [0, 1, 6, -6, -13, -37], R, []),
    "log_ndtr": (by_taylor(lambda x: mp.log(Phi(x)) if x > -100 else -x * x / 2 + mp.log(erfcx(-x / mp.sqrt(2)) / 2),
                           lambda x: phi(x) / Phi(x) if x > -100 else mp.sqrt(2 / mp.pi) / erfcx(-x / mp.sqrt(2))),
                 [0, -1, 5, 8, 13, -6, -13, -37], R, []),
    "ndtri": (ndtri3, [0.5, 0, 1], (0, 1), [0, 1]),
    "gammaln": (lambda x: mp.loggamma(x) if x < 1e17 else (x - 0.5) * mp.log(x) - x + mp.log(2 * mp.pi) / 2 + 1
                / (12 * x), [1, 2, 1.46], P, [0]),
    "digamma": (lambda x: mp.psi(0, x) if x < 1e17 else mp.log(x) - 1 / (2 * x), [1, 1.4616321], P, [0]),
    "i0e": (ie(0), [8, 24, 16], R, [0]),
    "i1e": (ie(1), [8, 24, 16], R, [0]),
    "i0": (lambda x: mp.besseli(0, x), [0, 2, 8, 713, 90], (-800, 800), []),
    "i1": (lambda x: mp.besseli(1, x), [0, 2, 8, 713, 90], (-800, 800), []),
    "expi": (by_taylor(mp.ei, lambda x: mp.exp(x) / x), [0, 40, 1, -1, 710, 88], (-800, 800), [0]),
    "exp1": (by_taylor(mp.e1, lambda x: -mp.exp(-x) / x), [0, 1, 88, 700], (0, 800), [0]),
    "spence": (by_taylor(lambda x: mp.re(mp.polylog(2, 1 - x)) if x < 1e3
                         else -mp.log(x - 1) ** 2 / 2 - mp.pi ** 2 / 6 - mp.polylog(2, 1 / (1 - x)),
                         lambda x: mp.log(x) / (1 - x) if x != 1 else mp.mpf(-1)), [0, 0.5, 1, 2], P, [0]),
    "logit": (lambda x: mp.log(x) - mp.log1p(-x), [0, 0.5, 1], (0, 1), [0, 1]),
    "entr": (lambda x: -x * mp.log(x), [1], P, [0]),
    "xlogx": (lambda x: x * mp.log(x), [1], P, [0]),
}
# Distributions at fixed shapes, and functions of more arguments along one of them.
def of_log(log):
    return lambda x: mp.exp(log(x))


def log_of(f):
    return lambda x: mp.log(f(x))


half = mp.mpf(1) / 2
cauchy_cdf = lambda x: mp.atan(-1 / x) / mp.pi if x < 0 else 1 - mp.atan(1 / x) / mp.pi if x > 0 else half
gumbel_l_cdf = lambda x: -mp.expm1(-mp.exp(x))
log_gamma_pdf = lambda a: lambda x: (a - 1) * mp.log(x) - x - mp.loggamma(a)
log_chi2_pdf = lambda x: half * mp.log(x) - x / 2 - mp.loggamma(mp.mpf(1.5)) - 1.5 * mp.log(2)
log_beta_pdf = lambda x: 1.5 * mp.log(x) + half * mp.log1p(-x) - mp.log(mp.beta(2.5, 1.5))
log_t_pdf = lambda x: mp.loggamma(2) - mp.loggamma(mp.mpf(1.5)) - mp.log(3 * mp.pi) / 2 - 2 * mp.log1p(x * x / 3)
truncated_mass = lambda: Phi(mp.mpf(2)) - Phi(mp.mpf(-1))
normal_sizes = [0, 1, 6, -6, -13, -37]


def lower_gamma(a, x):
    """Regularized; by its series to the left, where a difference would cancel."""
    if x > 1000:
        return 1 - upper_gamma(a, x)
    return mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1)) * mp.hyp1f1(1, a + 1, x)


def upper_gamma(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True) if x > 1 else 1 - lower_gamma(a, x)


def lower_beta(a, b, x):
    return x ** a / (a * mp.beta(a, b)) * mp.hyp2f1(a, 1 - b, a + 1, x) if x < 0.5 else 1 - lower_beta(b, a, 1 - x)


def log_slope(value, slope):
    """Of the logarithm of a function with an elementary slope."""
    return by_taylor(lambda x: mp.log(value(x)), lambda x: slope(x) / value(x))


mirrored = lambda f: lambda x: f(-x)
minus = lambda f: lambda x: -f(x)
log_ndtr_ = UNARY["log_ndtr"][0]
a52, a32 = mp.mpf(2.5), mp.mpf(1.5)
gamma_pdf, chi2_pdf, beta_pdf = of_log(log_gamma_pdf(a52)), of_log(log_chi2_pdf), of_log(log_beta_pdf)
U, POSITIVE = (0, 1), [1e-20, 0.5, 1, 5, 20, 90, 700]
DISTRIBUTIONS = {
    "norm.logpdf": (lambda x: -x * x / 2 - mp.log(2 * mp.pi) / 2, normal_sizes, R, []),
    "norm.pdf": (phi, normal_sizes, R, []),
    "norm.cdf": (Phi, normal_sizes, R, []),
    "norm.sf": (mirrored(Phi), [-x for x in normal_sizes], R, []),
    "norm.logcdf": (log_ndtr_, normal_sizes, R, []),
    "norm.logsf": (by_taylor(mirrored(log_ndtr_[1]), lambda x: -log_ndtr_[2](-x)), [-x for x in normal_sizes], R, []),
    "norm.ppf": (ndtri3, [0.5, 0, 1], U, [0, 1]),
    "expon.pdf": (lambda x: mp.exp(-x), POSITIVE, P, [0]),
    "expon.cdf": (lambda x: -mp.expm1(-x), POSITIVE, P, [0]),
    "expon.logcdf": (log_of(lambda x: -mp.expm1(-x)), POSITIVE + [37], P, [0]),
    "expon.ppf": (lambda x: -mp.log1p(-x), [0.5, 1], U, [0, 1]),
    "laplace.pdf": (lambda x: mp.exp(-abs(x)) / 2, [1, -1, 37, 700], R, [0]),
    "laplace.cdf": (lambda x: mp.exp(x) / 2 if x < 0 else 1 - mp.exp(-x) / 2, [1, -1, 37, 700], R, [0]),
    "logistic.logpdf": (lambda x: -abs(x) - 2 * mp.log1p(mp.exp(-abs(x))), [0, 17, 37, 700, -17, -37], R, []),
    "logistic.pdf": (lambda x: sig(x) * sig(-x), [0, 17, 37, 700, -17, -37], R, []),
    "logistic.cdf": (sig, [0, 17, 37, 700, -17, -37], R, []),
    "logistic.sf": (mirrored(sig), [0, 17, 37, 700, -17, -37], R, []),
    "logistic.ppf": (lambda x: mp.log(x) - mp.log1p(-x), [0.5, 0, 1], U, [0, 1]),
    "cauchy.logpdf": (lambda x: -mp.log(mp.pi) - mp.log1p(x * x), [0, 1, 1e8, -1e8], R, []),
    "cauchy.pdf": (lambda x: 1 / (mp.pi * (1 + x * x)), [0, 1, 1e8, -1e8], R, []),
    "cauchy.cdf": (cauchy_cdf, [0, 1, -1, 1e8, -1e8], R, [0]),
    "cauchy.logcdf": (log_of(cauchy_cdf), [0, 1, -1, 1e8, -1e8], R, [0]),
    "cauchy.sf": (mirrored(cauchy_cdf), [0, 1, -1, 1e8, -1e8], R, [0]),
    "cauchy.logsf": (log_of(mirrored(cauchy_cdf)), [0, 1, -1, 1e8, -1e8], R, [0]),
    "cauchy.ppf": (lambda x: -mp.cot(mp.pi * x), [0.5, 0, 1], U, [0, 1]),
    "gumbel_l.logpdf": (lambda x: x - mp.exp(x), [0, 5, 88, -37, -88], R, []),
    "gumbel_l.pdf": (lambda x: mp.exp(x - mp.exp(x)), [0, 4, 6, -37, -88, -700], (-INF, 12), []),
    "gumbel_l.cdf": (gumbel_l_cdf, [0, 3, 4, -37, -88, -700], (-INF, 12), []),
    "gumbel_l.logcdf": (log_of(gumbel_l_cdf), [0, 3, 4, -37, -88, -700], (-INF, 12), []),
    "gumbel_l.sf": (lambda x: mp.exp(-mp.exp(x)), [0, 4, 6, -37, -88, -700], (-INF, 12), []),
    "gumbel_l.logsf": (lambda x: -mp.exp(x), [0, 88, -37, -88, -700], R, []),
    "gumbel_l.ppf": (lambda x: mp.log(-mp.log1p(-x)), [0.5, 0, 1], U, [0, 1]),
    "gumbel_r.logpdf": (lambda x: -x - mp.exp(-x), [0, -5, -88, 37, 88], R, []),
    "gumbel_r.pdf": (lambda x: mp.exp(-x - mp.exp(-x)), [0, -4, -6, 37, 88, 700], (-12, INF), []),
    "gumbel_r.cdf": (lambda x: mp.exp(-mp.exp(-x)), [0, -4, -6, 37, 88, 700], (-12, INF), []),
    "gumbel_r.logcdf": (lambda x: -mp.exp(-x), [0, -88, 37, 88, 700], R, []),
    "gumbel_r.sf": (mirrored(gumbel_l_cdf), [0, -3, -4, 37, 88, 700], (-12, INF), []),
    "gumbel_r.logsf": (log_of(mirrored(gumbel_l_cdf)), [0, -3, -4, 37, 88, 700], (-12, INF), []),
    "gumbel_r.ppf": (lambda x: -mp.log(-mp.log(x)), [0.5, 0, 1], U, [0, 1]),
    "gamma.logpdf": (log_gamma_pdf(a52), POSITIVE, P, [0]),
    "gamma.pdf": (gamma_pdf, POSITIVE, P, [0]),
    "gamma.cdf": (by_taylor(lambda x: lower_gamma(a52, x), gamma_pdf), POSITIVE, (0, 800), [0]),
    "gamma.logcdf": (log_slope(lambda x: lower_gamma(a52, x), gamma_pdf), POSITIVE, (0, 800), [0]),
    "gamma.sf": (by_taylor(lambda x: upper_gamma(a52, x), minus(gamma_pdf)), POSITIVE, (0, 800), [0]),
    "gamma.logsf": (log_slope(lambda x: upper_gamma(a52, x), minus(gamma_pdf)), POSITIVE, (0, 800), [0]),
    "chi2.logpdf": (log_chi2_pdf, POSITIVE, P, [0]),
    "chi2.cdf": (by_taylor(lambda x: lower_gamma(a32, x / 2), chi2_pdf), POSITIVE, (0, 800), [0]),
    "chi2.sf": (by_taylor(lambda x: upper_gamma(a32, x / 2), minus(chi2_pdf)), POSITIVE, (0, 800), [0]),
    "t.logpdf": (log_t_pdf, [0, 1, 2, 1e8, -1e8], R, []),
    "t.pdf": (of_log(log_t_pdf), [0, 1, 2, 1e8, -1e8], R, []),
    "pareto.logpdf": (lambda x: mp.log(a32) - a52 * mp.log(x), [2, 10], (1, INF), [1]),
    "pareto.pdf": (lambda x: a32 * x ** -a52, [2, 10], (1, INF), [1]),
    "pareto.cdf": (lambda x: -mp.expm1(-a32 * mp.log(x)), [1, 2, 10], (1, INF), [1]),
    "pareto.logcdf": (lambda x: mp.log(-mp.expm1(-a32 * mp.log(x))), [1, 2, 10], (1, INF), [1]),
    "pareto.sf": (lambda x: x ** -a32, [1, 2, 10], (1, INF), [1]),
    "pareto.logsf": (lambda x: -a32 * mp.log(x), [1, 2, 10], (1, INF), [1]),
    "pareto.ppf": (lambda x: (1 - x) ** (-1 / a32), [0.5, 1], U, [0, 1]),
    "beta.logpdf": (log_beta_pdf, [0, 0.75, 1], U, [0, 1]),
    "beta.pdf": (beta_pdf, [0, 0.75, 1], U, [0, 1]),
    "beta.cdf": (by_taylor(lambda x: lower_beta(a52, a32, x), beta_pdf), [0, 0.5, 1], U, [0, 1]),
    "beta.logcdf": (log_slope(lambda x: lower_beta(a52, a32, x), beta_pdf), [0, 0.5, 1], U, [0, 1]),
    "beta.sf": (by_taylor(lambda x: lower_beta(a32, a52, 1 - x), minus(beta_pdf)), [0, 0.5, 1], U, [0, 1]),
    "beta.logsf": (log_slope(lambda x: lower_beta(a32, a52, 1 - x), minus(beta_pdf)), [0, 0.5, 1], U, [0, 1]),
    "truncnorm.logpdf": (lambda x: -x * x / 2 - mp.log(2 * mp.pi) / 2 - mp.log(truncated_mass()), [0, 1], (-1, 2), [-1, 2]),
    "truncnorm.pdf": (lambda x: phi(x) / truncated_mass(), [0, 1], (-1, 2), [-1, 2]),
    "truncnorm.cdf": (lambda x: (Phi(x) - Phi(mp.mpf(-1))) / truncated_mass(), [0, 1, -1, 2], (-1, 2), [-1, 2]),
    "truncnorm.logcdf": (lambda x: mp.log((Phi(x) - Phi(mp.mpf(-1))) / truncated_mass()), [0, 1, -1, 2], (-1, 2), [-1, 2]),
    "truncnorm.logsf": (lambda x: mp.log((Phi(mp.mpf(2)) - Phi(x)) / truncated_mass()), [0, 1, -1, 2], (-1, 2), [-1, 2]),
    "gennorm.logpdf": (lambda x: mp.log(mp.mpf(0.75)) - mp.loggamma(1 / a32) - abs(x) ** a32, [1, -1], R, [0]),
    "gennorm.pdf": (lambda x: mp.exp(mp.log(mp.mpf(0.75)) - mp.loggamma(1 / a32) - abs(x) ** a32), [1, -1, 20], R, [0]),
    "vonmises.logpdf": (lambda x: 2 * (mp.cos(x) - 1) - mp.log(2 * mp.pi * mp.exp(-2) * mp.besseli(0, 2)),
                        [0, 1, 3.14159265], (-1e9, 1e9), [], True),
    "wrapcauchy.logpdf": (lambda x: mp.log(mp.mpf(0.75)) - mp.log(2 * mp.pi) - mp.log(mp.mpf(1.25) - mp.cos(x)),
                          [0, 1, 3.14159265], (0, 6.2831), [0]),
}
ALONG = {
    "zeta along q": (by_taylor(lambda q: mp.zeta(2.5, q), lambda q: -2.5 * mp.zeta(3.5, q)), [1, 0.5], (0, 1e6), [0]),
    "polygamma 1": (by_taylor(lambda x: mp.psi(1, x), lambda x: mp.psi(2, x)), [1, 0.5, 20], (0, 1e12), [0]),
    "polygamma 3": (by_taylor(lambda x: mp.psi(3, x), lambda x: mp.psi(4, x)), [1, 0.5, 20], (0, 1e12), [0]),
    "hyp1f1 along x": (by_taylor(lambda x: mp.hyp1f1(1.5, 2.5, x), lambda x: mp.mpf(3) / 5 * mp.hyp1f1(2.5, 3.5, x)),
                       [0, 1, -1, 50, -50], (-300, 300), []),
    "expn 3": (by_taylor(lambda x: (mp.exp(-x) * (1 - x) + x * x * mp.e1(x)) / 2, lambda x: x * mp.e1(x) - mp.exp(-x)),
               [1, 2, 20, 88], (0, 700), [0]),
    "beta along a": (lambda a: mp.beta(a, a52), [1, 2.5, 10], (0, 1e4), [0]),
    "betaln along a": (lambda a: mp.log(mp.beta(a, a52)), [1, 2.5, 10], (0, 1e4), [0]),
    "multigammaln 2": (lambda a: mp.log(mp.pi) / 2 + mp.loggamma(a) + mp.loggamma(a - half), [1.5, 2, 2.2], (0.5, 1e16), [0.5]),
    "boxcox along x": (lambda x: (mp.sqrt(x) - 1) * 2, [1], P, [0]),
    "boxcox1p along x": (lambda x: (mp.sqrt(1 + x) - 1) * 2, [0], (-1, INF), [-1]),
    "gamma function": (lambda x: mp.gamma(x), [1, 1.46, 2, 171], (0, 171.6), [0]),
    "poch along z": (lambda z: mp.gammaprod([z + a32], [z]), [1, 2], (0, 1e6), [0]),
    "owens_t along h": (by_taylor(lambda h: mp.quad(lambda t: mp.exp(-h * h * (1 + t * t) / 2) / (1 + t * t),
                                                    [0, 0.25, 0.5]) / (2 * mp.pi),
                                  lambda h: -phi(h) * mp.erf(h / 2 / mp.sqrt(2)) / 2), [0, 1, 5], (-8, 8), []),
}
UNARY |= DISTRIBUTIONS | ALONG
UNARY = {k: (*v, False)[:5] for k, v in UNARY.items()}

SMALL_TO_LARGE = [1e-300, 1e-200, 1e-150, 1e-100, 1e-50, 1e-30, 1e-20, 1e-10, 1e-5, .01, .1, .5, 1, 1.5, 2, 3, 5, 10,
                  20, 50, 100, 1e3, 1e5, 1e10, 1e20, 1e30, 1e50, 1e100, 1e150, 1e200, 1e300]
BINARY = {
    "arctan2": lambda y, x: mp.atan2(y, x),
    "hypot": lambda x, y: mp.sqrt(x * x + y * y),
    "angle": lambda x, y: mp.atan2(y, x),
    "log_abs": lambda x, y: mp.log(x * x + y * y) / 2,
    "log1p_abs": lambda x, y: mp.log1p(mp.sqrt(x * x + y * y)),
    "sqrt_abs": lambda x, y: mp.sqrt(mp.sqrt(x * x + y * y)),
    "power": lambda x, y: pos(x) ** y if abs(y * mp.log(x)) < 1000 else _no(),
    "logaddexp": logaddexp,
    "logaddexp2": lambda x, y: max(x, y) + mp.log1p(mp.mpf(2) ** (-abs(x - y))) / mp.log(2),
    "divide": lambda x, y: x / y,
    "multiply": lambda x, y: x * y,
    "xlogy": lambda x, y: x * mp.log(pos(y)),
    "xlog1py": lambda x, y: x * mp.log1p(y) if y > -1 else _no(),
    "rel_entr": lambda x, y: pos(x) * mp.log(x / pos(y)),
    "kl_div": lambda x, y: pos(x) * mp.log(x / pos(y)) - x + y,
}
# Each with the points around which it is sampled.
COMPLEX = {
    "exp": (mp.exp, [0, 700, -700, 80]), "expm1": (mp.expm1, [0, -40, 80]), "log": (mp.log, [1, -1]),
    "log1p": (lambda z: mp.log(1 + z), [0, -1]),
    "sqrt": (mp.sqrt, [1, -4]), "rsqrt": (lambda z: 1 / mp.sqrt(z), [1, -4]), "reciprocal": (lambda z: 1 / z, [1]),
    "square": (lambda z: z * z, [1]),
    "sin": (mp.sin, [0, 3, 20j]), "cos": (mp.cos, [0, 3, 20j]), "tan": (mp.tan, [0, 1, 20j, -40j]),
    "sinh": (mp.sinh, [0, 20]), "cosh": (mp.cosh, [0, 20]),
    "tanh": (mp.tanh, [0, 1, 20, -40, 300]), "arcsin": (mp.asin, [0, 1, -1]), "arccos": (mp.acos, [0, 1, -1]),
    "arctan": (mp.atan, [0, 1j, -1j]),
    "arcsinh": (mp.asinh, [0, 1j, -1j]), "arccosh": (mp.acosh, [0, 1, -1]), "arctanh": (mp.atanh, [0, 1, -1]),
    "sigmoid": (sig, [0, 20, -40, 300, -600]),
    "power_2.5": (lambda z: mp.exp(mp.mpf(2.5) * mp.log(z)), [1, -1]), "power_3": (lambda z: z ** 3, [1]), "power_-2": (lambda z: z ** -2, [1]),
}


# ---- points ---------------------------------------------------------------------------------------------------------
def in_type(x, kind):
    with np.errstate(all="ignore"):
        if kind == "bf16":
            bits = np.array([x], np.float32).view(np.uint32)
            return float(((bits + 0x8000) & 0xFFFF0000).astype(np.uint32).view(np.float32)[0])
        return float({"f16": np.float16, "f32": np.float32}[kind](x))


def line(name, around, domain, kinks, count=200):
    """Points of all sizes, those around `around` ever nearer, in the domain and off the kinks."""
    r = random.Random("slopes " + name)
    out = []
    for k in list(range(-9, 10)) * (2 if domain[0] < 0 else 5) + [-126, -120, -100, -80, -64, -50, -40, -30, -24, -20,
                                                                  -14, -12, 12, 14, 20, 24, 30, 40, 50, 64, 80, 100,
                                                                  120, 126]:
        for s in (1, -1):
            out.append(s * in_type((1 + r.randrange(128) / 128) * 2.0 ** k, "bf16"))
    for k in (-1070, -1040, -1022, -1000, -800, -600, -500, -400, -300, -200, 200, 300, 400, 500, 511, 600, 800, 1000,
              1023):
        for s in (1, -1):
            out.append(s * (1 + r.random()) * 2.0 ** k if k > -1023
                       else s * r.randrange(1, 100) * 2.0 ** -1074 * 2.0 ** (k + 1074))
    for s in (1, -1):
        out += [s * r.randrange(1, 60) * 2.0 ** -149, s * r.randrange(1000, 9000) * 2.0 ** -149,
                s * in_type(3.3e38, "f32"), s * 1.7e308]
    for c in around:
        for k in (1, 2, 3, 5, 7, 10, 14, 19, 23):
            for s in (1, -1):
                step = s * (1 + r.random()) * 2.0 ** -k * max(1.0, abs(c) if abs(c) > 16 else 1.0)
                out.append(in_type(c + step, "f32" if k > 5 else "bf16"))
        for k in (30, 40, 48, 51):
            for s in (1, -1):
                out.append(c + s * (1 + r.random()) * 2.0 ** -k * max(1.0, abs(c)))
    for s in (1, -1):  # where most arguments are
        out += [in_type(s * r.random() * 8, "f16") for _ in range(12)]
    if domain[1] - domain[0] <= 2:
        out += [in_type(domain[0] + r.random() * (domain[1] - domain[0]), "f32") for _ in range(60)]
        out += [in_type(domain[0] + r.random() * (domain[1] - domain[0]), "bf16") for _ in range(40)]
    out = [x for x in dict.fromkeys(out) if domain[0] < x < domain[1] and x not in kinks and x == x and abs(x) != INF]
    r.shuffle(out)
    return sorted(out[:count])


def plane(name, count=180):
    r = random.Random("slopes " + name)
    out = []
    positive = name in ("power", "rel_entr", "kl_div")
    while len(out) < count:
        kind = r.randrange(6)
        pick = lambda: r.choice(SMALL_TO_LARGE) * (1 + r.random())
        if kind == 0:
            x, y = pick(), pick()
        elif kind == 1:
            x = pick()
            y = x * (1 + r.uniform(-1, 1) * r.choice([.5, 1e-3]))
        else:
            x, y = r.uniform(.01, 30), r.uniform(.01, 30)
        if name in ("power", "logaddexp", "logaddexp2", "xlog1py") or not positive:
            y *= r.choice([1, -1])
        if not positive:
            x *= r.choice([1, -1])
        if name.startswith("logaddexp") and kind == 0:
            x, y = r.uniform(-700, 700), r.uniform(-700, 700)
        if name == "xlogy":
            y = abs(y)
        if kind in (2, 3) or (kind == 0 and abs(x) < 1e38 and abs(y) < 1e38 and abs(x) > 1e-38 and abs(y) > 1e-38):
            x, y = in_type(x, "f32"), in_type(y, "f32")
        if kind in (4, 5):
            x, y = in_type(x, "f16"), in_type(in_type(y, "bf16"), "f16")
        if 0 < abs(x) < INF and 0 < abs(y) < INF:
            out.append((x, y))
    return out


def disc(name, around, count=110):
    r = random.Random("slopes complex " + name)
    out = []
    for c in around:
        for k in (-2, -1, 0, 1, 2, 4, 7, 12, 20, 26):
            for _ in range(2):
                z = complex(c) + complex(r.uniform(-1, 1), r.uniform(-1, 1)) * 2.0 ** -k
                out.append(complex(in_type(z.real, "f32"), in_type(z.imag, "f32")))
    for k in (-1000, -600, -300, -120, -60, -30, -10, -3, 0, 1, 2, 3, 10, 30, 60, 120, 300, 600, 1000):
        for _ in range(3):
            z = complex(r.uniform(-1, 1), r.uniform(-1, 1)) * 2.0 ** k
            out.append(complex(in_type(z.real, "f32"), in_type(z.imag, "f32")) if -121 < k < 121 else z)
    r.shuffle(out)
    return [z for z in out if z.real and z.imag][:count]


# ---- derivatives ----------------------------------------------------------------------------------------------------
def settle(compute):
    """compute() with ever more digits until two results agree, or there is nothing to hold them."""
    before = None
    for digits in (60, 120, 240, 480, 960, 1900):
        with mp.workdps(digits):
            now = compute(digits)
        if before is not None and all(same(a, b) for a, b in zip(now, before)):
            # Differences that are lost in a value are nothing twice; where they are really nothing they stay so.
            if digits == 1900 or all(mp.re(v) != 0 and (not isinstance(v, mp.mpc) or mp.im(v) != 0) for v in now):
                return now
        before = now
    raise Nothing


def same(a, b):
    for p, q in ((mp.re(a), mp.re(b)), (mp.im(a), mp.im(b))):
        if abs(p - q) > abs(p) * mp.mpf(10) ** -19 and not (abs(p) < UNDER
                                                            and abs(q)
                                                            < UNDER) and not (abs(p) > OVER and abs(q) > OVER):
            return False
    return True


def as_double(v):
    v = mp.mpf(v)
    if abs(v) > mp.mpf("1.7976931348623158e308"):
        return INF if v > 0 else -INF
    return float(v)


def derivatives(f, x, kinks, oscillates):
    x = mp.mpf(x)

    def compute(digits):
        size = abs(x) if x and (abs(x) < 1 or (abs(x) > 1e4 and not oscillates)) else mp.mpf(1)
        size = min([size] + [abs(x - k) for k in kinks])
        h = size * mp.mpf(10) ** -(digits // 4)
        if isinstance(f, tuple):
            _, value, slope = f
            return value(x), slope(x), (slope(x + h) - slope(x - h)) / (2 * h)
        low, middle, high = f(x - h), f(x), f(x + h)
        return middle, (high - low) / (2 * h), (high - 2 * middle + low) / (h * h)

    return settle(compute)


def one(name):
    f, around, domain, kinks, oscillates = UNARY[name]
    rows = []
    for x in line(name, around, domain, kinks):
        try:
            if f in (erfinv3, ndtri3):
                values = settle(lambda digits: f(mp.mpf(x)))
            else:
                values = derivatives(f, x, kinks, oscillates)
            known = [as_double(v) for v in values]
            if abs(x) < 1e-290 and known[2] == 0:
                known[2] = float("nan")  # more digits than there were
            rows.append([x] + known)
        except (Nothing, ValueError, ZeroDivisionError, mp.libmp.NoConvergence, OverflowError):
            continue
    return name, np.array(rows)


def two(name):
    f = BINARY[name]
    rows = []
    for a, b in plane(name):
        x, y = mp.mpf(a), mp.mpf(b)

        def compute(digits):
            step = mp.mpf(10) ** -(digits // 4)
            hx, hy = (min(abs(v), abs(v) if abs(v) > 1e4 else 1) * step for v in (x, y))
            at = lambda i, j: f(x + i * hx, y + j * hy)
            m, r, l, u, d = at(0, 0), at(1, 0), at(-1, 0), at(0, 1), at(0, -1)
            cross = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * hx * hy)
            return m, (r - l) / (2 * hx), (u - d) / (2 * hy), (r - 2 * m
                                                               + l) / hx ** 2, cross, (u - 2 * m + d) / hy ** 2

        try:
            rows.append([a, b] + [as_double(v) for v in settle(compute)])
        except (Nothing, ValueError, ZeroDivisionError, OverflowError):
            continue
    return name, np.array(rows)


def whole(name):
    f, around = COMPLEX[name]
    rows = []
    for z0 in disc(name, around):
        z = mp.mpc(z0.real, z0.imag)

        def compute(digits):
            h = min(abs(z), abs(z) if abs(z) > 1e4 else mp.mpf(1)) * mp.mpf(10) ** -(digits // 4)
            low, middle, high = f(z - h), f(z), f(z + h)
            return middle, (high - low) / (2 * h), (high - 2 * middle + low) / (h * h)

        try:
            rows.append([z0.real, z0.imag] + [as_double(p) for v in settle(compute) for p in (mp.re(v), mp.im(v))])
        except (Nothing, ValueError, ZeroDivisionError, OverflowError):
            continue
    return "complex " + name, np.array(rows)


def work(job):
    kind, name = job
    key, rows = {"one": one, "two": two, "whole": whole}[kind](name)
    print(key, rows.shape, file=sys.stderr, flush=True)
    return key, rows


def main():
    jobs = [("one", n) for n in UNARY] + [("two", n) for n in BINARY] + [("whole", n) for n in COMPLEX]
    tables = {}
    if len(sys.argv) > 1:
        tables = dict(np.load(PATH))
        jobs = [j for j in jobs if ("complex " if j[0] == "whole" else "") + j[1] in sys.argv[1:]]
    with multiprocessing.Pool(int(os.environ.get("JOBS", "2"))) as pool:
        for key, rows in pool.imap_unordered(work, jobs):
            tables[key] = rows
    np.savez_compressed(PATH, **{k: tables[k] for k in sorted(tables)})


if __name__ == "__main__":
    main()
