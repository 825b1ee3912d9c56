#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs tests/interop/with_jax.py in a virtual environment (.venv) with JAX, which it makes if it is not there."""

import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PINNED = ("jax==0.10.2", "jaxlib==0.10.2", "numpy")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    arguments, rest = parser.parse_known_args()
    python = VENV / "bin" / "python"
    if not python.exists() or subprocess.run([python, "-c", "import jax"], stderr=subprocess.DEVNULL).returncode != 0:
        print(f"making {VENV} with {', '.join(PINNED)}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PINNED], check=True)
    script = ROOT / "tests" / "interop" / "with_jax.py"
    return subprocess.run([python, script, "--command", arguments.build.resolve() / "bin" / "hilo", *rest]).returncode


if __name__ == "__main__":
    sys.exit(main())
