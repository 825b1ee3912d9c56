#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what docs/adding_a_type.md says in a copy of the tree, builds the folders up to HLO, which need nothing above them, and
what else knows types one by one; runs the page's program.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import page_steps as steps  # noqa: E402

PAGE = steps.ROOT / "docs" / "adding_a_type.md"
COPIED = ("CMakeLists.txt", "cmake", "src")
LINKED = re.compile(r"^(CMakeFiles/hilo\.dir/src/hilo/(?:base|types|hlo)/\S+\.o):", re.M)
COMPILED = re.compile(r"^(CMakeFiles/hilo\.dir/src/hilo/(?:backend/cpu/emit|stablehlo/tree|numpy/dtypes)\S*\.o):", re.M)


def the_lower_folders_and_the_program_build(page, copy, jobs, **_):
    steps.configure_copy(copy, off=("BUILD_TOOL", "BUILD_TESTS", "BUILD_EXAMPLES", "BUILD_BENCH", "INSTALL"))
    targets = steps.run("ninja", "-C", copy / "build", "-t", "targets", "all")
    linked = LINKED.findall(targets)
    steps.run("ninja", "-C", copy / "build", "-j", jobs, *linked, *COMPILED.findall(targets))
    source = copy / "program.cc"
    source.write_text(steps.only(page, steps.SOURCE))
    steps.run(os.environ.get("CXX", "g++"), "-std=c++20", "-I", copy / "src", source, *(copy / "build" / name for name in linked),
              "-o", copy / "program", "-lfmt", "-lz", "-ldl")


if __name__ == "__main__":
    sys.exit(steps.run_page(__doc__, PAGE, COPIED, (
        steps.the_page_can_be_applied, the_lower_folders_and_the_program_build,
        steps.the_page_shows_what_its_program_prints)))
