#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what docs/adding_a_library_call.md says in a copy of the tree, builds that, runs the page's commands.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import page_steps as steps  # noqa: E402

PAGE = steps.ROOT / "docs" / "adding_a_library_call.md"
COPIED = ("CMakeLists.txt", "cmake", "src", "tools/hilo")


def the_copy_builds(copy, jobs, **_):
    steps.build_copy(copy, jobs, ("hilo_command",), off=("BUILD_TESTS", "BUILD_EXAMPLES", "BUILD_BENCH", "INSTALL"))


if __name__ == "__main__":
    sys.exit(steps.run_page(__doc__, PAGE, COPIED, (
        steps.before_it_prints_what_the_page_shows, steps.the_page_can_be_applied, the_copy_builds,
        steps.after_it_prints_what_the_page_shows)))
