#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows docs/contributing/adding_an_op.md and docs/contributing/adding_a_structural_op.md in a copy of the tree,
builds it, and runs the pages' programs with the new ops.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import page_steps as steps  # noqa: E402

COPIED = ("CMakeLists.txt", "cmake", "src", "tools/unity.py")
MAX_FILES, MAX_NUMPY_LINES, MAX_STRUCTURAL_FILES = 3, 1, 6

# The arguments of the first page's program, and for each line that it prints what should stand there.
ARGUMENTS = (-100.0, -0.5, 0.0, 2.0, 30.0)
EXPECTED = (lambda x: abs(x) + math.log1p(math.exp(-2 * abs(x))) - math.log(2), math.tanh,
            lambda x: 1 - math.tanh(x) ** 2)


def it_changes_three_files_and_a_numpy_line(page, **_):
    changed = steps.changed_files(page)
    numpy = [name for name in changed if name.startswith("src/hilo/numpy/")]
    others = [name for name in changed if name not in numpy]
    lines = sum(len(block.splitlines()) for name, _, _, block in steps.EDIT.findall(page.read_text()) if name in numpy)
    assert len(others) <= MAX_FILES, f"the page changes {others}; wanted at most {MAX_FILES} files"
    assert lines <= MAX_NUMPY_LINES, f"the page adds {lines} lines to {numpy}; wanted at most {MAX_NUMPY_LINES}"


def it_changes_six_files(page, **_):
    changed = steps.changed_files(page)
    assert len(changed) <= MAX_STRUCTURAL_FILES, f"the page changes {changed}; wanted at most {MAX_STRUCTURAL_FILES} files"


def build(copy, jobs):
    steps.build_copy(copy, jobs, ("hilo", "hilo_codegen"), off=("BUILD_TOOL", "BUILD_TESTS", "BUILD_EXAMPLES", "BUILD_BENCH", "INSTALL"))


def the_op_goes_through_jit_grad_and_vmap(page, copy, **_):
    lines = steps.output_of(page, copy)
    assert len(lines) == len(EXPECTED), f"got {len(lines)} lines, wanted {len(EXPECTED)}: {lines}"
    for line, function in zip(lines, EXPECTED):
        steps.assert_near(line, [function(x) for x in ARGUMENTS])


if __name__ == "__main__":
    sys.exit(steps.run_pages(__doc__, COPIED, (
        steps.Page("adding_an_op", applied=(it_changes_three_files_and_a_numpy_line,), built=(
            steps.its_program_compiles, the_op_goes_through_jit_grad_and_vmap,
            steps.the_page_shows_what_its_program_prints)),
        steps.Page("adding_a_structural_op", applied=(it_changes_six_files,), built=(
            steps.its_program_compiles, steps.the_page_shows_what_its_program_prints)),
    ), build))
