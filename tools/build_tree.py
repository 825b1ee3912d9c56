# SPDX-License-Identifier: Apache-2.0
"""A build tree: configure it, build in it, ask it what took long."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def build(tree: pathlib.Path, jobs: int, definitions: list[str] = (), targets: list[str] = ()) -> bool:
    """Configures the tree, builds `targets` (default: all); prints what went wrong. True if all went well."""
    # Always: a package may have come since, and it takes a second.
    if not run_quietly(["cmake", "-G", "Ninja", "-B", str(tree), "-S", str(ROOT), *(f"-D{d}" for d in definitions)]):
        return False
    command = ["ninja", "-C", str(tree), "-j", str(jobs), *targets]
    if sys.stdout.isatty():
        return subprocess.run(command).returncode == 0
    return run_with_milestones(command)


def run_quietly(command: list[str]) -> bool:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(done.stdout)
    return done.returncode == 0


def run_with_milestones(command: list[str]) -> bool:
    """In a pipe: every tenth of ninja's steps as a line, and everything that is not a step."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    shown = 0
    for line in process.stdout:
        step = parse_step(line)
        if step is None:
            print(line, end="", flush=True)
        elif step[0] * 10 // step[1] > shown:
            shown = step[0] * 10 // step[1]
            print(f"[{step[0]}/{step[1]}] built", flush=True)
    return process.wait() == 0


def parse_step(line: str) -> tuple[int, int] | None:
    """(3, 120) of "[3/120] Building CXX object ..."."""
    if not line.startswith("[") or "]" not in line:
        return None
    done, slash, total = line[1 : line.index("]")].partition("/")
    if not slash or not done.isdigit() or not total.isdigit() or total == "0":
        return None
    return int(done), int(total)


def slowest_files(tree: pathlib.Path, count: int) -> list[tuple[float, str]]:
    """(seconds, object file) from ninja's log, which keeps for each output the last time it was built."""
    log = tree / ".ninja_log"
    if not log.exists():
        return []
    seconds = {}
    for line in log.read_text().splitlines():
        fields = line.split("\t")
        if len(fields) == 5 and fields[3].endswith(".o"):
            seconds[source_of(fields[3])] = (int(fields[1]) - int(fields[0])) / 1000
    return sorted(((s, name) for name, s in seconds.items()), reverse=True)[:count]


def source_of(object_file: str) -> str:
    """"tests/CMakeFiles/test_base.dir/base/log_test.cc.o" -> "tests/base/log_test.cc"."""
    head, _, tail = object_file.partition("CMakeFiles/")
    return head + tail.partition(".dir/")[2].removesuffix(".o")
