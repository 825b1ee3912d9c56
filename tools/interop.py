#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the scripts of tests/interop in a virtual environment with JAX, and 1,000 compilations under all dump flags.

Creates the environment if it doesn't exist (tools/peer.py). Ends with "N passed, N failed". Exit status 2 if the wheels
aren't available."""

import argparse
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import peer  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRIPTS = ("with_jax.py", "protos.py", "hlo_texts.py", "round_trip.py", "graph_page.py", "gradients.py", "open_sizes.py", "accuracy.py", "edge_cases.py",
           "mutants.py", "mutated_modules.py", "random_programs.py", "random_values.py", "pjrt_abi.py", "caller_sizes.py", "conform.py", "shardings.py",
           "plugins.py", "front_end.py", "gpu.py", "wheel.py", "newer_jaxlib.py", "libraries.py")
COMPILATIONS = "1000"
COUNTS = re.compile(r"(\d+) passed, (\d+) failed")


def main() -> int:
    os.environ.setdefault("HILO_CACHE", "off")  # what is measured and tested is compiled
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("scripts", nargs="*", default=SCRIPTS, help="default: all")
    arguments = parser.parse_args()
    python = peer.make(peer.TESTED)
    if python is None:
        return 2
    binaries = arguments.build.resolve() / "bin"
    passed = failed = 0
    for script in arguments.scripts:
        print(f"-- {script}", flush=True)
        counts = run([python, ROOT / "tests" / "interop" / script, "--command", binaries / "hilo"])
        passed, failed = passed + counts[0], failed + counts[1]
    print(f"-- {COMPILATIONS} compilations under all dump flags", flush=True)
    counts = run([binaries / "tests" / "test_client", "--gtest_brief=1", "--gtest_filter=*ManyCompilations*"],
                 HILO_TEST_COMPILES=COMPILATIONS)
    print(f"{passed + counts[0]} passed, {failed + counts[1]} failed")
    return 1 if failed + counts[1] else 0


def run(command, **variables) -> tuple[int, int]:
    """Prints the output of the command; returns how many cases passed and failed. A command without counts is one
    case."""
    counts = None
    with subprocess.Popen(list(map(str, command)), env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True,
                          errors="replace") as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            if found := COUNTS.fullmatch(line.strip()):
                counts = int(found[1]), int(found[2])
    failed = process.returncode != 0
    if counts is None:
        return int(not failed), int(failed)
    return counts[0], max(counts[1], int(failed))


if __name__ == "__main__":
    sys.exit(main())
