# SPDX-License-Identifier: Apache-2.0
"""command.py -- what the tests of build/bin/hilo share: a folder to run it in, and the loop over the cases."""

import argparse
import functools
import os
import pathlib
import resource
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Place:
    """A folder of its own with the programs, and the command."""

    def __init__(self, build: pathlib.Path, folder: pathlib.Path, programs: dict[str, str]):
        self.build, self.folder = build.resolve(), folder
        self.command = self.build / "bin" / "hilo"
        for name, text in programs.items():
            (folder / name).write_text(text)

    def run(self, *arguments, environment=None, address_space=None) -> subprocess.CompletedProcess:
        kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(("JAX_", "HILO_"))}
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_AS, (address_space, address_space))
        return subprocess.run([self.command, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              env={**kept, **(environment or {})}, timeout=120,
                              preexec_fn=limit if address_space else None)

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
    """Runs each case in a place of its own and prints "passed CASE" or "failed CASE"; the exit status."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    failed = 0
    for case in cases:
        with tempfile.TemporaryDirectory(prefix="hilo_tool_") as folder:
            try:
                case(Place(arguments.build, pathlib.Path(folder), programs))
                print(f"passed {case.__name__}", flush=True)
            except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"{error}\nfailed {case.__name__}", flush=True)
    return 1 if failed else 0
