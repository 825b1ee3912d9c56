# SPDX-License-Identifier: Apache-2.0
"""record_scipy.py FILE -- what jax 0.10.2 gives for calls of jax.scipy, for tests/scipy/golden_test.cc. Each row is C++; the
Python call follows from it. A row that begins with "d " is the derivative of the call in its first argument."""
import re
import sys

import jax
import jax.numpy as jnp
import jax.scipy.cluster.vq
import jax.scipy.sparse.linalg
import numpy as np

INPUTS = {
    "x": np.array([0.25, 1.5, 3.0, -1.75, 6.5], np.float32),
    "p": np.array([0.125, 0.5, 0.75, 0.9, 0.01], np.float32),
    "a": np.array([0.5, 2.0, 3.5, 1.25, 7.0], np.float32),
    "b": np.array([1.5, 0.75, 2.0, 4.0, 2.5], np.float32),
    "k": np.array([0.0, 1.0, 3.0, 2.0, 5.0], np.float32),
    "m": np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]], np.float32),
    "g": np.array([[1.0, 2.0, 0.0], [-0.5, 0.25, 1.0], [0.75, 0.0, 0.5]], np.float32),
    "v": np.array([1.0, -2.0, 0.5], np.float32),
    "s": np.array([[1.0, 2.0, 0.5, -1.0, 3.0, 0.25]], np.float32),
}
ONE = "gamma gammaln digamma gammasgn erf erfc erfcx dawsn ndtr log_ndtr i0 i0e i1 i1e expit expi".split()
POSITIVE = "gamma gammaln digamma factorial exp1 spence logit entr".split()
TWO = "beta betaln xlogy xlog1py rel_entr kl_div boxcox boxcox1p gammainc gammaincc zeta poch owens_t".split()
LOC = {"norm": "pdf logpdf cdf logcdf sf logsf", "expon": "pdf logpdf cdf logcdf sf logsf", "laplace": "pdf logpdf cdf",
       "logistic": "pdf logpdf cdf sf", "cauchy": "pdf logpdf cdf logcdf sf logsf", "uniform": "pdf logpdf cdf",
       "gumbel_l": "pdf logpdf cdf logcdf sf logsf", "gumbel_r": "pdf logpdf cdf logcdf sf logsf"}
SHAPE = {"gamma": "pdf logpdf cdf logcdf sf logsf", "chi2": "pdf logpdf cdf logcdf sf logsf", "t": "pdf logpdf",
         "pareto": "pdf logpdf cdf logcdf sf logsf"}


def rows() -> list[str]:
    out = [f"special::{f}(x)" for f in ONE] + [f"special::{f}(p)" for f in POSITIVE] + [f"special::{f}(a, p)" for f in TWO]
    out += [f"d special::{f}(x)" for f in ONE if f not in ("gammasgn",)] + [f"d special::{f}(p)" for f in POSITIVE]
    out += [f"d special::{f}(p, a)" for f in TWO if f not in ("gammainc", "gammaincc", "zeta")]
    out += ["special::betainc(a, b, p)", "special::erfinv(p)", "special::ndtri(p)", "d special::ndtri(p)", "special::expn(2, p)",
            "special::polygamma(2, a)", "special::multigammaln(a + 1, 2)", "special::comb(a + 2, 2)", "special::bernoulli(8)",
            "special::logsumexp(x)", "special::softmax(x)", "special::log_softmax(x)", "special::bessel_jn(a, {.v = 3})",
            "special::sici(x).si", "special::sici(a).ci", "special::fresnel(x).s", "special::fresnel(x).c"]
    for space, names in LOC.items():
        out += [f"stats::{space}::{name}(x, 0.5, 2.0)" for name in names.split()]
    for space, names in SHAPE.items():
        out += [f"stats::{space}::{name}(x, a)" for name in names.split()]
    out += [f"stats::beta::{name}(p, a, b)" for name in "pdf logpdf cdf logcdf sf logsf".split()]
    out += [f"stats::truncnorm::{name}(p, -1.0, 2.0)" for name in "pdf logpdf cdf logcdf sf logsf".split()]
    out += [f"stats::{space}::ppf(p, 0.5, 2.0)" for space in "norm uniform expon logistic cauchy gumbel_l gumbel_r".split()]
    out += ["stats::gennorm::pdf(x, a)", "stats::gennorm::cdf(x, a)", "stats::vonmises::pdf(x, a)", "stats::wrapcauchy::pdf(a, 0.5)",
            "stats::bernoulli::pmf(k, 0.25)", "stats::binom::pmf(k, 6, 0.25)", "stats::poisson::pmf(k, a)", "stats::poisson::cdf(k, a)",
            "stats::geom::pmf(k, 0.25)", "stats::nbinom::pmf(k, a, 0.25)", "stats::betabinom::pmf(k, 6, a, b)", "stats::poisson::entropy(a)",
            "stats::multivariate_normal::pdf(v, v * 0, m)", "stats::sem(x)", "stats::rankdata(k)", "stats::gaussian_kde(x).pdf(p)"]
    out += ["linalg::expm(g)", "linalg::toeplitz(v, v * 2)", "linalg::hankel(v)", "linalg::circulant(v)", "linalg::companion(v)",
            "linalg::fiedler(v)", "linalg::leslie(v, v[range(0, 2)])", "linalg::hilbert(3)", "linalg::invhilbert(3)", "linalg::pascal(4)",
            "linalg::helmert(3)", "linalg::hadamard(4)", "linalg::convolution_matrix(v, 4)", "linalg::block_diag(m, v)",
            "linalg::cholesky(m)", "linalg::cho_solve(linalg::cho_factor(m), v)", "linalg::lu_solve(linalg::lu_factor(g), v)",
            "linalg::lu_solve(linalg::lu_factor(g), v, {.trans = 1})", "linalg::solve_triangular(m, v)", "linalg::solve(m, v)",
            "linalg::solve_sylvester(m, g, m)", "linalg::polar(g).unitary", "linalg::polar(g).posdef"]
    out += ["fft::dct(s)", "fft::idct(s)", 'fft::dct(s, {.norm = "ortho"})', 'fft::idct(s, {.norm = "ortho"})', "fft::dctn(g)", "fft::idctn(g)",
            "integrate::trapezoid(x)", "sparse::linalg::cg(m, v).x", "sparse::linalg::bicgstab(g, v).x",
            "sparse::linalg::gmres(g, v).x", "cluster::vq::vq(x, a).dist"]
    return out


def python_of(cpp: str) -> str:
    text = re.sub(r"(?<![:\w])(special|stats|linalg|fft|ndimage|integrate|sparse|cluster)::", r"jax.scipy.\1.", cpp).replace("::", ".")
    text = re.sub(r"\{\.(\w+) = ([^}]*)\}", r"\1=\2", text).replace("v[range(0, 2)]", "v[0:2]")
    text = re.sub(r"\.(si|s|unitary|x|code)$", "[0]", text)
    return re.sub(r"\.(ci|c|posdef|dist)$", "[1]", text)


def number(value: float) -> str:
    return "kNan" if np.isnan(value) else ("kInf" if value > 0 else "-kInf") if np.isinf(value) else repr(float(value))


def main() -> None:
    scope = {name: jnp.asarray(value) for name, value in INPUTS.items()} | {"jax": jax, "jnp": jnp}
    lines = [f'const Array {n} = golden_input("f32[{",".join(map(str, v.shape))}]", VALUES({", ".join(map(number, v.reshape(-1)))}));'
             for n, v in INPUTS.items()]
    for row in rows():
        if row.startswith("d "):
            name = re.search(r"\((\w+)", row)[1]
            f = eval(f"lambda {name}: {python_of(row[2:])}", dict(scope))
            result = np.asarray(jax.jvp(f, (scope[name],), (jnp.ones_like(scope[name]),))[1])
            cpp = f"slope_of([&](const Array& {name}) {{ return {row[2:]}; }}, {name})"
        else:
            result, cpp = np.asarray(eval(python_of(row), scope)), row
        lines.append(f"NEAR(VALUES({', '.join(map(number, result.reshape(-1)))}), {cpp})")
    head = "// SPDX-License-Identifier: Apache-2.0\n// golden.inc -- written by tests/golden/record_scipy.py with jax 0.10.2.\n// clang-format off\n"
    open(sys.argv[1], "w").write(head + "\n".join(lines) + "\n")


main()
