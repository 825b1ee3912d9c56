#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs with `hilo run --explain` and prints the units that are much slower than their floor, the least time
that this machine needs for the same work: their share of all time, and which kinds they are."""

import argparse
import collections
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SLOW = int(re.search(r"kSlowRatio = (\d+);", (ROOT / "src/hilo/inspect/explain/explanation.h").read_text())[1])
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
ROW = re.compile(r"^ *([\d.]+) (ns|us|ms|s) +[\d.]+ (?:ns|us|ms|s) +([\d.]+) +(\d+)  (\S+(?: \S+)?) +(\S.*)$")


@dataclasses.dataclass(frozen=True)
class Unit:
    """A part of a program. Its floor isn't known if it contains a loop of unknown length."""
    program: str
    label: str
    nanoseconds: float  # of all its runs in one call
    ratio: float
    bound: str

    @property
    def is_slow(self) -> bool:
        return self.ratio > SLOW and self.bound != "unknown length"

    @property
    def kind(self) -> str:
        """What isn't the name of an instruction: "row kernel", "dot"."""
        words = self.label.split()
        return " ".join(words[:-1] or words)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", type=pathlib.Path, help="programs (.mlir, .hlo, .txt), or folders of them")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--worst", type=int, default=20, help="number of units to show (20)")
    arguments = parser.parse_args()
    files = [file for place in arguments.programs for file in programs_in(place)]
    with Explainer(arguments.build) as explainer:
        units = []
        for done, file in enumerate(files):
            if sys.stderr.isatty():
                print(f"\r{done + 1} of {len(files)}: {file.name[:80]:80}", end="", file=sys.stderr, flush=True)
            try:
                units += explainer.units(file)
            except ExplainError as error:
                print(f"{file}: {error}")
        if sys.stderr.isatty():
            print(file=sys.stderr)
    print(report(units, arguments.worst))
    return 0


def programs_in(place: pathlib.Path) -> list[pathlib.Path]:
    if not place.is_dir():
        return [place]
    return sorted(file for file in place.rglob("*") if file.suffix in (".mlir", ".hlo", ".txt", ".pb", ".mlirbc"))


class ExplainError(Exception):
    pass


class Explainer:
    """Explains programs. The machine's figures are measured once, for a separate folder of the disk cache."""

    def __init__(self, build: pathlib.Path, environment: dict | None = None):
        self.command = [build / "bin" / "hilo", "run", "--explain", "--repeat", "9", "--random", "1"]
        self.environment = environment or dict(os.environ)

    def __enter__(self):
        self.cache = tempfile.TemporaryDirectory()
        self.environment = {**self.environment, "HILO_CACHE": self.cache.name}
        return self

    def __exit__(self, *_):
        self.cache.cleanup()

    def text(self, program: pathlib.Path) -> str:
        done = subprocess.run([*self.command, program], env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise ExplainError("hilo run --explain: " + done.stderr.strip())
        return done.stdout

    def units(self, program: pathlib.Path) -> list[Unit]:
        return units_of(self.text(program), program.name)


def units_of(text: str, program: str) -> list[Unit]:
    """Returns the rows of an explanation."""
    rows = filter(None, map(ROW.match, text.splitlines()))
    return [Unit(program, label.strip(), float(number) * UNITS[unit] * int(runs), float(ratio), bound.strip())
            for number, unit, ratio, runs, bound, label in (row.groups() for row in rows)]


def report(units: list[Unit], worst: int) -> str:
    whole = sum(unit.nanoseconds for unit in units) or 1
    share = lambda some: 100 * sum(unit.nanoseconds for unit in some) / whole
    slow = [unit for unit in units if unit.is_slow]
    lines = [f"{share(slow):.1f} % of the time of {len(units)} units in units above {SLOW} times their floor, "
             f"{share([u for u in units if u.bound == 'unknown length']):.1f} % in loops of unknown length"]
    kinds = collections.defaultdict(list)
    for unit in slow:
        kinds[unit.kind, unit.bound].append(unit)
    for (kind, bound), some in sorted(kinds.items(), key=lambda item: -share(item[1])):
        lines.append(f"  {share(some):5.1f} %  {kind}, bound by {bound}: {len(some)} units")
    for unit in sorted(slow, key=lambda unit: -unit.nanoseconds)[:worst]:
        lines.append(f"  {share([unit]):5.1f} %  {unit.ratio:7.1f} times  {unit.program}: {unit.label}, bound by {unit.bound}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
