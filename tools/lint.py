#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy-19 on the source files that differ from a base commit, or on all. Ends with "N clean, N with
findings"."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

import build_tree

ROOT = pathlib.Path(__file__).resolve().parent.parent
FINDING = re.compile(r"^(\S+?):(\d+):\d+: (?:warning|error): (.*)$", re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--all", action="store_true", help="check every file of the build")
    parser.add_argument("--base", default="main", help="the base commit")
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="check these files instead")
    arguments = parser.parse_args()
    arguments.build = tree_of_single_files(arguments.build, arguments.jobs)
    files = chosen_files(arguments)
    findings = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for done, (name, found) in enumerate(pool.map(lambda name: lint(arguments.build, name), files), 1):
            print(f"[{done}/{len(files)}] {name}: {len(found) or 'clean'}", flush=True)
            findings.update(dict.fromkeys(found, name))  # a header's finding comes once, though many files include it
    for finding in sorted(findings):
        print(finding)
    dirty = len(set(findings.values()))
    print(f"{len(files) - dirty} clean, {dirty} with findings")
    return 1 if findings else 0


def tree_of_single_files(build: pathlib.Path, jobs: int) -> pathlib.Path:
    """Creates a tree inside `build` whose compile_commands.json has each file by itself, with the generated headers."""
    tree = build / "lint"
    if not build_tree.build(tree, jobs, ["HILO_UNITY=OFF"], ["hilo_commit", "hilo_protos"]):
        sys.exit(1)
    return tree


def chosen_files(arguments: argparse.Namespace) -> list[str]:
    entries = json.loads((arguments.build / "compile_commands.json").read_text())
    known = {pathlib.Path(entry["directory"], entry["file"]).resolve() for entry in entries}
    known = sorted(path.relative_to(ROOT).as_posix() for path in known if path.is_relative_to(ROOT))
    known = [name for name in known if not (ROOT / name).is_relative_to(arguments.build.resolve())]
    if arguments.files:
        wanted = {path.resolve().relative_to(ROOT).as_posix() for path in arguments.files}
    elif arguments.all:
        wanted = set(known)
    else:
        wanted = changed(arguments.base)
    return [name for name in known if name in wanted]


def changed(base: str) -> set[str]:
    """Returns the files that differ from the merge base with `base`, and untracked files."""
    fork = git("merge-base", base, "HEAD").strip() or "HEAD"
    return set(git("diff", "--name-only", fork).split()) | set(git("ls-files", "-o", "--exclude-standard").split())


def git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout


def lint(build: pathlib.Path, name: str) -> tuple[str, list[str]]:
    done = subprocess.run(["clang-tidy-19", "-p", str(build), "--quiet", "--extra-arg=-Wno-unknown-warning-option",
                           str(ROOT / name)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", text=True)
    found = [f"{pathlib.Path(file).as_posix().removeprefix(str(ROOT) + '/')}:{line}: {text}"
             for file, line, text in FINDING.findall(done.stdout)]
    if done.returncode != 0 and not found:
        found = [f"{name}: clang-tidy-19 failed: {done.stdout.strip()[-2000:]}"]
    return name, found


if __name__ == "__main__":
    sys.exit(main())
