#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what docs/adding_an_op.md says in a copy of the tree, builds that, runs the page's program with the new op.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import filecmp
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import page_steps as steps  # noqa: E402
from page_steps import ROOT  # noqa: E402

PAGE = ROOT / "docs" / "adding_an_op.md"
COPIED = ("CMakeLists.txt", "cmake", "src")
MOST_FILES, MOST_NUMPY_LINES = 3, 1

# The page's arguments, and for each line that its program prints what should stand there.
ARGUMENTS = (-100.0, -0.5, 0.0, 2.0, 30.0)
EXPECTED = (lambda x: abs(x) + math.log1p(math.exp(-2 * abs(x))) - math.log(2), math.tanh, lambda x: 1 - math.tanh(x) ** 2)


def it_changes_three_files_and_a_numpy_line(copy, **_):
    changed = [path.relative_to(copy).as_posix() for path in sorted(copy.rglob("*"))
               if path.is_file() and not same_as_here(path, path.relative_to(copy))]
    numpy = [name for name in changed if name.startswith("src/hilo/numpy/")]
    added = sum(len((copy / name).read_text().splitlines()) - len((ROOT / name).read_text().splitlines()) for name in numpy)
    others = [name for name in changed if name not in numpy]
    assert changed, "the page changes nothing"
    assert len(others) <= MOST_FILES, f"the page changes {others}; wanted at most {MOST_FILES} files"
    assert added <= MOST_NUMPY_LINES, f"the page adds {added} lines to {numpy}; wanted at most {MOST_NUMPY_LINES}"


def same_as_here(path, name) -> bool:
    return (ROOT / name).exists() and filecmp.cmp(path, ROOT / name, shallow=False)


def the_op_goes_through_jit_grad_and_vmap(copy, **_):
    lines = steps.numbers(steps.run(copy / "program"))
    assert len(lines) == len(EXPECTED), f"got {len(lines)} lines, wanted {len(EXPECTED)}: {lines}"
    for line, function in zip(lines, EXPECTED):
        wanted = [function(x) for x in ARGUMENTS]
        steps.assert_near(line, wanted)


if __name__ == "__main__":
    sys.exit(steps.run_page(__doc__, PAGE, COPIED, (
        steps.the_page_can_be_applied, it_changes_three_files_and_a_numpy_line, steps.the_library_and_the_program_build,
        the_op_goes_through_jit_grad_and_vmap, steps.the_page_shows_what_its_program_prints)))
