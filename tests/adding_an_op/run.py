#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what docs/adding_an_op.md says in a copy of the tree, builds that, runs the page's program with the new op.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them. The copy's build tree lies in it as
build/ lies here, so that ccache has the objects on which the page changes nothing.
"""

import argparse
import filecmp
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "adding_an_op.md"
COPIED = ("CMakeLists.txt", "cmake", "src")
MOST_FILES, MOST_NUMPY_LINES = 3, 1

EDIT = re.compile(r"^In `([^`]+)`, (after|before) the line with `([^`]+)`:\n\n```cpp\n(.*?)```$", re.S | re.M)
PROGRAM = re.compile(r"^This program\n\n```cpp\n(.*?)```$", re.S | re.M)
OUTPUT = re.compile(r"^prints [^\n]*:\n\n```\n(.*?)```$", re.S | re.M)

# The page's arguments, and for each line that its program prints what should stand there.
ARGUMENTS = (-100.0, -0.5, 0.0, 2.0, 30.0)
EXPECTED = (lambda x: abs(x) + math.log1p(math.exp(-2 * abs(x))) - math.log(2), math.tanh, lambda x: 1 - math.tanh(x) ** 2)
TOLERANCE = 1e-6  # of f32, relative, or absolute below 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="hilo_adding_an_op_") as folder:
        context = {"copy": pathlib.Path(folder) / "hilo", "jobs": arguments.jobs}
        copy_tree(context["copy"])
        for case in (the_page_can_be_applied, it_changes_three_files_and_a_numpy_line, the_copy_builds,
                     the_op_goes_through_jit_grad_and_vmap, the_page_shows_what_its_program_prints):
            started = time.monotonic()
            try:
                case(**context)
                print(f"passed {case.__name__} ({time.monotonic() - started:.2f} s)", flush=True)
            except (AssertionError, OSError) as error:
                failed += 1
                print(f"{error}\nfailed {case.__name__} ({time.monotonic() - started:.2f} s)", flush=True)
    return 1 if failed else 0


def copy_tree(copy: pathlib.Path):
    copy.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name)
        else:
            shutil.copy2(ROOT / name, copy / name)


def the_page_can_be_applied(copy, **_):
    edits = EDIT.findall(PAGE.read_text())
    assert edits, f"{PAGE}: no block names its file and place"
    for name, side, anchor, block in edits:
        path = copy / name
        assert path.exists(), f"{PAGE}: there is no {name}"
        lines = path.read_text().splitlines(keepends=True)
        places = [number for number, line in enumerate(lines) if anchor in line]
        assert len(places) == 1, f"{PAGE}: {len(places)} lines of {name} hold '{anchor}'; wanted one"
        lines.insert(places[0] + (side == "after"), block)
        path.write_text("".join(lines))


def it_changes_three_files_and_a_numpy_line(copy, **_):
    changed = [path.relative_to(copy).as_posix() for path in sorted(copy.rglob("*"))
               if path.is_file() and not same_as_here(path, path.relative_to(copy))]
    numpy = [name for name in changed if name.startswith("src/hilo/numpy/")]
    added = sum(len((copy / name).read_text().splitlines()) - len((ROOT / name).read_text().splitlines()) for name in numpy)
    others = [name for name in changed if name not in numpy]
    assert changed, "the page changes nothing"
    assert len(others) <= MOST_FILES, f"the page changes {others}; wanted at most {MOST_FILES} files"
    assert added <= MOST_NUMPY_LINES, f"the page adds {added} lines to {numpy}; wanted at most {MOST_NUMPY_LINES}"


def same_as_here(path, name) -> bool:
    return (ROOT / name).exists() and filecmp.cmp(path, ROOT / name, shallow=False)


def the_copy_builds(copy, jobs, **_):
    off = [f"-DHILO_{part}=OFF" for part in ("BUILD_TOOL", "BUILD_TESTS", "BUILD_EXAMPLES", "BUILD_BENCH", "INSTALL")]
    run("cmake", "-G", "Ninja", "-S", copy, "-B", copy / "build", *off)
    run("ninja", "-C", copy / "build", "-j", jobs, "hilo")
    source, program = copy / "program.cc", copy / "program"
    source.write_text(only(PROGRAM))
    run(os.environ.get("CXX", "g++"), "-std=c++20", "-I", copy / "src", "-I", copy / "build/generated", source, "-o",
        program, "-L", copy / "build/lib", "-lhilo", f"-Wl,-rpath,{copy / 'build/lib'}")


def the_op_goes_through_jit_grad_and_vmap(copy, **_):
    lines = numbers(run(copy / "program"))
    assert len(lines) == len(EXPECTED), f"got {len(lines)} lines, wanted {len(EXPECTED)}: {lines}"
    for line, function in zip(lines, EXPECTED):
        wanted = [function(x) for x in ARGUMENTS]
        assert_near(line, wanted, TOLERANCE)


def the_page_shows_what_its_program_prints(copy, **_):
    """Digits may differ: processors differ in vector width."""
    shown, printed = numbers(only(OUTPUT)), numbers(run(copy / "program"))
    assert len(shown) == len(printed), f"the page shows {shown}, the program prints {printed}"
    for a, b in zip(shown, printed):
        assert_near(a, b, TOLERANCE)


def assert_near(got: list[float], wanted: list[float], tolerance: float):
    near = len(got) == len(wanted) and all(abs(a - b) <= tolerance * max(1, abs(b)) for a, b in zip(got, wanted))
    assert near, f"got {got}, wanted {wanted}"


def numbers(text: str) -> list[list[float]]:
    return [[float(word) for word in re.findall(r"[^\s\[\]]+", line)] for line in text.splitlines() if line]


def only(pattern: re.Pattern) -> str:
    found = pattern.findall(PAGE.read_text())
    assert len(found) == 1, f"{PAGE}: {len(found)} blocks match {pattern.pattern!r}; wanted one"
    return found[0]


def run(*command) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert done.returncode == 0, f"{' '.join(map(str, command))}: exit status {done.returncode}\n{said}"
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
