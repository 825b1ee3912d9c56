#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows docs/contributing/adding_a_type.md in a copy of the tree. Builds the page's program and the files with a case
per type, and runs the program.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import page_steps as steps  # noqa: E402

COPIED = ("CMakeLists.txt", "cmake", "src")
OBJECT = re.compile(r"^(CMakeFiles/hilo\.dir/(?:generated/version|src/hilo/(\S+))\.cc\.o):", re.M)
LINKED = re.compile(r"(?:base|types|hlo/(?:build|eval|ir|ops|text))/")  # what evaluates HLO text
ONE_BY_ONE = "case ElementType::"


def build(copy, jobs):
    steps.configure_copy(copy, off=("UNITY", "BUILD_TOOL", "BUILD_TESTS", "BUILD_EXAMPLES", "BUILD_BENCH", "INSTALL"))
    steps.run("ninja", "-C", copy / "build", "-j", jobs, *linked(copy), *one_by_one(copy))


def linked(copy) -> list[str]:
    return [target for target, source in objects(copy) if not source or LINKED.match(source)]


def one_by_one(copy) -> list[str]:
    return [target for target, source in objects(copy)
            if source and ONE_BY_ONE in (copy / f"src/hilo/{source}.cc").read_text()]


def objects(copy) -> list[tuple[str, str]]:
    """(target, source in src/hilo without its ending; none for the generated one) of each object of the library."""
    return OBJECT.findall(steps.run("ninja", "-C", copy / "build", "-t", "targets", "all"))


def its_program_compiles(page, copy, **_):
    steps.compile_program(page, copy, *(copy / "build" / name for name in linked(copy)), "-lfmt", "-lz", "-ldl",
                          "-Wl,--wrap=__cxa_atexit")  # cmake/wrapped.cmake: base/process_end.cc stands before it


if __name__ == "__main__":
    sys.exit(steps.run_pages(__doc__, COPIED, (
        steps.Page("adding_a_type", built=(its_program_compiles, steps.the_page_shows_what_its_program_prints)),), build))
