# SPDX-License-Identifier: Apache-2.0
"""page_programs.py -- how the programs of README.md and of pages are compiled, run and compared."""

import os
import pathlib
import re
import subprocess
import tempfile

from command import ROOT


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
