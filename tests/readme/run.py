#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the program in README.md and compares its output with the block that follows it.

Prints "passed CASE" or "failed CASE"; tools/run_tests.py counts them.
"""

import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import ROOT  # noqa: E402
from page_programs import difference, run  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    text = (ROOT / "README.md").read_text()
    program = re.search(r"```cpp\n(.*?)```", text, re.S).group(1)
    wanted = re.search(r"It prints\n\n```\n(.*?)```", text, re.S).group(1)
    problem = difference(run(program, arguments.build.resolve()), wanted)
    print(f"failed readme/program: {problem}" if problem else "passed readme/program")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
