#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs that others wrote through `hilo run` and compares. A program that cannot run has failed.

The folder given by --cases (default: ../shared/conformance) holds `stablehlo_*` (files that check themselves) and
`jax_corpus` (programs with inputs and expected outputs, in tar files, with a manifest). Ends with "N passed, N failed".
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import npy  # noqa: E402

CASE_SECONDS = 60


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--cases", type=pathlib.Path, default=ROOT.parent / "shared" / "conformance")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--match", default="", help="only cases whose name contains this")
    parser.add_argument("--reasons", type=int, default=10, help="how many of the commonest reasons to print")
    arguments = parser.parse_args()
    if not arguments.cases.is_dir():
        print(f"{arguments.cases}: no such folder; wanted the cases. Hint: make conformance CONFORMANCE=DIR")
        return 2
    command = arguments.build.resolve() / "bin" / "hilo"
    with tempfile.TemporaryDirectory(prefix="hilo_conformance_") as scratch:
        cases = [case for case in find_cases(arguments.cases, pathlib.Path(scratch)) if arguments.match in case[0]]
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            problems = list(pool.map(lambda case: case[1](command, *case[2:]), cases))
    return report(cases, problems, arguments.reasons)


def find_cases(folder: pathlib.Path, scratch: pathlib.Path):
    """(name, function that runs it and says what is wrong or "", its arguments)"""
    for path in sorted(folder.glob("stablehlo_*/*.mlir")):
        yield f"{path.parent.name}/{path.stem}", run_self_checking, path
    manifest = folder / "jax_corpus" / "manifest.json"
    if manifest.exists():
        corpus = json.loads(manifest.read_text())
        for name in sorted({program["tar"] for program in corpus["programs"]}):
            with tarfile.open(folder / "jax_corpus" / name) as tar:
                tar.extractall(scratch, filter="data")
        for program in corpus["programs"]:
            yield f"jax_corpus/{program['name']}", run_recorded, scratch, program, corpus["tolerances"]


def run_self_checking(command: pathlib.Path, path: pathlib.Path) -> str:
    return run_command([command, "run", path])


def run_recorded(command: pathlib.Path, scratch: pathlib.Path, program: dict, tolerances: dict) -> str:
    name = program["name"]
    inputs = [argument for i in range(len(program["inputs"])) for argument in ("--input", scratch / f"{name}.in{i}.npy")]
    with tempfile.TemporaryDirectory(prefix="hilo_conformance_") as folder:
        problem = run_command([command, "run", scratch / f"{name}.mlirbc", *inputs, "--output-dir", folder])
        for i, output in enumerate(program["outputs"]):
            if problem:
                return problem
            bounds = tolerances[program["class"]]
            relative, absolute = bounds.get(output["dtype"], bounds.get("*", (0, 0)))
            slack = 10 * program.get("xla_alt_err", 0.0)  # never ask for more than XLA's two modes agree on
            problem = npy.difference(pathlib.Path(folder) / f"out{i}.npy", scratch / f"{name}.out{i}.npy",
                                     output["dtype"], relative, absolute + slack)
    return problem


def run_command(command: list) -> str:
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=CASE_SECONDS,
                              errors="replace", text=True)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if done.returncode == 0 else f"exit status {done.returncode}: {done.stdout.strip()[:200]}"


def report(cases: list, problems: list[str], reasons: int) -> int:
    for (name, *_), problem in zip(cases, problems):
        if problem:
            print(f"failed {name}: {problem.splitlines()[0][:200]}")
    common = collections.Counter(problem.splitlines()[0][:80] for problem in problems if problem)
    for problem, count in common.most_common(reasons):
        print(f"{count:6} x {problem}")
    failed = sum(bool(problem) for problem in problems)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 0 if cases and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
