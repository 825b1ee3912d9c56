#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the pages of docs/tutorial, each as one program, and compares what its blocks print with the page. With
--write it puts what they print into the pages instead.

Prints "passed CASE" or "failed CASE" for each page; tools/run_tests.py counts them.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import page_programs  # noqa: E402
from command import ROOT  # noqa: E402

PAGES = ROOT / "docs" / "tutorial"
BLOCK = re.compile(r"^```cpp\n(.*?)```\n\n```\n(.*?)```$", re.S | re.M)
BETWEEN = "\x1e\n"
BEGIN = '#include <iostream>\n\n#include "hilo/hilo.h"\n\nusing namespace hilo;\n\nint main() {\n'


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("pages", nargs="*", help="default: all")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    pages = [page for page in sorted(PAGES.glob("[0-9]*.md")) if not arguments.pages or page.stem in arguments.pages]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for page, problem in zip(pages, pool.map(lambda page: problem_of(page, build, arguments.write), pages)):
            failed += problem is not None
            print(f"passed tutorial/{page.stem}" if problem is None else f"{problem}\nfailed tutorial/{page.stem}", flush=True)
    return 1 if failed or not pages else 0


def problem_of(page, build, write) -> str | None:
    text = page.read_text()
    blocks = BLOCK.findall(text)
    if not blocks:
        return f"{page.name} has no program with its output"
    program = BEGIN + "".join(f'{{\n{code}}}\nstd::cout << "\\x1e\\n";\n' for code, _ in blocks) + "}\n"
    try:
        printed = page_programs.run(program, build).split(BETWEEN)[:-1]
    except subprocess.CalledProcessError as error:
        return f"{page.name}: {error}"
    if write:
        outputs = iter(printed)
        page.write_text(BLOCK.sub(lambda match: f"```cpp\n{match[1]}```\n\n```\n{next(outputs)}```", text))
        return None
    for number, ((_, wanted), got) in enumerate(zip(blocks, printed), 1):
        if problem := page_programs.difference(got, wanted):
            return f"block {number}: {problem}"
    return None if len(blocks) == len(printed) else "the program ended early"


if __name__ == "__main__":
    sys.exit(main())
