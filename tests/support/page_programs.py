# SPDX-License-Identifier: Apache-2.0
"""page_programs.py -- compiles and runs the programs of README.md and of pages, and compares the output."""

import os
import pathlib
import re
import subprocess
import tempfile

from command import ROOT

BLOCK = re.compile(r"^```cpp\n(.*?)```\n\n```\n(.*?)```$", re.S | re.M)  # a program, and the block with its output
INCLUDE = re.compile(r'#include ("(?:hilo|examples/\w+)/\w+\.h"|<\w+>)')
BETWEEN = "\x1e\n"


def blocks(text: str) -> list[tuple[str, str]]:
    """Returns a page's programs, each with the output on the page."""
    return BLOCK.findall(text)


def output_of_blocks(text: str, build: pathlib.Path) -> list[str]:
    """Returns the output of each block of a page. The blocks are compiled as one program with the headers that the page
    names, each block in its own braces. The list is shorter than the page's if the program ended early."""
    headers = dict.fromkeys(["<chrono>", "<iostream>", '"hilo/core.h"', *INCLUDE.findall(text)])
    program = "".join(f"#include {header}\n" for header in headers) + "using namespace hilo;\nint main() {\n"
    program += "".join(f'{{\n{code}}}\nstd::cout << "\\x1e\\n" << std::flush;\n' for code, _ in blocks(text)) + "}\n"
    return run(program, build).split(BETWEEN)[:-1]


def with_outputs(text: str, outputs: list[str]) -> str:
    """Returns the page with its outputs replaced by these."""
    printed = iter(outputs)
    return BLOCK.sub(lambda match: f"```cpp\n{match[1]}```\n\n```\n{next(printed)}```", text)


def problem_of_pages(pages: list[pathlib.Path], build: pathlib.Path, write: bool = False) -> str | None:
    """Returns the first error in the programs of some pages. They are compiled as one program, so that the headers are
    parsed once. With `write` their output goes into the pages instead."""
    texts = [page.read_text() for page in pages]
    counts = [len(blocks(text)) for text in texts]
    for page, count in zip(pages, counts):
        if count == 0:
            return f"{page.name} has no program with its output"
    try:
        outputs = output_of_blocks("\n".join(texts), build)
    except subprocess.CalledProcessError as error:
        return f"{', '.join(page.name for page in pages)}: {error}"
    for page, text, count in zip(pages, texts, counts):
        printed, outputs = outputs[:count], outputs[count:]
        if len(printed) < count:
            return f"{page.name}: the program ended early"
        if write:
            page.write_text(with_outputs(text, printed))
            continue
        for number, ((_, expected), got) in enumerate(zip(blocks(text), printed), 1):
            if problem := difference(got, expected, page.name):
                return f"block {number}: {problem}"
    return None


def run(program: str, build: pathlib.Path) -> str:
    """Compiles a program, runs it in an empty folder and returns what it prints."""
    with tempfile.TemporaryDirectory(prefix="hilo_readme_") as folder:
        source, binary = pathlib.Path(folder) / "program.cc", pathlib.Path(folder) / "program"
        source.write_text(program)
        subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-I", ROOT / "src", "-I", ROOT, "-I", build / "generated", source, "-o", binary,
                        "-L", build / "lib", "-lhilo", "-Wl,-rpath," + str(build / "lib")], check=True)
        return subprocess.run([binary], check=True, text=True, stdout=subprocess.PIPE, cwd=folder).stdout


def difference(got: str, wanted: str, page: str = "README.md") -> str | None:
    """Words must be equal; numbers may differ in their last digits, because processors differ in vector width."""
    got_words, wanted_words = re.findall(r"[^\s\[\]]+", got), re.findall(r"[^\s\[\]]+", wanted)
    for a, b in zip(got_words, wanted_words):
        try:
            same = a == b or abs(float(a) - float(b)) <= 1e-5
        except ValueError:
            same = a == b
        if not same:
            return f"got '{a}', {page} says '{b}'"
    return None if len(got_words) == len(wanted_words) else f"got {got!r}, {page} says {wanted!r}"
