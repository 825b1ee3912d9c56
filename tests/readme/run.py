#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the program in README.md and compares its output with the block that follows it.

Prints "passed CASE" or "failed CASE"; tools/run_tests.py counts them.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


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


def run(program: str, build: pathlib.Path) -> str:
    with tempfile.TemporaryDirectory(prefix="hilo_readme_") as folder:
        source, binary = pathlib.Path(folder) / "program.cc", pathlib.Path(folder) / "program"
        source.write_text(program)
        subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-I", ROOT / "src", "-I", build / "generated", source, "-o", binary,
                        "-L", build / "lib", "-lhilo", "-Wl,-rpath," + str(build / "lib")], check=True)
        return subprocess.run([binary], check=True, text=True, stdout=subprocess.PIPE).stdout


def difference(got: str, wanted: str) -> str | None:
    """Words must be equal; numbers may differ in their last digits, because processors differ in vector width."""
    got_words, wanted_words = re.findall(r"[^\s\[\]]+", got), re.findall(r"[^\s\[\]]+", wanted)
    for a, b in zip(got_words, wanted_words):
        try:
            same = a == b or abs(float(a) - float(b)) <= 1e-5
        except ValueError:
            same = a == b
        if not same:
            return f"got '{a}', README.md says '{b}'"
    return None if len(got_words) == len(wanted_words) else f"got {got!r}, README.md says {wanted!r}"


if __name__ == "__main__":
    sys.exit(main())
