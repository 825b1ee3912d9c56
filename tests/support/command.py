# SPDX-License-Identifier: Apache-2.0
"""command.py -- shared by the scripts run.py: the arguments, the loop over the cases, and for the tests of build/bin/hilo a
folder to run it in."""

import argparse
import functools
import os
import pathlib
import pty
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def own_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.upper().startswith(("JAX_", "HILO_"))}


def compiler_errors(program: str, build: pathlib.Path) -> dict[str, list[str]]:
    """Returns the compiler's errors for a C++ program, by the case that requires them (its line is `#line 1
    "case/NAME"`). All errors up to the next named line belong to a case; "" has those before the first."""
    with tempfile.TemporaryDirectory(prefix="hilo_refused_") as folder:
        source = pathlib.Path(folder) / "refused.cc"
        source.write_text(program)
        done = subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", "-fmax-errors=0", "-I", ROOT / "src",
                               "-I", build / "generated", source], capture_output=True, text=True)
    found: dict[str, list[str]] = {}
    case = ""
    for line in done.stderr.splitlines():
        if place := re.match(r"case/(\w+):\d+:\d+:.*(?:required from|error:)", line):
            case = place[1]
        if error := re.search(r"error: (.*)", line):
            found.setdefault(case, []).append(error[1])
    return found


def set_limits(limits: dict[int, int | None]):
    for kind, limit in limits.items():
        if limit:
            resource.setrlimit(kind, (limit, limit))


def read_or_end(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux reports that the other side is closed
        return b""


class Place:
    """A temporary folder with the programs, and the command."""

    def __init__(self, build: pathlib.Path, folder: pathlib.Path, programs: dict[str, str]):
        self.build, self.folder = build.resolve(), folder
        self.command = self.build / "bin" / "hilo"
        for name, text in programs.items():
            (folder / name).write_text(text)

    def run(self, *arguments, environment=None, address_space=None, file_size=None, user=None,
            folder=None) -> subprocess.CompletedProcess:
        """`address_space` and `file_size`: limits of the process, in bytes. `user`: another one, by number, without
        groups."""
        limits = {resource.RLIMIT_AS: address_space, resource.RLIMIT_FSIZE: file_size}
        other = {} if user is None else {"user": user, "group": user, "extra_groups": ()}
        return subprocess.run([self.command, *map(str, arguments)], cwd=folder or self.folder, capture_output=True,
                              text=True, **other,
                              env={**own_environment(), **(environment or {})}, timeout=120,
                              preexec_fn=functools.partial(set_limits, limits))

    def on_terminal(self, *arguments) -> bytes:
        """Returns the bytes that a terminal receives from stdout and stderr."""
        ours, theirs = pty.openpty()
        with subprocess.Popen([self.command, *map(str, arguments)], cwd=self.folder, stdout=theirs, stderr=theirs,
                              env={**own_environment(), "NO_COLOR": "1"}) as process:
            os.close(theirs)
            text = b""
            while piece := read_or_end(ours):
                text += piece
        os.close(ours)
        assert process.returncode == 0, text
        return text

    def good(self, *arguments, **options) -> str:
        done = self.run(*arguments, **options)
        assert done.returncode == 0, f"{arguments}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def bad(self, status: int, *arguments, **options) -> str:
        done = self.run(*arguments, **options)
        assert done.returncode == status, f"{arguments}: exit status {done.returncode}, wanted {status}\n{done.stderr}"
        assert done.stdout == "", f"{arguments}: on stdout: {done.stdout}"
        assert done.stderr.startswith("hilo: "), done.stderr
        return done.stderr

    def files(self, folder: str) -> list[str]:
        return sorted(path.name for path in (self.folder / folder).iterdir())


def holds(text: str, *parts: str):
    for part in parts:
        assert part in text, f"wanted '{part}' in:\n{text}"


def run_cases(description: str, cases: tuple, programs: dict[str, str]) -> int:
    """Runs each case in a separate folder with the programs. Returns the exit status."""
    build = argument_parser(description).parse_args().build

    def run(case):
        with tempfile.TemporaryDirectory(prefix="hilo_tool_") as folder:
            case(Place(build, pathlib.Path(folder), programs))

    return run_each(cases, run)


def argument_parser(description: str) -> argparse.ArgumentParser:
    """The options with which tools/run_tests.py calls each script."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser


def run_each(cases: Iterable, run: Callable) -> int:
    """Calls run(case) for each case, also after one that fails. Returns the exit status."""
    passed = [run_case(case.__name__, functools.partial(run, case)) for case in cases]
    return 0 if all(passed) else 1


def run_case(name: str, run: Callable) -> bool:
    """Prints "passed NAME" or the error and "failed NAME", with the time. Returns whether it passed."""
    started = time.monotonic()
    try:
        run()
        problem = ""
    except (AssertionError, OSError, StopIteration, subprocess.SubprocessError) as error:
        problem = (str(error) or repr(error)) + "\n"
    print(f"{problem}{'failed' if problem else 'passed'} {name} ({time.monotonic() - started:.2f} s)", flush=True)
    return not problem
