#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what docs/adding_a_structural_op.md says in a copy of the tree, builds that, runs the page's program.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import page_steps as steps  # noqa: E402

PAGE = steps.ROOT / "docs" / "adding_a_structural_op.md"
COPIED = ("CMakeLists.txt", "cmake", "src")

if __name__ == "__main__":
    sys.exit(steps.run_page(__doc__, PAGE, COPIED, (
        steps.the_page_can_be_applied, steps.the_library_and_the_program_build,
        steps.the_page_shows_what_its_program_prints)))
