# SPDX-License-Identifier: Apache-2.0
"""Compares hilo's gradients of functions that JAX exported with JAX's gradients.

Each function of tests/golden/export_functions.py is exported twice: with JAX's derivative, which hilo then calls, and
without, so that hilo differentiates the operations in the file. `hilo grad` has JAX's values and gradients, for the
cotangents of one seed. If a custom rule of JAX isn't in the file, the second method must differ; otherwise the list of
such functions is out of date. Ends with "N passed, N failed"."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent / "golden")]
from export_functions import FUNCTIONS, RULES_LOST, exported  # noqa: E402
from report import report  # noqa: E402

TOLERANCES = {np.dtype("float32"): 1e-5, np.dtype("float64"): 1e-9}
RUN_SECONDS = 60


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo")
    parser.add_argument("--match", default="", help="only functions whose name contains this")
    arguments = parser.parse_args()
    return report((f"{name}/{case}", problem)
                  for name, (function, *inputs) in FUNCTIONS.items() if arguments.match in name
                  for case, problem in compare(arguments.command, name, function, [np.asarray(x) for x in inputs]))


def compare(command, name, function, inputs):
    values, pull = jax.vjp(jax.jit(function), *inputs)
    leaves, tree = jax.tree.flatten(values)
    random = np.random.RandomState(1)
    cotangents = [random.standard_normal(y.shape).astype(y.dtype) for y in map(np.asarray, leaves)]
    gradients = pull(jax.tree.unflatten(tree, [as_jax_wants(ct) for ct in cotangents]))
    wanted = {f"out{i}": np.asarray(y) for i, y in enumerate(leaves)}
    wanted |= {f"grad{i}": np.asarray(g) for i, g in enumerate(gradients) if np.issubdtype(inputs[i].dtype, np.inexact)}
    with tempfile.TemporaryDirectory(prefix="hilo_gradients_") as folder:
        folder = pathlib.Path(folder)
        flags = save(folder, "input", inputs) + save(folder, "cotangent", cotangents)
        for case, order in (("vjp", 1), ("mathematics", 0)):
            path = folder / f"{case}.jax"
            try:
                path.write_bytes(exported(name, order))
            except Exception as error:  # what JAX can't export is no case
                yield case, f"jax.export: {error}"
                continue
            problem = run(command, path, flags, folder / case, wanted)
            if case == "mathematics" and name in RULES_LOST:
                problem = "" if problem.startswith("grad") else f"wanted other gradients: {RULES_LOST[name]}; got {problem}"
            yield case, problem


def as_jax_wants(cotangent):
    return cotangent if np.issubdtype(cotangent.dtype, np.inexact) else np.zeros(cotangent.shape, jax.dtypes.float0)


def save(folder, flag, arrays):
    flags = []
    for i, array in enumerate(arrays):
        np.save(folder / f"{flag}{i}.npy", array)
        flags += [f"--{flag}", str(folder / f"{flag}{i}.npy")]
    return flags


def run(command, path, flags, folder, wanted) -> str:
    done = subprocess.run([command, "grad", path, *flags, "--output-dir", folder, "--jax_enable_x64=true"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=RUN_SECONDS)
    if done.returncode != 0:
        return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
    for key, value in wanted.items():
        if problem := difference(np.load(folder / f"{key}.npy"), value):
            return f"{key}: {problem}"
    return ""


def difference(got, wanted) -> str:
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return f"got {got.dtype}{list(got.shape)}, wanted {wanted.dtype}{list(wanted.shape)}"
    if not np.issubdtype(wanted.dtype, np.inexact):
        return "" if np.array_equal(got, wanted) else f"got {got}, wanted {wanted}"
    tolerance = TOLERANCES.get(np.dtype(wanted.real.dtype), 1e-5)
    if np.allclose(got, wanted, rtol=tolerance, atol=tolerance, equal_nan=True):
        return ""
    return f"differs by {np.max(np.abs(got - wanted)):.3g}"


if __name__ == "__main__":
    sys.exit(main())
