#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a subset of the front end's own tests on the fake plugin; tests/interop/front_end.py runs all.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "interop"), str(TESTS / "support")]
import front_end  # noqa: E402
from command import run_cases  # noqa: E402

SHARE = {"lax": 12, "numpy": 12, "replica": 4, "linalg": 4}  # each n-th test


def the_front_ends_tests_pass_through_the_fake_plugin(place):
    for name, every in SHARE.items():
        results = list(front_end.cases(place.build / "bin" / "tests", name, every, str(place.folder)))
        wrong = [f"{test}\n{problem}" for test, problem in results if problem]
        assert results and not wrong, "\n".join(wrong) or f"{name}: no test"


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, (the_front_ends_tests_pass_through_the_fake_plugin,), {}))
