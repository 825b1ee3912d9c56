# SPDX-License-Identifier: Apache-2.0
"""Writes xla_accuracy.txt beside itself: how far XLA's elementary functions are from the truth. Needs jax 0.10.2.

A line a function: its name in HLO, then for f16, bf16, f32 and f64 the greatest error seen, in units of the last place of
the true value. f16 and bf16 take every number there is; f32 and f64 take 400,000 spread over all exponents and as many
around the usual arguments. Denormal arguments and results, which XLA flushes to zero, are left out. The truth is the C
library's in 80-bit long double (erf: in double, so f64 is left out).
"""
import pathlib

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax
from scipy import special

jax.config.update("jax_enable_x64", True)

L = np.longdouble
UNARY = {
    "acos": (lax.acos, np.arccos),
    "acosh": (lax.acosh, np.arccosh),
    "asin": (lax.asin, np.arcsin),
    "asinh": (lax.asinh, np.arcsinh),
    "atan": (lax.atan, np.arctan),
    "atanh": (lax.atanh, np.arctanh),
    "cbrt": (lax.cbrt, np.cbrt),
    "cosine": (lax.cos, np.cos),
    "cosh": (lax.cosh, np.cosh),
    "erf": (lax.erf, lambda x: special.erf(x.astype(np.float64)).astype(L)),
    "exponential": (lax.exp, np.exp),
    "exponential-minus-one": (lax.expm1, np.expm1),
    "log": (lax.log, np.log),
    "log-plus-one": (lax.log1p, np.log1p),
    "logistic": (lax.logistic, lambda x: 1 / (1 + np.exp(-x))),
    "rsqrt": (lax.rsqrt, lambda x: 1 / np.sqrt(x)),
    "sine": (lax.sin, np.sin),
    "sinh": (lax.sinh, np.sinh),
    "sqrt": (lax.sqrt, np.sqrt),
    "tan": (lax.tan, np.tan),
    "tanh": (lax.tanh, np.tanh),
}
BINARY = {
    "atan2": (lax.atan2, np.arctan2),
    "divide": (lax.div, np.divide),
    "power": (lax.pow, np.power),
    "remainder": (lax.rem, np.fmod),
}
# Name, type, mantissa bits, least exponent of a normal number, bits as an integer.
TYPES = [
    ("f16", np.float16, 10, -14, np.uint16),
    ("bf16", ml_dtypes.bfloat16, 7, -126, np.uint16),
    ("f32", np.float32, 23, -126, np.uint32),
    ("f64", np.float64, 52, -1022, np.uint64),
]
SAMPLES = 400_000


def arguments(dtype, integer, random):
    """All 16-bit numbers; of wider types some of all sizes, and some from -20 to 20."""
    if integer is np.uint16:
        return np.arange(1 << 16, dtype=np.uint16).view(dtype)
    everywhere = random.integers(0, np.iinfo(integer).max, SAMPLES, dtype=integer, endpoint=True).view(dtype)
    usual = np.concatenate([random.uniform(-20, 20, SAMPLES // 2), random.uniform(-1.1, 1.1, SAMPLES // 2)])
    return np.concatenate([everywhere, usual.astype(dtype)])


def greatest_error(got, truth, wide, mantissa, least):
    """In units of the last place of the truth, where arguments and truth are zero or normal and the result is finite."""
    got, truth = got.astype(L), truth.astype(L)
    fits = np.isfinite(got) & np.isfinite(truth)
    for v in [*wide, truth]:
        fits &= (v == 0) | (np.abs(v) >= np.ldexp(L(1), least))
    got, truth = got[fits], truth[fits]
    exponent = np.maximum(np.frexp(truth)[1] - 1, least)
    return float(np.max(np.abs(got - truth) / np.ldexp(L(1), exponent - mantissa), initial=0))


def main():
    random = np.random.default_rng(7)
    lines = []
    with np.errstate(all="ignore"):
        for name, (function, truth) in sorted({**UNARY, **BINARY}.items()):
            cells = []
            for type_name, dtype, mantissa, least, integer in TYPES:
                if name == "erf" and type_name == "f64":
                    cells.append("-")
                    continue
                x = [arguments(dtype, integer, random)]
                if name in BINARY:
                    x.append(random.permutation(x[0]))
                got = np.asarray(jax.jit(function)(*[jnp.asarray(v) for v in x]))
                wide = [v.astype(L) for v in x]
                cells.append(f"{greatest_error(got, truth(*wide), wide, mantissa, least):.3f}")
            lines.append(f"{name} {' '.join(cells)}")
            print(lines[-1], flush=True)
    pathlib.Path(__file__).with_name("xla_accuracy.txt").write_text("\n".join(lines) + "\n")


main()
