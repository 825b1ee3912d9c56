# SPDX-License-Identifier: Apache-2.0
"""page_steps.py -- shared by the tests of docs/contributing/adding_*.md: follows the steps of pages in a copy of the
tree.

The copy's build tree has the same position in it as build/ here, so that ccache has the objects that the page doesn't
change.
"""

import dataclasses
import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from command import ROOT, argument_parser, own_environment, run_case

EDIT = re.compile(r"\bIn\s`([^`]+)`, (after|before) the line with\s`([^`]+)`:\n\n```cpp\n(.*?)```$", re.S | re.M)
NEW_FILE = re.compile(r"^The new file `([^`]+)`:\n\n```(?:cpp)?\n(.*?)```$", re.S | re.M)
PROGRAM = re.compile(r"program\s`([\w.]+)`[^`]*\n\n```\n(.*?)```$", re.S | re.M)
SOURCE = re.compile(r"^This program\n\n```cpp\n(.*?)```$", re.S | re.M)
OUTPUT = re.compile(r"^prints [^\n]*:\n\n```\n(.*?)```$", re.S | re.M)
SESSION = re.compile(r"^```console\n(.*?)```$", re.S | re.M)
COMMAND = re.compile(r"^\$ ([^\n]*)\n((?:(?!\$ )[^\n]*\n)*)", re.M)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")
MAX_WORDS = 12  # of a failed command, in an error
TOLERANCE = 1e-6  # of f32, relative: processors differ in vector width


@dataclasses.dataclass
class Page:
    """A page, and its cases: before its steps are done in the copy, after that, and after the copy is built."""
    name: str
    before: tuple = ()
    applied: tuple = ()
    built: tuple = ()

    @property
    def path(self) -> pathlib.Path:
        return ROOT / "docs" / "contributing" / f"{self.name}.md"


def run_pages(description: str, copied: tuple[str, ...], pages: tuple[Page, ...], build) -> int:
    """Does the steps of all pages in one copy (of the files and folders `copied`), and calls `build(copy, jobs)` once.
    Cases are called with page, copy, build (the original build tree) and jobs. Prints "passed PAGE.CASE" or "failed
    PAGE.CASE". Returns the exit status."""
    arguments = argument_parser(description).parse_args()
    passed = []
    with tempfile.TemporaryDirectory(prefix="hilo_pages_") as folder:
        copy = pathlib.Path(folder) / "hilo"
        copy_tree(copy, copied)

        def run_cases(page: Page, cases: tuple):
            for case in cases:
                call = functools.partial(case, page=page.path, copy=copy, build=arguments.build.resolve(),
                                         jobs=arguments.jobs)
                passed.append(run_case(f"{page.name}.{case.__name__}", call))

        for page in pages:
            run_cases(page, (*page.before, the_page_can_be_applied, *page.applied))
        passed.append(run_case("the_copy_builds", functools.partial(build, copy, arguments.jobs)))
        for page in pages:
            run_cases(page, page.built)
    return 0 if all(passed) else 1


def copy_tree(copy: pathlib.Path, names: tuple[str, ...]):
    for name in names:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name)
        else:
            shutil.copy2(ROOT / name, copy / name)


def changed_files(page) -> list[str]:
    """Returns the files that a page creates or changes, each once."""
    text = page.read_text()
    return sorted({*(name for name, _ in NEW_FILE.findall(text)), *(edit[0] for edit in EDIT.findall(text))})


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
    """`off`: the parts that are not built, as in HILO_BUILD_BENCH."""
    run("cmake", "-G", "Ninja", "-S", copy, "-B", copy / "build", *(f"-DHILO_{part}=OFF" for part in off))


def build_copy(copy, jobs, targets: tuple[str, ...], off: tuple[str, ...]):
    configure_copy(copy, off)
    run("ninja", "-C", copy / "build", "-j", jobs, *targets)


def its_program_compiles(page, copy, **_):
    compile_program(page, copy, "-L", copy / "build/lib", "-lhilo", f"-Wl,-rpath,{copy / 'build/lib'}")


def compile_program(page, copy, *linked):
    source = copy / f"{page.stem}.cc"
    source.write_text(only(page, SOURCE))
    run(os.environ.get("CXX", "g++"), "-std=c++20", "-I", copy / "src", "-I", copy / "build/generated", source, "-o",
        copy / page.stem, *linked)


def output_of(page, copy) -> list[list[float]]:
    """Returns the numbers that the page's program prints, line by line."""
    return numbers(run(copy / page.stem))


def the_page_shows_what_its_program_prints(page, copy, **_):
    """Digits may differ: processors differ in vector width."""
    shown, printed = numbers(only(page, OUTPUT)), output_of(page, copy)
    assert len(shown) == len(printed), f"{page} shows {shown}, its program prints {printed}"
    for a, b in zip(shown, printed):
        assert_near(a, b)


def numbers(text: str) -> list[list[float]]:
    return [[float(word) for word in re.findall(r"[^\s\[\]]+", line)] for line in text.splitlines() if line]


def assert_near(got: list[float], wanted: list[float]):
    near = len(got) == len(wanted) and all(
        a == b or abs(a - b) <= TOLERANCE * max(1, abs(b)) for a, b in zip(got, wanted))
    assert near, f"got {got}, wanted {wanted}"


def before_it_prints_what_the_page_shows(page, build, **_):
    """Runs the commands before the page's first step, with the unchanged command."""
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
    shown = " ".join(map(str, command[:MAX_WORDS])) + (" ..." if len(command) > MAX_WORDS else "")
    assert done.returncode == 0, f"{shown}: exit status {done.returncode}\n{said}"
    return done.stdout
