# SPDX-License-Identifier: Apache-2.0
"""page_steps.py -- what the tests of docs/adding_*.md share: they do a page's steps in a copy of the tree.

The copy's build tree lies in it as build/ lies here, so that ccache has the objects on which the page changes nothing.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from command import ROOT, own_environment

EDIT = re.compile(r"\bIn\s`([^`]+)`, (after|before) the line with\s`([^`]+)`:\n\n```cpp\n(.*?)```$", re.S | re.M)
NEW_FILE = re.compile(r"^The new file `([^`]+)`:\n\n```(?:cpp)?\n(.*?)```$", re.S | re.M)
PROGRAM = re.compile(r"program\s`([\w.]+)`[^`]*\n\n```\n(.*?)```$", re.S | re.M)
SOURCE = re.compile(r"^This program\n\n```cpp\n(.*?)```$", re.S | re.M)
OUTPUT = re.compile(r"^prints [^\n]*:\n\n```\n(.*?)```$", re.S | re.M)
SESSION = re.compile(r"^```console\n(.*?)```$", re.S | re.M)
COMMAND = re.compile(r"^\$ ([^\n]*)\n((?:(?!\$ )[^\n]*\n)*)", re.M)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")
TOLERANCE = 1e-6  # of f32, relative: processors differ in vector width


def run_page(description: str, page: pathlib.Path, copied: tuple[str, ...], cases: tuple) -> int:
    """Calls each case with page, copy (of the files and folders `copied`), build (the tree's own) and jobs, and prints
    "passed CASE" or "failed CASE"; the exit status."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix=f"hilo_{page.stem}_") as folder:
        copy = pathlib.Path(folder) / "hilo"
        copy_tree(copy, copied)
        for case in cases:
            started = time.monotonic()
            try:
                case(page=page, copy=copy, build=arguments.build.resolve(), jobs=arguments.jobs)
                print(f"passed {case.__name__} ({time.monotonic() - started:.2f} s)", flush=True)
            except (AssertionError, OSError) as error:
                failed += 1
                print(f"{error}\nfailed {case.__name__} ({time.monotonic() - started:.2f} s)", flush=True)
    return 1 if failed else 0


def copy_tree(copy: pathlib.Path, names: tuple[str, ...]):
    for name in names:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name)
        else:
            shutil.copy2(ROOT / name, copy / name)


def the_page_can_be_applied(page, copy, **_):
    text = page.read_text()
    edits = EDIT.findall(text)
    assert edits, f"{page}: no block names its file and place"
    for name, block in NEW_FILE.findall(text):
        path = copy / name
        assert not (ROOT / name).exists(), f"{page}: {name} is there already"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block)
    for name, side, anchor, block in edits:
        path = copy / name
        assert path.exists(), f"{page}: there is no {name}"
        lines = path.read_text().splitlines(keepends=True)
        places = [number for number, line in enumerate(lines) if anchor in line]
        assert len(places) == 1, f"{page}: {len(places)} lines of {name} hold '{anchor}'; wanted one"
        lines.insert(places[0] + (side == "after"), block)
        path.write_text("".join(lines))


def configure_copy(copy, off: tuple[str, ...]):
    """`off`: the parts that nothing needs, as in HILO_BUILD_BENCH."""
    run("cmake", "-G", "Ninja", "-S", copy, "-B", copy / "build", *(f"-DHILO_{part}=OFF" for part in off))


def build_copy(copy, jobs, targets: tuple[str, ...], off: tuple[str, ...]):
    configure_copy(copy, off)
    run("ninja", "-C", copy / "build", "-j", jobs, *targets)


def the_library_and_the_program_build(page, copy, jobs, **_):
    build_copy(copy, jobs, ("hilo",), off=("BUILD_TOOL", "BUILD_TESTS", "BUILD_EXAMPLES", "BUILD_BENCH", "INSTALL"))
    source, program = copy / "program.cc", copy / "program"
    source.write_text(only(page, SOURCE))
    run(os.environ.get("CXX", "g++"), "-std=c++20", "-I", copy / "src", "-I", copy / "build/generated", source, "-o", program,
        "-L", copy / "build/lib", "-lhilo", f"-Wl,-rpath,{copy / 'build/lib'}")


def the_page_shows_what_its_program_prints(page, copy, **_):
    """Digits may differ: processors differ in vector width."""
    shown, printed = numbers(only(page, OUTPUT)), numbers(run(copy / "program"))
    assert len(shown) == len(printed), f"{page} shows {shown}, its program prints {printed}"
    for a, b in zip(shown, printed):
        assert_near(a, b)


def numbers(text: str) -> list[list[float]]:
    return [[float(word) for word in re.findall(r"[^\s\[\]]+", line)] for line in text.splitlines() if line]


def assert_near(got: list[float], wanted: list[float]):
    near = len(got) == len(wanted) and all(abs(a - b) <= TOLERANCE * max(1, abs(b)) for a, b in zip(got, wanted))
    assert near, f"got {got}, wanted {wanted}"


def before_it_prints_what_the_page_shows(page, build, **_):
    """The commands that stand before the page's first step, by the command as it is."""
    run_sessions(page, build / "bin", before=True)


def after_it_prints_what_the_page_shows(page, copy, **_):
    run_sessions(page, copy / "build/bin", before=False)


def run_sessions(page, programs: pathlib.Path, before: bool):
    text = page.read_text()
    first_step = min(match.start() for pattern in (EDIT, NEW_FILE) for match in pattern.finditer(text))
    sessions = [m.group(1) for m in SESSION.finditer(text) if (m.start() < first_step) == before]
    assert sessions, f"{page}: no commands"
    environment = {**own_environment(), "PATH": f"{programs}:{os.environ['PATH']}", "JAX_PLATFORM_NAME": "Host",
                   "HILO_CACHE": "off"}
    with tempfile.TemporaryDirectory(prefix="hilo_page_") as folder:
        for name, program in PROGRAM.findall(text):
            (pathlib.Path(folder) / name).write_text(program)
        for session in sessions:
            commands = COMMAND.findall(session)
            understood = "".join(f"$ {command}\n{shown}" for command, shown in commands)
            assert understood == session, f"{page}: no commands and what they print:\n{session}"
            for command, shown in commands:
                printed = run("bash", "-o", "pipefail", "-c", command, cwd=folder, env=environment)
                assert_shows(page, command, shown, printed)


def assert_shows(page, command: str, shown: str, printed: str):
    same_words = NUMBER.sub("#", shown) == NUMBER.sub("#", printed)
    numbers = [[float(number) for number in NUMBER.findall(text)] for text in (shown, printed)]
    near = same_words and all(abs(a - b) <= TOLERANCE * abs(b) for a, b in zip(*numbers))
    assert near, f"{page}: after '{command}' it shows\n{shown}but the command prints\n{printed}"


def only(page: pathlib.Path, pattern: re.Pattern) -> str:
    found = pattern.findall(page.read_text())
    assert len(found) == 1, f"{page}: {len(found)} blocks match {pattern.pattern!r}; wanted one"
    return found[0]


def run(*command, **options) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    said = done.stdout + done.stderr
    assert done.returncode == 0, f"{' '.join(map(str, command))}: exit status {done.returncode}\n{said}"
    return done.stdout
