#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""arm.py --build BUILD -- what of hilo runs on 64-bit ARM, under qemu-aarch64: cross-builds base, types and libhilo_rt.a
with their tests, runs these, and runs objects of `hilo compile --target aarch64`, with and without libhilo_rt.a.

Prints the failures, and for each part how many tests passed, and the time. The program and the library are in
BUILD/arm. It shows bits, not speed.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def output_of(*command):
    done = subprocess.run([str(part) for part in command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, env={**os.environ, "HILO_CACHE": "off"})
    return done.returncode, done.stdout


def cross_build(arm, jobs):
    """Builds the tests' program. Returns its output if that fails."""
    source = ROOT / "tests" / "aarch64"
    configure = ("cmake", "-G", "Ninja", "-S", source, "-B", arm, f"-DCMAKE_TOOLCHAIN_FILE={source}/toolchain.cmake")
    for command in (configure, ("cmake", "--build", arm, "-j", jobs)):
        code, text = output_of(*command)
        if code != 0:
            return text
    return None


def parts(build, arm):
    """By name: a command that prints lines "passed NAME" or gtest's."""
    return {
        "base, types, libhilo_rt.a": ("qemu-aarch64", arm / "test_portable"),
        "objects": (sys.executable, ROOT / "tests/aarch64/run.py", "--build", build),
        "objects with libhilo_rt.a": (sys.executable, ROOT / "tests/aarch64/runtime.py", "--build", build, "--arm", arm),
    }


def counts(text):
    """How many tests passed, and the lines of those that didn't."""
    passed = len(re.findall(r"^passed |^\[       OK \]", text, re.M))
    failures = re.findall(r"^(?:failed|differs) .*|^\[  FAILED  \] \S+ \(.*", text, re.M)
    return passed, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    build = options.build.resolve()
    arm = build / "arm"
    began = time.monotonic()
    broken = cross_build(arm, options.jobs)
    if broken is not None:
        print(f"the cross-build failed:\n{broken}")
        return 1
    print(f"cross-build: {time.monotonic() - began:.0f} s")
    bad = False
    for name, command in parts(build, arm).items():
        began = time.monotonic()
        code, text = output_of(*command)
        passed, failures = counts(text)
        bad |= code != 0 or passed == 0
        print(*failures, sep="\n", end="\n" if failures else "")
        if code != 0 and not failures:
            print(text[-2000:])
        print(f"{name}: {passed} of {passed + len(failures)} passed under qemu-aarch64, {time.monotonic() - began:.0f} s", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
