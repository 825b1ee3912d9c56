# SPDX-License-Identifier: Apache-2.0
"""The virtual environment with JAX and what is built on it (.venv), for `make interop` and `make jax-tests`."""

import pathlib
import subprocess
import sys

VENV = pathlib.Path(__file__).resolve().parent.parent / ".venv"
PYTHON = VENV / "bin" / "python"
PACKAGES = ("jax==0.10.2", "jaxlib==0.10.2", "numpy", "flatbuffers",  # judges
            "pypjrt==0.1.1",  # walks plugins without JAX
            "absl-py", "cloudpickle", "hypothesis", "scipy",  # JAX's own tests
            "flax", "optax", "numpyro", "equinox", "diffrax")  # programs
IMPORTS = ("jax", "flatbuffers", "pypjrt", "absl", "cloudpickle", "hypothesis", "flax", "optax", "numpyro", "equinox", "diffrax")


def make() -> pathlib.Path | None:
    """The environment's interpreter, after making what it lacks; None, and why on the output, if the packages can't be had."""
    if PYTHON.exists() and subprocess.run([PYTHON, "-c", f"import {', '.join(IMPORTS)}"], stderr=subprocess.DEVNULL).returncode == 0:
        return PYTHON
    print(f"making {VENV} with {', '.join(PACKAGES)}", flush=True)
    commands = ([sys.executable, "-m", "venv", VENV], [PYTHON, "-m", "pip", "install", "-q", *PACKAGES])
    if all(subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0 for command in commands):
        return PYTHON
    print(f"{', '.join(PACKAGES)} can't be had")
    return None
