#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Configures a build tree, builds in it, and reports the slowest files. As a program: build_tree.py TREE JOBS
TARGET..."""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import build_progress  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main() -> int:
    tree, jobs, targets = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    if not configure(tree, []):
        return 1
    listed = subprocess.run(["ninja", "-C", str(tree), "-t", "targets", "all"], stdout=subprocess.PIPE, text=True).stdout
    known = [target for target in targets if f"\n{target}: phony\n" in "\n" + listed]
    return 0 if not known or build_progress.run(tree, jobs, known) else 1


def build(tree: pathlib.Path, jobs: int, definitions: list[str] = (), targets: list[str] = ()) -> bool:
    """Configures the tree and builds `targets` (default: all). Prints the errors. Returns whether all succeeded."""
    return configure(tree, definitions) and build_progress.run(tree, jobs, list(targets))


def configure(tree: pathlib.Path, definitions: list[str]) -> bool:
    """Always runs CMake, because a package may have been installed, and it takes a second. Prints only CMake's
    errors."""
    try:
        done = subprocess.run(["cmake", "-G", "Ninja", "-B", str(tree), "-S", str(ROOT), *(f"-D{d}" for d in definitions)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except KeyboardInterrupt:
        sys.exit(130)
    if done.returncode == 0:
        return True
    tree.mkdir(parents=True, exist_ok=True)
    (tree / build_progress.LOG).write_text(done.stdout)
    print("\n".join(configure_problem(done.stdout)))
    print(f"CMake stopped. Full output: {(tree / build_progress.LOG).absolute()}")
    return False


def configure_problem(output: str) -> list[str]:
    """Returns the sentences of CMake's errors without the call stack; without an error message, the last lines."""
    found = re.findall(r"^CMake Error[^\n]*:\n((?:\n|  [^\n]*\n)+)", output, re.M)
    sentences = [line.strip() for text in found for line in text.strip("\n").split("\n")]
    return sentences or output.splitlines()[-build_progress.SHOWN:]


def slowest_files(tree: pathlib.Path, count: int) -> list[tuple[float, str]]:
    """Returns (seconds, object file) from ninja's log, which stores the last build time of each output."""
    log = tree / ".ninja_log"
    if not log.exists():
        return []
    seconds = {}
    for line in log.read_text().splitlines():
        fields = line.split("\t")
        if len(fields) == 5 and fields[3].endswith(".o"):
            seconds[build_progress.source_of(fields[3])] = (int(fields[1]) - int(fields[0])) / 1000
    return sorted(((s, name) for name, s in seconds.items()), reverse=True)[:count]


if __name__ == "__main__":
    sys.exit(main())
