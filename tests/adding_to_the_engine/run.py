#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows docs/contributing/adding_a_pass.md and docs/contributing/adding_a_library_call.md in a copy of the tree,
builds it, and runs the pages' commands and golden cases.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import page_steps as steps  # noqa: E402

# Of the tests those of passes alone: their names are the folder's, so one program has them.
COPIED = ("CMakeLists.txt", "cmake", "src", "tools/hilo", "tools/unity.py", "tests/CMakeLists.txt", "tests/paths.h.in",
          "tests/support", "tests/hlo/passes/passes_test.cc")


def build(copy, jobs):
    steps.build_copy(copy, jobs, ("hilo_command", "test_hlo"), off=("BUILD_EXAMPLES", "BUILD_BENCH", "INSTALL"))


def its_golden_cases_pass(copy, **_):
    said = golden(copy)
    assert "[  PASSED  ] 1 test." in said, said


def they_fail_on_what_the_pass_does_not_make(copy, **_):
    """The case of two more than x, when it is one more."""
    case = copy / "tests/hlo/passes/raise_log1p/sum.hlo"
    case.write_text(case.read_text().replace("two = f32[] constant(2)", "two = f32[] constant(1)"))
    try:
        said = golden(copy)
    except AssertionError as error:
        assert "// CHECK: %c" in str(error), error
    else:
        raise AssertionError(f"the case passes:\n{said}")


def golden(copy) -> str:
    return steps.run(copy / "build/bin/tests/test_hlo", "--gtest_filter=*raise_log1p*")


if __name__ == "__main__":
    before, built = (steps.before_it_prints_what_the_page_shows,), (steps.after_it_prints_what_the_page_shows,)
    sys.exit(steps.run_pages(__doc__, COPIED, (
        steps.Page("adding_a_pass", before=before, built=(
            *built, its_golden_cases_pass, they_fail_on_what_the_pass_does_not_make)),
        steps.Page("adding_a_library_call", before=before, built=built),
    ), build))
