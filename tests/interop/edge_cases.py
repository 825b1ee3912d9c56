# SPDX-License-Identifier: Apache-2.0
"""Checks that hilo and XLA agree in cases in which implementations usually differ, on both engines.

These are powers and atan2 of complex zeros, infinities and NaN, and the choice of select-and-scatter among equal
elements. Ends with "N passed, N failed"."""

import argparse
import os
import pathlib
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jaxlib import _hlo  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from report import report  # noqa: E402
from with_jax import call, run_xla  # noqa: E402

COMPLEX = {"c64": (np.complex64, 1e-3), "c128": (np.complex128, 1e-11)}
REAL = {"f32": np.float32, "f64": np.float64, "s32": np.int32, "s8": np.int8}
# Size, stride and padding of windows on arrays of these shapes.
WINDOWS = {"1d": ((5,), (3,), (1,), ((1, 1),)),
           "apart": ((4, 6), (2, 3), (2, 3), ((0, 0), (0, 0))),
           "padded": ((5, 5), (3, 3), (1, 2), ((1, 1), (2, 0))),
           "pooling": ((1, 6, 6, 1), (1, 2, 2, 1), (1, 2, 2, 1), ((0, 0),) * 4),
           "wide": ((20,), (17,), (1,), ((8, 8),))}
# Beyond this the angle's last place is a turn, and so infinities have any sign.
MAX_TURNS = 1e4


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo")
    parser.add_argument("--match", default="", help="only cases whose name contains this")
    arguments = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    return report(judged(arguments.command, arguments.match))


def judged(command, match):
    for name, text, inputs, compare in cases():
        if match not in name:
            continue
        wanted = run_xla(_hlo.hlo_module_from_text(text), inputs)[0]
        for engine in ("cpu", "reference"):
            yield f"{name}/{engine}", compare(run_hilo(command, text, inputs, engine), wanted)


def cases():
    parts = (0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, np.inf, -np.inf, np.nan, 1e-30, 1e30)
    every = np.array([complex(a, b) for a in parts for b in parts])
    for kind, (dtype, tolerance) in COMPLEX.items():
        x, y = (v.ravel().astype(dtype) for v in np.meshgrid(every, every))
        for opcode in ("power", "atan2"):
            text = (f"HloModule m\nENTRY e {{\n x = {kind}[{x.size}] parameter(0)\n y = {kind}[{x.size}] parameter(1)\n"
                    f" ROOT r = {kind}[{x.size}] {opcode}(x, y) }}\n")
            judge = powers_differ if opcode == "power" else angles_differ
            yield f"{opcode}/{kind}", text, [x, y], lambda g, w, x=x, y=y, j=judge, t=tolerance: j(x, y, g, w, t)
    random = np.random.default_rng(0)
    for kind, dtype in REAL.items():
        for direction in ("GE", "GT", "LE", "LT", "NE", "EQ"):
            for name, (shape, size, stride, padding) in WINDOWS.items():
                text, windows = select_and_scatter(kind, direction, shape, size, stride, padding)
                x, source = random.integers(0, 2, shape).astype(dtype), random.integers(1, 9, windows).astype(dtype)
                if kind[0] == "f" and name in ("1d", "padded"):
                    x.ravel()[random.integers(x.size)] = np.nan
                yield f"select-and-scatter/{kind}/{direction}/{name}", text, [x, source, np.zeros((), dtype)], elements_differ


def select_and_scatter(kind, direction, shape, size, stride, padding):
    windows = [(n + sum(p) - w) // s + 1 for n, w, s, p in zip(shape, size, stride, padding)]
    array, source = (f"{kind}[{','.join(map(str, sizes))}]" for sizes in (shape, windows))
    pad = "x".join(f"{low}_{high}" for low, high in padding)
    parameters = f" a = {kind}[] parameter(0)\n b = {kind}[] parameter(1)\n"
    return (f"HloModule m\nselect {{\n{parameters} ROOT c = pred[] compare(a, b), direction={direction} }}\n"
            f"scatter {{\n{parameters} ROOT c = {kind}[] add(a, b) }}\n"
            f"ENTRY e {{\n x = {array} parameter(0)\n s = {source} parameter(1)\n i = {kind}[] parameter(2)\n"
            f" ROOT r = {array} select-and-scatter(x, s, i), window={{size={'x'.join(map(str, size))} "
            f"stride={'x'.join(map(str, stride))} pad={pad}}}, select=select, scatter=scatter }}\n"), windows


def run_hilo(command, text, inputs, engine):
    with tempfile.TemporaryDirectory(prefix="hilo_edges_") as folder:
        folder = pathlib.Path(folder)
        (folder / "program.hlo").write_text(text)
        flags = []
        for i, value in enumerate(inputs):
            np.save(folder / f"in{i}.npy", value)
            flags += ["--input", folder / f"in{i}.npy"]
        problem, _ = call([command, "run", folder / "program.hlo", *flags, "--engine", engine, "--output-dir", folder / "out"])
        return problem or np.load(next((folder / "out").glob("*.npy")))


def elements_differ(got, wanted) -> str:
    if isinstance(got, str):
        return got
    equal = np.array_equal(got, wanted, equal_nan=wanted.dtype.kind == "f")
    return "" if equal else f"got {got.tolist()}; wanted {wanted.tolist()}"


def powers_differ(x, y, got, wanted, tolerance) -> str:
    if isinstance(got, str):
        return got
    with np.errstate(all="ignore"):
        turns = np.abs(y.real * np.angle(x)) + np.abs(y.imag * np.log(np.abs(x)))
        steady = ~(turns > MAX_TURNS)  # NaN is steady
        near = np.abs(got - wanted) <= tolerance * np.maximum(1e-30, np.abs(wanted))
        near |= ~steady & np.isinf(got.real) & np.isinf(wanted.real)
        near |= ~steady & (np.abs(np.abs(got) - np.abs(wanted)) <= tolerance * np.maximum(1e-30, np.abs(wanted)))
    return first(x, y, got, wanted, near | same_specials(got, wanted))


def angles_differ(x, y, got, wanted, tolerance) -> str:
    """On the branch cut XLA's roundings determine the side: its square root isn't exact there."""
    if isinstance(got, str):
        return got
    with np.errstate(all="ignore"):
        off = got - wanted
        off = np.abs(off - 2 * np.pi * np.round(off.real / (2 * np.pi)))
        near = off <= tolerance * np.maximum(1, np.abs(wanted))
    return first(x, y, got, wanted, near | same_specials(got, wanted))


def same_specials(got, wanted):
    """If a part isn't finite, parts are compared separately."""
    def same(g, w):
        return (g == w) | (np.isnan(g) & np.isnan(w))
    return ~np.isfinite(wanted) & same(got.real, wanted.real) & same(got.imag, wanted.imag)


def first(x, y, got, wanted, equal) -> str:
    bad = np.nonzero(~equal)[0]
    return f"{bad.size} of {x.size}, first of {x[bad[0]]}, {y[bad[0]]}: got {got[bad[0]]}; wanted {wanted[bad[0]]}" if bad.size else ""


if __name__ == "__main__":
    sys.exit(main())
