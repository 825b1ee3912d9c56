# SPDX-License-Identifier: Apache-2.0
"""Compares the errors of XLA's elementary and special functions with hilo's, on the same arguments, in units in the
last place.

The exact values are MPFR's, written by tests/backend/cpu/emit/accuracy_test.cc. XLA flushes denormal arguments and
values in most of these functions, so its figures exclude these, and NaN. With --record they go into
tests/golden/xla_accuracy.txt, and hilo's of the same run into hilo_accuracy.txt. Ends with "N passed, N failed": a
function and type fails if hilo's error is larger."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import numerics_page  # noqa: E402

GOLDEN = ROOT / "tests" / "golden"
TABLE = ROOT / "src" / "hilo" / "backend" / "cpu" / "emit" / "accuracy.h"
FUNCTIONS = {
    "acos": lax.acos, "acosh": lax.acosh, "asin": lax.asin, "asinh": lax.asinh, "atan": lax.atan, "atan2": lax.atan2,
    "atanh": lax.atanh, "cbrt": lax.cbrt, "cosine": lax.cos, "cosh": lax.cosh, "divide": lax.div, "erf": lax.erf,
    "exponential": lax.exp, "exponential-minus-one": lax.expm1, "log": lax.log, "log-plus-one": lax.log1p,
    "logistic": lax.logistic, "power": lax.pow, "remainder": lax.rem, "rsqrt": lax.rsqrt, "sine": lax.sin,
    "sinh": lax.sinh, "sqrt": lax.sqrt, "tan": lax.tan, "tanh": lax.tanh, "hilo.bessel_i0e": lax.bessel_i0e,
    "hilo.bessel_i1e": lax.bessel_i1e, "hilo.digamma": lax.digamma, "hilo.erf_inv": lax.erf_inv, "hilo.erfc": lax.erfc,
    "hilo.lgamma": lax.lgamma, "hilo.polygamma": lax.polygamma, "hilo.zeta": lax.zeta,
}
BINARY = ("atan2", "divide", "power", "remainder", "hilo.polygamma", "hilo.zeta")
# Their errors near zeros are in units of the last place of 1.
CANCELLING = [numerics_page.name_of(opcode) for opcode in
              re.findall(r"hlo::(\w+)", re.search(r"kCancelling = \{([^}]*)\}", TABLE.read_text())[1])]
# Type, bits of the mantissa without the leading one, least exponent of a normal number.
TYPES = {"f16": (np.float16, 10, -14), "bf16": (ml_dtypes.bfloat16, 7, -126), "f32": (np.float32, 23, -126),
         "f64": (np.float64, 52, -1022)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo")
    parser.add_argument("--samples", type=int, default=20000)
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    with tempfile.TemporaryDirectory(prefix="hilo_accuracy_") as folder:
        folder = pathlib.Path(folder)
        ours, within = measured(arguments.command.parent / "tests" / "test_backend", folder, arguments.samples)
        theirs = {name: [error_of_xla(folder, name, kind) for kind in TYPES] for name in sorted(ours)}
    passed, failed = int(within), int(not within)
    print(f"{'passed' if within else 'failed'} the bounds of emit/accuracy.h")
    for name, figures in sorted(ours.items()):
        for kind, own, xla in zip(TYPES, figures, theirs[name]):
            worse = own > max(1.02 * xla, xla + 0.02)
            passed, failed = passed + (not worse), failed + worse
            print(f"{'failed' if worse else 'passed'} {name} {kind}: hilo {own:.3g}, XLA {xla:.3g}", flush=True)
    if arguments.record:
        (GOLDEN / "xla_accuracy.txt").write_text("".join(
            f"{name} {' '.join(map(shown, figures))}\n" for name, figures in sorted(theirs.items())))
        (GOLDEN / "hilo_accuracy.txt").write_text("".join(
            f"{name} {' '.join(map(shown, figures))}\n" for name, figures in sorted(ours.items())))
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


def measured(program, folder, samples) -> tuple[dict, bool]:
    """Returns hilo's errors, four each: of the engine with fused products, without them (SSE2), of the reference
    evaluator; and whether they are within their bounds."""
    record = folder / "record"
    variables = {"HILO_ACCURACY_FOLDER": str(folder), "HILO_ACCURACY_RECORD": str(record),
                 "HILO_ACCURACY_SAMPLES": str(samples)}
    done = subprocess.run([program, "--gtest_brief=1", "--gtest_filter=*AccuracyOf*"], env={**os.environ, **variables},
                          stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="", flush=True)
    rows = (line.split() for line in record.read_text().splitlines())
    return {name: [float(figure) for figure in figures] for name, *figures in rows}, done.returncode == 0


def error_of_xla(folder, name, kind) -> float:
    dtype, mantissa, least = TYPES[kind]
    x, y, truth, rest = np.fromfile(folder / f"{name}.{kind}").reshape(4, -1)
    operands = [jnp.asarray(v.astype(dtype)) for v in ((x, y) if name in BINARY else (x,))]
    got = np.asarray(jax.jit(FUNCTIONS[name])(*operands)).astype(np.float64)
    with np.errstate(all="ignore"):
        fits = np.isfinite(got) & np.isfinite(truth)
        for v in (x, y, truth):
            fits &= (v == 0) | (np.abs(v) >= np.ldexp(1.0, least))
        got, truth, rest = got[fits], truth[fits], rest[fits]
        exponent = np.maximum(np.frexp(truth)[1] - 1, 0 if name in CANCELLING else least)
        off = np.ldexp(got - truth, mantissa - exponent) - np.ldexp(rest, mantissa - exponent)
        return float(np.max(np.abs(off), initial=0))


def shown(error: float) -> str:
    return f"{error:.3f}" if error < 1000 else f"{error:.3e}"


if __name__ == "__main__":
    sys.exit(main())
