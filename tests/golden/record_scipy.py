# SPDX-License-Identifier: Apache-2.0
"""record_scipy.py FILE -- what jax 0.10.2 gives for calls of jax.scipy, for tests/scipy/scipy_test.cc. Each row is
C++; the Python call follows from it, or follows after "##". A row that begins with "d " is the derivative of the call
in its first argument. Windows, roots and least squares are SciPy's."""
import re
import sys

import jax
import jax.numpy as jnp
import jax.experimental.ode
import jax.scipy.cluster.vq
import jax.scipy.interpolate
import jax.scipy.optimize
import jax.scipy.signal
import jax.scipy.sparse.linalg
import jax.scipy.spatial.transform
import numpy as np
import scipy.integrate
import scipy.optimize
import scipy.signal

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
    "w": np.float32(np.round(np.cos(np.arange(43) ** 1.3) + 0.02 * np.arange(43), 3)),
    "w2": np.float32(np.round(np.sin(np.arange(60).reshape(2, 30) ** 1.2), 3)),
    "q": np.array([[0.5, -0.5, 0.1, 0.7], [0.0, 0.6, 0.0, 0.8], [1.0, 0.0, 0.0, 0.0], [0.2, -0.3, 0.9, -0.4]],
                  np.float32),
    "times": np.array([0.0, 1.0, 2.5, 3.0], np.float32),
    "gx": np.array([0.0, 1.0, 2.5, 4.0], np.float32),
    "gy": np.array([-1.0, 0.0, 0.5], np.float32),
    "gv": np.float32(np.round(np.sin(np.arange(24)).reshape(4, 3, 2), 3)),
    "at": np.array([[0.5, -0.25], [4.0, 0.5], [0.0, -1.0], [3.1, 0.7]], np.float32),
    "ts": np.array([0.0, 0.1, 0.75, 2.0, 2.25], np.float32),
}
WINDOWS = """barthann bartlett blackman blackmanharris bohman boxcar cosine exponential flattop hamming hann lanczos nuttall parzen
triang tukey""".split()
WINDOWS_WITH = ["kaiser, 8.6", "gaussian, 1.5", "general_gaussian, 1.5, 2.0", "general_hamming, 0.75", "tukey, 0.25", "tukey, 1.5"]
STFT = ["nperseg = 16", "window = 'hamming', nperseg = 9, noverlap = 3", "nperseg = 8, boundary = 'even', padded = false",
        "nperseg = 8, nfft = 11, boundary = 'odd'", "nperseg = 8, detrend = 'linear', boundary = 'constant'",
        "fs = 10.0, nperseg = 12, return_onesided = false, boundary = none"]
SPECTRA = ["nperseg = 16", "nperseg = 9, noverlap = 3, scaling = 'spectrum', average = 'median'", "nperseg = 10, nfft = 13, detrend = false",
           "fs = 100.0, window = 'blackman', nperseg = 8, detrend = 'linear', return_onesided = false"]
ONE = "gamma gammaln digamma gammasgn erf erfc erfcx dawsn ndtr log_ndtr i0 i0e i1 i1e expit expi".split()
POSITIVE = "gamma gammaln digamma factorial exp1 spence logit entr".split()
TWO = "beta betaln xlogy xlog1py rel_entr kl_div boxcox boxcox1p gammainc gammaincc zeta poch owens_t".split()
LOC = {"norm": "pdf logpdf cdf logcdf sf logsf", "expon": "pdf logpdf cdf logcdf sf logsf", "laplace": "pdf logpdf cdf",
       "logistic": "pdf logpdf cdf sf", "cauchy": "pdf logpdf cdf logcdf sf logsf", "uniform": "pdf logpdf cdf",
       "gumbel_l": "pdf logpdf cdf logcdf sf logsf", "gumbel_r": "pdf logpdf cdf logcdf sf logsf"}
SHAPE = {"gamma": "pdf logpdf cdf logcdf sf logsf", "chi2": "pdf logpdf cdf logcdf sf logsf", "t": "pdf logpdf",
         "pareto": "pdf logpdf cdf logcdf sf logsf"}


def with_options(call: str, options: str, part: str) -> str:
    """A call of JAX with keywords, and hilo's with a struct."""
    cpp = "{" + ", ".join(f".{option}" for option in options.replace("'", '"').split(", ")) + "}"
    python = options.replace("none", "None").replace("true", "True").replace("false", "False")
    index = {"f": 0, "t": 1, "Zxx": 2, "Pxx": 1, "x": 1}[part]
    return f"{call[:-1]}, {cpp}).{part} ## jax.scipy.{call[:-1].replace('::', '.')}, {python})[{index}]"


def parts(row: str) -> list[str]:
    """The real and the imaginary part of a row."""
    cpp, python = row.split(" ## ")
    return [f"numpy::{part}({cpp}) ## jnp.{part}({python})" for part in ("real", "imag")]


def signal_rows() -> list[str]:
    out = []
    for n in (1, 2, 9, 10):
        for name in WINDOWS:
            for bins in ("true", "false"):
                out.append(f'signal::get_window("{name}", {n}, {{.fftbins = {bins}}}) ## scipy.signal.get_window("{name}", {n}, {bins.title()})')
    for text in WINDOWS_WITH:
        name, _, numbers = text.partition(", ")
        out.append(f'signal::get_window({{"{name}", {numbers}}}, 10) ## scipy.signal.get_window(("{name}", {numbers}), 10)')
    for options in STFT:
        for x in ("w", "w2"):
            call = f"signal::stft({x})"
            out += [with_options(call, options, "f"), with_options(call, options, "t"),
                    *parts(with_options(call, options, "Zxx"))]
    for options in ("nperseg = 16", "window = 'hamming', nperseg = 12, noverlap = 9"):
        back = with_options("signal::istft(signal::stft(w))", options, "x")
        cpp, python = back.split(" ## ")
        inner = with_options("signal::stft(w)", options, "Zxx").split(" ## ")
        out.append(cpp.replace("signal::stft(w)", inner[0]) + " ## " + python.replace("signal.stft(w)", inner[1]))
    for options in SPECTRA:
        out += [with_options("signal::welch(w)", options, "f"), with_options("signal::welch(w2)", options, "Pxx")]
        out += parts(with_options("signal::csd(w, w2[0])", options, "Pxx"))
    return out


def geometry_rows() -> list[str]:
    rotation, out = "spatial::transform::Rotation", []
    for seq in ("xyz", "zyx", "zxz", "XYZ", "ZYX", "YXY"):
        out.append(f'{rotation}::from_quat(q).as_euler("{seq}")')
        out.append(f'{rotation}::from_euler("{seq}", g, true).as_quat()')
    for method in ("as_quat()", "as_matrix()", "as_mrp()", "as_rotvec()", "as_rotvec(true)", "magnitude()", "inv().as_quat()", "as_quat(true)",
                   "as_quat(false, true)", "apply(v)", "apply(v, true)", "mean().as_matrix()"):
        out.append(f"{rotation}::from_quat(q).{method}")
    out += [f"{rotation}::from_rotvec(g).as_quat()", f"{rotation}::from_mrp(g).as_quat()", f"{rotation}::from_euler(\"y\", x[0]).as_quat()",
            f"{rotation}::from_matrix({rotation}::from_quat(q).as_matrix()).as_matrix()",
            f"({rotation}::from_quat(q) * {rotation}::from_quat(q[1])).as_quat()",
            f"spatial::transform::Slerp::init(times, {rotation}::from_quat(q))(ts).as_matrix()"]
    out = [row + " ## " + python_of(row).replace("true", "True").replace("false", "False") for row in out]
    grid, python = "interpolate::RegularGridInterpolator({gx, gy}, gv", "jax.scipy.interpolate.RegularGridInterpolator((gx, gy), gv"
    for cpp, options in (("", ""), (', {.method = "nearest"}', ', method="nearest"'), (", {.fill_value = -1.0}", ", fill_value=-1.0"),
                         (", {.fill_value = none}", ", fill_value=None")):
        out.append(f"{grid}{cpp})(at) ## {python}{options})(at)")
    return out


def solver_rows() -> list[str]:
    out = ['optimize::minimize(banana, v[range(0, 2)], {.method = "l-bfgs-experimental-do-not-rely-on-this"}).x ## '
           'jax.scipy.optimize.minimize(banana, v[0:2], method="l-bfgs-experimental-do-not-rely-on-this").x',
           'optimize::minimize(bowl, v, {.method = "BFGS"}).x ## jax.scipy.optimize.minimize(bowl, v, method="BFGS").x',
           'optimize::minimize(bowl, v, {.method = "BFGS", .options = {{"maxiter", 2}}}).x ## '
           'jax.scipy.optimize.minimize(bowl, v, method="BFGS", options=dict(maxiter=2)).x',
           'optimize::minimize(bowl, v, {.method = "BFGS", .options = {{"maxiter", 2}}}).status ## '
           'jax.scipy.optimize.minimize(bowl, v, method="BFGS", options=dict(maxiter=2)).status',
           "optimize::least_squares(decay, p[range(0, 2)]).x ## scipy.optimize.least_squares(decay, p[0:2], method='lm').x",
           "optimize::least_squares(decay, p[range(0, 2)]).cost ## scipy.optimize.least_squares(decay, p[0:2], method='lm').cost",
           "optimize::curve_fit(model, x, b, p[range(0, 2)]).popt ## scipy.optimize.curve_fit(lambda x, a, b: model(x, [a, b]), x, b, p[0:2])[0]",
           "optimize::curve_fit(model, x, b, p[range(0, 2)]).pcov ## scipy.optimize.curve_fit(lambda x, a, b: model(x, [a, b]), x, b, p[0:2])[1]",
           "optimize::curve_fit(model, x, b, p[range(0, 2)], {.sigma = a, .absolute_sigma = true}).pcov ## "
           "scipy.optimize.curve_fit(lambda x, a, b: model(x, [a, b]), x, b, p[0:2], sigma=a, absolute_sigma=True)[1]",
           "optimize::root(circle_and_line, v[range(0, 2)]).x ## scipy.optimize.root(circle_and_line, v[0:2]).x"]
    for name in ("brentq", "bisect"):
        out.append(f"optimize::{name}(wave, 0.0, 3.0) ## scipy.optimize.{name}(wave, 0.0, 3.0)")
    out.append("optimize::newton(wave, 1.0) ## scipy.optimize.newton(wave, 1.0)")
    out += ["integrate::odeint(pendulum, v[range(0, 2)], ts) ## jax.experimental.ode.odeint(pendulum, v[0:2], ts)",
            "integrate::odeint(pendulum, v[range(0, 2)], ts, {.rtol = 1e-3, .atol = 1e-3, .hmax = 0.05}) ## "
            "jax.experimental.ode.odeint(pendulum, v[0:2], ts, rtol=1e-3, atol=1e-3, hmax=0.05)",
            "integrate::solve_ivp(pendulum_at, {0.0, 2.25}, v[range(0, 2)], {.t_eval = ts, .rtol = 1e-7, .atol = 1e-7}).y ## "
            "scipy.integrate.solve_ivp(lambda t, y: pendulum(y, t), (0.0, 2.25), v[0:2], t_eval=ts, rtol=1e-9, atol=1e-9).y",
            "(*integrate::solve_ivp(pendulum_at, {2.0, 0.0}, v[range(0, 2)], {.dense_output = true, .rtol = 1e-7, .atol = 1e-7}).sol)(ts[range(0, 4)]) ## "
            "scipy.integrate.solve_ivp(lambda t, y: pendulum(y, t), (2.0, -1.0), v[0:2], dense_output=True, rtol=1e-9, atol=1e-9).sol(ts[0:4])"]
    return out


# The functions that rows hand to solvers; tests/scipy/scipy_test.cc has them in C++.
FUNCTIONS = {
    "banana": lambda x: 10.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2,
    "bowl": lambda x: jnp.sum(jnp.cosh(x - 1.0)) + 0.5 * jnp.sum(x) ** 2,
    "decay": lambda z: np.array([2.0, 1.3, 0.7, 0.5]) - z[0] * np.exp(-z[1] * np.arange(4.0)),
    "model": lambda x, z: z[0] * np.cos(0.5 * x) + z[1],
    "circle_and_line": lambda z: np.array([z[0] ** 2 + z[1] ** 2 - 4.0, z[0] - z[1] - 1.0]),
    "wave": lambda x: np.cos(x) - 0.5 * x,
    "pendulum": lambda y, t: jnp.array([y[1], -9.81 * jnp.sin(y[0]) - 0.1 * t]),
}


def rows() -> list[str]:
    out = [f"special::{f}(x)" for f in ONE] + [f"special::{f}(p)" for f in POSITIVE] + [f"special::{f}(a, p)" for f in TWO]
    out += [f"d special::{f}(x)" for f in ONE if f not in ("gammasgn",)] + [f"d special::{f}(p)" for f in POSITIVE]
    out += [f"d special::{f}(p, a)" for f in TWO if f not in ("gammainc", "gammaincc", "zeta")]
    out += ["special::betainc(a, b, p)", "special::erfinv(p)", "special::ndtri(p)", "d special::ndtri(p)", "special::expn(2, p)",
            "special::polygamma(2, a)", "special::multigammaln(a + 1, 2)", "special::comb(a + 2, 2)", "special::bernoulli(8)",
            "special::logsumexp(x)", "special::softmax(x)", "special::log_softmax(x)", "special::bessel_jn(a, {.v = 3, .n_iter = 15}) ## jax.scipy.special.bessel_jn(a, v=3, n_iter=15)",
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
    return out + signal_rows() + geometry_rows() + solver_rows()


def python_of(cpp: str) -> str:
    text = re.sub(r"(?<![:\w])(special|stats|linalg|fft|ndimage|integrate|sparse|cluster|spatial)::", r"jax.scipy.\1.", cpp).replace("::", ".")
    text = re.sub(r"\{\.(\w+) = ([^}]*)\}", r"\1=\2", text).replace("v[range(0, 2)]", "v[0:2]")
    text = re.sub(r"\.(si|s|unitary|x|code)$", "[0]", text)
    return re.sub(r"\.(ci|c|posdef|dist)$", "[1]", text)


def number(value: float) -> str:
    return "kNan" if np.isnan(value) else ("kInf" if value > 0 else "-kInf") if np.isinf(value) else repr(float(value))


def main() -> None:
    modules = {"jax": jax, "jnp": jnp, "np": np, "scipy": scipy}
    scope = {name: jnp.asarray(value) for name, value in INPUTS.items()} | modules | FUNCTIONS
    lines = [f'const Array {n} = golden_input("f32[{",".join(map(str, v.shape))}]", VALUES({", ".join(map(number, v.reshape(-1)))}));'
             for n, v in INPUTS.items()]
    for row in rows():
        if row.startswith("d "):
            name = re.search(r"\((\w+)", row)[1]
            f = eval(f"lambda {name}: {python_of(row[2:])}", dict(scope))
            result = np.asarray(jax.jvp(f, (scope[name],), (jnp.ones_like(scope[name]),))[1])
            cpp = f"slope_of([&](const Array& {name}) {{ return {row[2:]}; }}, {name})"
        elif "##" in row:
            cpp, python = row.split(" ## ")
            result = np.asarray(eval(python, scope))
        else:
            result, cpp = np.asarray(eval(python_of(row), scope)), row
        lines.append(f"NEAR(VALUES({', '.join(map(number, result.reshape(-1)))}), {cpp})")
    head = "// SPDX-License-Identifier: Apache-2.0\n// golden.inc -- written by tests/golden/record_scipy.py with jax 0.10.2.\n// clang-format off\n"
    open(sys.argv[1], "w").write(head + "\n".join(lines) + "\n")


main()
