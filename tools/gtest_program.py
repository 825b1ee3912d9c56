# SPDX-License-Identifier: Apache-2.0
"""Runs a GoogleTest program and counts its tests, even if it crashes."""

import dataclasses
import pathlib
import re
import signal
import subprocess

STARTED = re.compile(r"\[ RUN      \] (\S+)$")
# A test may print without a newline before its verdict, so this one is looked for inside the line.
FINISHED = re.compile(r"\[(       OK |  FAILED  |  SKIPPED )\] (\S+?)(?:, where .*)? \((\d+) ms\)$")


@dataclasses.dataclass(frozen=True)
class Result:
    name: str
    passed: bool
    seconds: float
    output: str = ""


class CannotList(Exception):
    """The program can't list its tests."""


def list_tests(program: pathlib.Path) -> list[str]:
    """Returns "Suite.Name" of each test."""
    try:
        done = subprocess.run([program, "--gtest_list_tests"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=60, errors="replace", text=True)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotList(str(error)) from error
    if done.returncode != 0:
        raise CannotList(f"{ending(done.returncode)}\n{done.stdout}")
    names, suite = [], ""
    for line in done.stdout.splitlines():
        name = line.partition("#")[0].rstrip()
        if name.startswith("  "):
            names.append(suite + name.strip())
        elif name.endswith("."):
            suite = name
    return names


def run(program: pathlib.Path, names: list[str], environment: dict[str, str], folder: str,
        limit_seconds: int) -> list[Result]:
    """Runs the shard that `environment` selects of a program with the tests `names`. Returns a Result per test of the
    shard; unfinished tests of a crashed program count as failed."""
    expected = shard_of(names, environment)
    try:
        done = subprocess.run([program, "--gtest_color=no"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=environment, cwd=folder, timeout=limit_seconds, errors="replace", text=True)
        output, end = done.stdout, "" if done.returncode in (0, 1) else ending(done.returncode)
        bad_exit = done.returncode != 0
    except subprocess.TimeoutExpired as error:
        output = (error.stdout or b"").decode(errors="replace")
        end, bad_exit = f"took longer than {limit_seconds} s", True
    results = read_output(output, expected, end)
    if bad_exit and all(result.passed for result in results):
        results.append(Result("ends well", False, 0.0, (end or "exit status 1") + "\n" + tail(output)))
    return results


def shard_of(names: list[str], environment: dict[str, str]) -> list[str]:
    """Returns the tests that GoogleTest selects for this shard: every n-th enabled one. DISABLED_ ones count as
    failed."""
    number, index = int(environment.get("GTEST_TOTAL_SHARDS", 1)), int(environment.get("GTEST_SHARD_INDEX", 0))
    enabled = [name for name in names if "DISABLED_" not in name]
    disabled = [name for name in names if "DISABLED_" in name]
    return enabled[index::number] + (disabled if index == 0 else [])


def read_output(output: str, expected: list[str], end: str) -> list[Result]:
    """Pairs each "[ RUN ]" line with its result. Skipped, disabled and unfinished tests count as failed."""
    results, running, text = {}, "", []
    for line in output.splitlines():
        if match := STARTED.search(line):
            running, text = match[1], []
        elif (match := FINISHED.search(line)) and running:
            passed = "OK" in match[1]
            results[running] = Result(running, passed, int(match[3]) / 1000, "" if passed else "\n".join(text + [line]))
            running = ""
        else:
            text.append(line)
    if running:
        results[running] = Result(running, False, 0.0, f"did not finish: {end}\n" + tail("\n".join(text)))
    for name in expected:
        results.setdefault(name, Result(name, False, 0.0, f"did not run: {end or 'the program left it out'}"))
    return list(results.values())


def ending(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    return f"ended by {signal.Signals(-status).name}"


def tail(text: str, lines: int = 60) -> str:
    return "\n".join(text.splitlines()[-lines:])
