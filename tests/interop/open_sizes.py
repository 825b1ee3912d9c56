# SPDX-License-Identifier: Apache-2.0
"""Runs functions that JAX exports with symbolic sizes.

Each function of tests/golden/open_size_functions.py is exported. `hilo run` has JAX's values at sizes 1, 2, 7 and 33,
and rejects the sizes that JAX rejects. Ends with "N passed, N failed"."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT), str(ROOT.parent / "golden")]
import open_size_functions as cases  # noqa: E402 -- sets up the environment that JAX reads
import jax  # noqa: E402
import numpy as np  # noqa: E402
from report import report  # noqa: E402

TOLERANCES = {2: 1e-2, 4: 3e-5, 8: 1e-9}  # by bytes of the floats
RUN_SECONDS = 60
REFINES_MORE = ("type_bitcast_narrow", "type_bitcast_wide", "type_view", "rare_composite")  # hilo knows sizes here that JAX can't refine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo")
    parser.add_argument("--match", default="", help="a regular expression for names")
    arguments = parser.parse_args()
    return report((f"{name}/{case}", problem) for name in cases.CASES if re.search(arguments.match, name)
                  for case, problem in compare(arguments.command, name))


def compare(command, name):
    jax.config.update("jax_enable_x64", cases.needs_x64(name))
    try:
        exported = cases.exported(name)
        data = bytes(exported.serialize())
    except Exception:  # what JAX can't export is no case
        return
    with tempfile.TemporaryDirectory(prefix="hilo_open_sizes_") as folder:
        path = pathlib.Path(folder) / f"{name}.jax"
        path.write_bytes(data)
        for sizes in cases.sizes_of(name):
            inputs = cases.arguments_of(name, sizes)
            try:
                wanted = [np.asarray(x) for x in jax.tree.leaves(exported.call(*inputs))]
            except ValueError:
                wanted = None
            if wanted is not None or name not in REFINES_MORE:
                yield f"{sizes['b']},{sizes['c']}", run(command, path, exported, jax.tree.leaves(inputs), wanted)


def run(command, path, exported, inputs, wanted) -> str:
    arguments = [np.asarray(inputs[i]) for i in exported.module_kept_var_idx]
    if len(exported.platforms) > 1:  # the module takes the number of the platform
        wide = re.search(r"@main\(%arg0: tensor<i64>", exported.mlir_module())
        arguments.insert(0, (np.int64 if wide else np.int32)(exported.platforms.index("cpu")))
    flags = []
    for i, argument in enumerate(arguments):
        np.save(path.with_suffix(f".{i}.npy"), argument)
        flags += ["--input", path.with_suffix(f".{i}.npy")]
    done = subprocess.run([command, "run", path, *flags, "--output-dir", path.with_suffix("")], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=RUN_SECONDS)
    if wanted is None:
        return "" if done.returncode != 0 and "INVALID_ARGUMENT" in done.stderr else f"wanted an error; got {done.stderr}"
    if done.returncode != 0:
        return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
    for i, value in enumerate(wanted):
        if problem := difference(np.load(path.with_suffix("") / f"out{i}.npy"), value):
            return f"result {i}: {problem}"
    return ""


def difference(got, wanted) -> str:
    if got.dtype.kind == "V":  # NumPy reads bfloat16 as two bytes of any kind
        got = got.view(wanted.dtype)
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return f"got {got.dtype}{list(got.shape)}, wanted {wanted.dtype}{list(wanted.shape)}"
    if wanted.dtype.kind in "iub":
        return "" if np.array_equal(got, wanted) else f"got {got}, wanted {wanted}"
    tolerance = TOLERANCES.get(wanted.real.dtype.itemsize, 1e-2)
    got, wanted = (np.asarray(x, np.complex128 if np.iscomplexobj(x) else np.float64) for x in (got, wanted))
    finite = np.abs(wanted[np.isfinite(wanted)])
    scale = np.sqrt(max(1.0, finite.max(initial=1.0)))
    if np.allclose(got, wanted, rtol=tolerance, atol=tolerance * scale, equal_nan=True):
        return ""
    return f"differs by {np.nanmax(np.abs(got - wanted)):.3g}"


if __name__ == "__main__":
    sys.exit(main())
