#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the pages of docs/tutorial, docs/how_to.md and docs/faster.md, each as one program, and compares what they print with
the page. With --write it puts what they print into the pages instead.

Prints "passed CASE" or "failed CASE" for each page; tools/run_tests.py counts them.
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
PAGES = [*sorted((DOCS / "tutorial").glob("[0-9]*.md")), DOCS / "how_to.md", DOCS / "faster.md"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("pages", nargs="*", help="default: all")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    pages = [page for page in PAGES if not arguments.pages or page.stem in arguments.pages]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        problems = pool.map(lambda page: page_programs.problem_of_page(page, build, arguments.write), pages)
        for page, problem in zip(pages, problems):
            failed += problem is not None
            print(f"passed tutorial/{page.stem}" if problem is None else f"{problem}\nfailed tutorial/{page.stem}", flush=True)
    return 1 if failed or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
