#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the programs of the tutorial, the how-tos, the reference pages and the guides for newcomers, and
compares the output with the page. With --write it puts the output into the pages instead.

Prints "passed CASE" or "failed CASE" for each program; tools/run_tests.py counts them.
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import page_programs  # noqa: E402
from command import ROOT  # noqa: E402

DOCS = ROOT / "docs"
DEVICES = [DOCS / "reference" / name for name in ("pmap.md", "shard_map.md")]  # several, which a process sets once
# Pages that are one program, by the name of the case.
PROGRAMS = {page.stem: [page] for page in (*sorted((DOCS / "tutorial").glob("[0-9]*.md")), DOCS / "how_to.md", DOCS / "faster.md")}
PROGRAMS["reference"] = [page for page in sorted((DOCS / "reference").glob("*.md")) if page not in (*DEVICES, DOCS / "reference" / "README.md")]
PROGRAMS["reference_devices"] = DEVICES
PROGRAMS["coming_from"] = [page for page in sorted((DOCS / "coming_from").glob("*.md")) if page.stem != "README"]
PROGRAMS["coming_from"].append(DOCS / "index.md")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("programs", nargs="*", help="default: all")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    programs = [name for name in PROGRAMS if not arguments.programs or name in arguments.programs]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        problems = pool.map(lambda name: page_programs.problem_of_pages(PROGRAMS[name], build, arguments.write),
                            programs)
        for name, problem in zip(programs, problems):
            failed += problem is not None
            print(f"passed tutorial/{name}" if problem is None else f"{problem}\nfailed tutorial/{name}", flush=True)
    return 1 if failed or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
