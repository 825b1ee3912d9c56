# SPDX-License-Identifier: Apache-2.0
"""The checks that `make test` runs in addition to the test programs. A check returns "", an error text, or a list of
Results."""

import functools
import os
import pathlib
import re
import subprocess
import sys
import time
import unittest

from gtest_program import Result, ending

CHECK_SECONDS = 1200
RESULT_LINE = re.compile(r"^(passed|failed) (\S+)(?: \((\d+\.\d+) s\))?$")


def all_checks(root: pathlib.Path, build: pathlib.Path, jobs: int) -> list[tuple[str, object]]:
    """Returns (name, function) in the order of execution."""
    python = sys.executable
    commands = {
        "layers": [python, "tools/check_layers.py"],
        "symbol_layers": [python, "tools/check_symbol_layers.py", "--build", str(build)],
        "sizes": [python, "tools/check_sizes.py"],
        "spdx": [python, "tools/check_spdx.py"],
        "includes": [python, "tools/check_includes.py"],
        "comments": [python, "tools/check_comments.py"],
        "mirror": [python, "tools/check_mirror.py"],
        "words": [python, "tools/check_words.py"],
        "jax_tests": [python, "tools/check_jax_tests.py"],
        "format": ["tools/check_format.sh"],
        "workflows": [python, "tools/check_workflows.py"],
        "weak_table": [python, "tools/check_weak_table.py"],
        "instantiated": [python, "tools/check_instantiated.py", "--build", str(build)],
        "instances": [python, "tools/check_instances.py", "--build", str(build)],
        "symbols": [python, "tools/check_symbols.py", str(build / "lib" / "libhilo.so")],
        "abi": ["tools/check_abi.py", "--build", str(build)],  # its first line selects the Python that has libclang's module
        "wheel": [python, "tools/wheel.py", "--check", "--build", str(build)],
        "generated_docs": [python, "tools/generate_docs.py", "--check", "--build", str(build)],
    }
    checks = [(name, functools.partial(run_command, command, root)) for name, command in commands.items()]
    checks.append(("tools", functools.partial(run_unittests, root / "tests" / "tools")))
    for script in sorted((root / "tests").glob("*/run.py")):
        command = [python, str(script), "--build", str(build), "--jobs", str(jobs)]
        checks.append((script.parent.name, functools.partial(run_script, script.parent.name, command, root)))
    return checks


def run_command(command: list[str], root: pathlib.Path) -> str:
    status, output = run_limited(command, root)
    return "" if status == 0 else f"{' '.join(command)}: {ending(status)}\n{output}"


def run_limited(command: list[str], root: pathlib.Path) -> tuple[int, str]:
    try:
        done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=CHECK_SECONDS, errors="replace", text=True)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as error:
        return 124, (error.stdout or b"").decode(errors="replace") + f"\ntook longer than {CHECK_SECONDS} s"
    except OSError as error:
        return 127, str(error)


def run_script(name: str, command: list[str], root: pathlib.Path) -> list[Result]:
    """Runs tests/NAME/run.py. The script prints the output of a case, then a line "passed CASE" or "failed CASE",
    optionally with a time: "passed CASE (1.25 s)"."""
    started = time.monotonic()
    status, output = run_limited(command, root)
    results, text = [], []
    for line in output.splitlines():
        if match := RESULT_LINE.match(line):
            results.append(Result(f"{name}/{match[2]}", match[1] == "passed", float(match[3] or 0), "\n".join(text)))
            text = []
        else:
            text.append(line)
    if not results or (status != 0 and all(result.passed for result in results)):
        seconds = time.monotonic() - started
        results.append(Result(f"{name}/run.py", False, seconds, f"{ending(status)}\n" + "\n".join(text)))
    return results


class Recorder(unittest.TestResult):
    """Stores a Result per Python test. Skipped tests and expected failures count as failed."""

    def __init__(self):
        super().__init__()
        self.results = []
        self.started = 0.0
        self.problem = None

    def startTest(self, test):
        super().startTest(test)
        self.started, self.problem = time.monotonic(), None

    def stopTest(self, test):
        super().stopTest(test)
        self.record(test, self.problem)

    def record(self, test, problem):
        name = "tools/" + test.id().removeprefix("tests.tools.")
        self.results.append(Result(name, problem is None, time.monotonic() - self.started, problem or ""))

    def addError(self, test, err):
        super().addError(test, err)
        self.problem = self._exc_info_to_string(err, test)
        if not hasattr(test, "_testMethodName"):  # a whole class or module that failed to set up
            self.record(test, self.problem)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.problem = self._exc_info_to_string(err, test)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.problem = f"{subtest}: {self._exc_info_to_string(err, test)}"

    def addSkip(self, test, reason):
        self.problem = f"skipped: {reason}"

    def addExpectedFailure(self, test, err):
        self.problem = "marked as an expected failure"


def run_unittests(folder: pathlib.Path) -> list[Result]:
    tools = str(folder.parent.parent / "tools")
    if tools not in sys.path:
        sys.path.insert(0, tools)
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    suite = unittest.TestLoader().discover(str(folder), pattern="*_test.py", top_level_dir=str(folder))
    recorder = Recorder()
    suite.run(recorder)
    return recorder.results
