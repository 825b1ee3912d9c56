#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the programs of docs/sharding.md as one program, and compares the output with the page.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import page_programs  # noqa: E402
from command import ROOT  # noqa: E402

PAGE = ROOT / "docs" / "sharding.md"
EXAMPLE = re.compile(r"^```cpp\n(.*?)```\n\n```\n(.*?)```$", re.S | re.M)
BEGIN = '#include <iostream>\n\n#include "hilo/sharding.h"\n\nusing namespace hilo;\n\nint main() {\n'


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=1)
    build = parser.parse_args().build.resolve()
    found = EXAMPLE.findall(PAGE.read_text())
    blocks = "".join('%s\nstd::cout << "--- end\\n" << std::flush;\n' % program for program, _ in found)
    outputs = page_programs.run(BEGIN + blocks + "}\n", build).split("--- end\n")
    assert len(found) > 3 and len(outputs) == len(found) + 1, "the page's programs were not all found"
    problems = [page_programs.difference(got, wanted) for (_, wanted), got in zip(found, outputs)]
    for number, problem in enumerate(problems):
        print(f"failed example_{number}: {problem}" if problem else f"passed example_{number}")
    return 1 if any(problems) else 0


if __name__ == "__main__":
    sys.exit(main())
