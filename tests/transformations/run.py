#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the programs of docs/transformations.md and compares the output with the page. Programs that the
page lists as errors must be rejected by the compiler with the listed messages.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import page_programs  # noqa: E402
from command import ROOT  # noqa: E402

PAGE = ROOT / "docs" / "transformations.md"
EXAMPLE = re.compile(r"^## ([^\n]*)$|^```cpp\n(.*?)```\n\n```\n(.*?)```$", re.S | re.M)
REFUSED = re.compile(r"^\| `([^`]*;)` \| ([^|]*) \|$", re.M)
BEGIN = '#include <iostream>\n#include <memory>\n#include <unordered_map>\n#include <variant>\n\n#include "hilo/hilo.h"\n\nusing namespace hilo;\n\n'


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    build, text = arguments.build.resolve(), PAGE.read_text()
    cases = [(name, problem) for name, problem in examples(text, build)] + list(refused(text, build))
    for name, problem in cases:
        print(f"failed {name}: {problem}" if problem else f"passed {name}")
    return 1 if any(problem for _, problem in cases) else 0


def examples(text: str, build: pathlib.Path):
    """All programs are one, each a block of its own, so that the headers are read once."""
    section, found = "", []
    for heading, program, output in EXAMPLE.findall(text):
        section = heading or section
        if program:
            found.append((re.sub(r"\W+", "_", section.lower()), program, output))
    blocks = "".join('{\n%s}\nstd::cout << "--- end\\n" << std::flush;\n' % program for _, program, _ in found)
    outputs = page_programs.run(BEGIN + "int main() {\n" + blocks + "}\n", build).split("--- end\n")
    assert len(found) > 5 and len(outputs) == len(found) + 1, "the page's programs were not all found"
    for number, ((name, _, wanted), got) in enumerate(zip(found, outputs)):
        yield f"example_{number}_{name}", page_programs.difference(got, wanted)


def refused(text: str, build: pathlib.Path):
    rows = REFUSED.findall(text)
    assert rows, "the page shows nothing that the compiler refuses"
    for number, (program, sentence) in enumerate(rows):
        with tempfile.TemporaryDirectory(prefix="hilo_transformations_") as folder:
            source = pathlib.Path(folder) / "program.cc"
            source.write_text(BEGIN + "int main() {\n" + program + "\n}\n")
            done = subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", "-I", ROOT / "src", "-I",
                                   build / "generated", source], text=True, stderr=subprocess.PIPE)
        errors = re.findall(r"error: (.*)", done.stderr)
        said = len(errors) == 1 and sentence.strip() in errors[0]
        yield f"refused_{number}", None if said else f"the compiler doesn't say '{sentence.strip()}' alone, but {errors}"


if __name__ == "__main__":
    sys.exit(main())
