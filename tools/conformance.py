#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs recorded programs of other projects on both engines, with `hilo check` and `hilo conformance`, and counts.

The folder --cases (default: ../shared/conformance) has three corpora. `stablehlo_*`: files that check themselves.
`jax_corpus`: archives of programs with inputs and expected outputs, and a manifest; read as bytecode and as text.
`jax_api`: calls of JAX with arguments and results, converted to C++ by tools/jax_api/run.py and run on the CPU engine.
Prints each failure, a line per corpus and engine, and finally "N passed, N failed, N skipped".
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENGINES = ("cpu", "reference")
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.MULTILINE)


@dataclasses.dataclass
class Run:
    name: str
    command: list


@dataclasses.dataclass
class Outcome:
    lines: list  # what failed
    counts: tuple  # passed, failed, skipped


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--cases", type=pathlib.Path, default=ROOT.parent / "shared" / "conformance")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--match", default="", help="only corpora whose name contains this")
    arguments = parser.parse_args()
    if not arguments.cases.is_dir():
        print(f"{arguments.cases}: no such folder; wanted the cases. Hint: make conformance CONFORMANCE=DIR")
        return 2
    runs = [run for run in find_runs(arguments.build.resolve(), arguments.cases) if arguments.match in run.name]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        outcomes = list(pool.map(lambda run: outcome_of(run.command), runs))
    return report(runs, outcomes)


def find_runs(build: pathlib.Path, cases: pathlib.Path) -> list[Run]:
    hilo, runs = build / "bin" / "hilo", []
    if any((cases / "jax_api").glob("rows_*.jsonl.gz")):
        runs.append(Run("jax_api", [sys.executable, ROOT / "tools" / "jax_api" / "run.py", "--build", build, "--rows",
                                    cases / "jax_api", "--verbose"]))
    for engine in ENGINES:
        corpus = cases / "jax_corpus"
        if (corpus / "manifest.tsv").exists():
            for form, option in (("bytecode", []), ("text", ["--text"])):
                runs.append(Run(f"jax_corpus as {form} on {engine}",
                                [hilo, "conformance", "--engine", engine, *option, corpus]))
        for folder in sorted(cases.glob("stablehlo_*")):
            files = sorted(folder.glob("*.mlir"))
            if files:
                runs.append(Run(f"{folder.name} on {engine}", [hilo, "check", "--engine", engine, *files]))
    return runs


def outcome_of(command: list) -> Outcome:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("failed ")]
    found = COUNTS.findall(done.stdout)
    counts = tuple(int(count) for count in found[-1]) if found else (0, 0, 0)
    if not found or (done.returncode != 0) != (counts[1] + counts[2] > 0):
        lines.append(f"failed to run to its end: exit status {done.returncode}: {done.stdout.strip()[-200:]}")
        counts = (counts[0], counts[1] + 1, counts[2])
    return Outcome(lines, counts)


def report(runs: list[Run], outcomes: list[Outcome]) -> int:
    totals = [0, 0, 0]
    for run, outcome in zip(runs, outcomes):
        for line in outcome.lines:
            print(f"{run.name}: {line[:300]}")
        totals = [total + count for total, count in zip(totals, outcome.counts)]
        print(f"{run.name}: {counts_text(outcome.counts)}")
    print(counts_text(totals))
    return 0 if totals[0] > 0 and totals[1] == totals[2] == 0 else 1


def counts_text(counts) -> str:
    return "{} passed, {} failed, {} skipped".format(*counts)


if __name__ == "__main__":
    sys.exit(main())
