#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what the pages on adding an op, a structural op, a pass and a library call (docs/contributing/adding_*.md) say in one
copy of the tree, builds that, runs the pages' programs, commands and golden cases.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import page_steps as steps  # noqa: E402

# Of the tests those of passes alone: their names are the folder's, so one program has them.
COPIED = ("CMakeLists.txt", "cmake", "src", "tools/hilo", "tools/unity.py", "tests/CMakeLists.txt", "tests/paths.h.in",
          "tests/support", "tests/hlo/passes/golden_test.cc")
MOST_FILES, MOST_NUMPY_LINES = 3, 1

# The arguments of the first page's program, and for each line that it prints what should stand there.
ARGUMENTS = (-100.0, -0.5, 0.0, 2.0, 30.0)
EXPECTED = (lambda x: abs(x) + math.log1p(math.exp(-2 * abs(x))) - math.log(2), math.tanh, lambda x: 1 - math.tanh(x) ** 2)


def build(copy, jobs):
    steps.build_copy(copy, jobs, ("hilo_command", "test_hlo"), off=("BUILD_EXAMPLES", "BUILD_BENCH", "INSTALL"))


def it_changes_three_files_and_a_numpy_line(page, **_):
    changed = steps.changed_files(page)
    numpy = [name for name in changed if name.startswith("src/hilo/numpy/")]
    others = [name for name in changed if name not in numpy]
    lines = sum(len(block.splitlines()) for name, _, _, block in steps.EDIT.findall(page.read_text()) if name in numpy)
    assert len(others) <= MOST_FILES, f"the page changes {others}; wanted at most {MOST_FILES} files"
    assert lines <= MOST_NUMPY_LINES, f"the page adds {lines} lines to {numpy}; wanted at most {MOST_NUMPY_LINES}"


def the_op_goes_through_jit_grad_and_vmap(page, copy, **_):
    lines = steps.output_of(page, copy)
    assert len(lines) == len(EXPECTED), f"got {len(lines)} lines, wanted {len(EXPECTED)}: {lines}"
    for line, function in zip(lines, EXPECTED):
        steps.assert_near(line, [function(x) for x in ARGUMENTS])


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
    program = (steps.its_program_compiles, steps.the_page_shows_what_its_program_prints)
    sys.exit(steps.run_pages(__doc__, COPIED, (
        steps.Page("adding_an_op", applied=(it_changes_three_files_and_a_numpy_line,),
                   built=(*program, the_op_goes_through_jit_grad_and_vmap)),
        steps.Page("adding_a_structural_op", built=program),
        steps.Page("adding_a_pass", before=before, built=(
            *built, its_golden_cases_pass, they_fail_on_what_the_pass_does_not_make)),
        steps.Page("adding_a_library_call", before=before, built=built),
    ), build))
