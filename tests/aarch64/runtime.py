#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles programs that call libhilo_rt.a for AArch64, links them with the library of `make arm` (--arm), and runs them
under qemu-aarch64. Their results have the bits of x86-64 with vectors of 16 bytes, except where libm's differ.

Prints "passed NAME", "failed NAME" or, for a program that calls libm and gives other bits, "differs NAME".
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
sys.path.insert(0, str(HERE.parent / "objects"))
from texts import IN_RUNTIME, RUNTIME_TEXTS  # noqa: E402


# They call libm, which has other code for other processors: these programs run, but nothing compares their results.
OF_LIBM = ("complex_functions", "eigenvalues", "general_eigenvalues")


def outcome(hilo, library, name, folder):
    """"passed", "differs" or "failed", and the output of the command that fails."""
    (folder / f"{name}.hlo").write_text(RUNTIME_TEXTS[f"{name}.hlo"])
    commands = (
        [hilo, "compile", f"{name}.hlo", "--to", "object", "--target", "aarch64", "--runtime", "rt", "--test", "--random", "5",
         "-o", name],
        ["aarch64-linux-gnu-gcc", "-std=c99", "-static", f"{name}_test.c", f"{name}.o", library, "-o", name, "-lm"],
        ["qemu-aarch64", f"./{name}"])
    for command in commands:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "HILO_CACHE": "off"})
        if done.returncode == 1 and command[0] == "qemu-aarch64" and name in OF_LIBM and " differs at " in done.stdout:
            return "differs", ""
        if done.returncode != 0:
            return "failed", f"\n{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}"
    return "passed", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--arm", type=pathlib.Path, default=pathlib.Path("build/arm"))
    options = parser.parse_args()
    hilo, library = (options.build / "bin/hilo").resolve(), (options.arm / "lib/libhilo_rt.a").resolve()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="hilo_arm_") as folder:
        for name in IN_RUNTIME:
            word, text = outcome(hilo, library, name, pathlib.Path(folder))
            print(f"{word} {name}{text}", flush=True)
            failed += word == "failed"
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
