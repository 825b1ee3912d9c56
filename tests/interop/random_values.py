# SPDX-License-Identifier: Apache-2.0
"""Compares hilo's random numbers with JAX's, bit for bit, a million of each key.

These are `normal` and `uniform` of f32, and the inverse error function in `normal` of f64, which differs where XLA
calls the C library's logarithm. tests/random/sampling_test.cc wrote hilo's. Needs a CPU with fused multiply-add. Ends
with "N passed, N failed"."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from report import report  # noqa: E402

SEEDS = (0, 1, -7, 123456789)
COUNT = (1000000,)
SCALE = 2**19
# |x| up to which XLA's program for f64 calls no logarithm; the units that one of another C library may change beyond.
CENTRAL, FARTHER = 0.64, 2


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hilo_random_") as folder:
        program = arguments.command.parent / "tests" / "test_random"
        subprocess.run([program, "--gtest_brief=1", "--gtest_filter=*NumbersOfOtherKeys*"], check=True,
                       env={**os.environ, "HILO_RANDOM_FOLDER": folder})
        return report(list(cases(pathlib.Path(folder))))


def cases(folder):
    for seed in SEEDS:
        key = jax.random.PRNGKey(seed)
        drawn = {"normal": jax.random.normal(key, COUNT), "uniform": jax.random.uniform(key, COUNT, minval=-3.5, maxval=0.3)}
        for name, wanted in drawn.items():
            yield f"{name}/{seed}", difference(np.fromfile(folder / f"{name}.{seed}", np.float32), np.asarray(wanted))
    with jax.enable_x64(True):
        x = np.arange(1 - SCALE, SCALE) / SCALE
        got, wanted = np.fromfile(folder / "erf_inv"), np.asarray(jax.jit(lax.erf_inv)(x))
    inside = np.abs(x) <= CENTRAL
    yield "erf_inv/f64/central", difference(got[inside], wanted[inside])
    yield "erf_inv/f64/beyond", difference(got[~inside], wanted[~inside], FARTHER)


def difference(got, wanted, ulps=0) -> str:
    """Returns the differences beyond the tolerance, or an empty text."""
    if got.shape != wanted.shape:
        return f"got {got.shape}; wanted {wanted.shape}"
    whole = np.dtype(f"i{wanted.itemsize}")
    off = np.abs(got.view(whole).astype(np.int64) - wanted.view(whole).astype(np.int64))
    print(f"  {np.count_nonzero(off)} of {off.size} differ, by {off.max()} units at most")
    return "" if off.max() <= ulps else f"{np.count_nonzero(off > ulps)} of {off.size} differ, by up to {off.max()} units"


if __name__ == "__main__":
    sys.exit(main())
