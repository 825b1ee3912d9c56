#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A short form of the soak test with faults: each fault once, in an order selected by a seed, for a few seeds.

The long form is `make soak FAULTS=1`. Prints "passed CASE" or "failed CASE"; tools/run_tests.py counts them."""

import argparse
import pathlib
import sys
import time

import faults

SEEDS = (1, 2, 3)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "build")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    failed = 0
    for seed in SEEDS:
        started = time.monotonic()
        problems = faults.soak(arguments.build.resolve(), seed, steps=len(faults.Soak.FAULTS))
        failed += bool(problems)
        print(*problems, sep="\n")
        print(f"{'failed' if problems else 'passed'} seed_{seed} ({time.monotonic() - started:.1f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
