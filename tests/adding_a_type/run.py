#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what docs/adding_a_type.md says in a copy of the tree, builds the folders up to HLO, which need nothing above them, and
what else knows types one by one; runs the page's program.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import page_steps as steps  # noqa: E402

COPIED = ("CMakeLists.txt", "cmake", "src")
LINKED = re.compile(r"^(CMakeFiles/hilo\.dir/(?:generated/version|src/hilo/(?:base|types|hlo)/\S+)\S*\.o):", re.M)
COMPILED = re.compile(r"^(CMakeFiles/hilo\.dir/src/hilo/(?:backend/cpu/emit|stablehlo/tree|numpy/dtypes)\S*\.o):", re.M)


def build(copy, jobs):
    steps.configure_copy(copy, off=("BUILD_TOOL", "BUILD_TESTS", "BUILD_EXAMPLES", "BUILD_BENCH", "INSTALL"))
    targets = steps.run("ninja", "-C", copy / "build", "-t", "targets", "all")
    steps.run("ninja", "-C", copy / "build", "-j", jobs, *LINKED.findall(targets), *COMPILED.findall(targets))


def its_program_compiles(page, copy, **_):
    targets = steps.run("ninja", "-C", copy / "build", "-t", "targets", "all")
    steps.compile_program(page, copy, *(copy / "build" / name for name in LINKED.findall(targets)), "-lfmt", "-lz", "-ldl",
                          "-Wl,--wrap=__cxa_atexit")  # cmake/wrapped.cmake: base/process_end.cc stands before it


if __name__ == "__main__":
    sys.exit(steps.run_pages(__doc__, COPIED, (
        steps.Page("adding_a_type", built=(its_program_compiles, steps.the_page_shows_what_its_program_prints)),), build))
