#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the test programs in a tree with clang's counters of lines and branches, and writes docs/internal/coverage.md: the
folders of src/hilo, and the ten files with the most untested lines. Fails below MIN_LINES or MIN_BRANCHES percent.

Files of instruction sets that this processor doesn't have don't count. --no-run only reads the counters of the last run."""

import argparse
import collections
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TREE = ROOT / "build-coverage"
PAGE = ROOT / "docs" / "internal" / "coverage.md"
MIN_LINES, MIN_BRANCHES = 90, 75
WORST = 10
FLAGS = "-fprofile-instr-generate -fcoverage-mapping"
# The end of a file's name -> the flag of the processor in /proc/cpuinfo.
ISA_FLAGS = {"avx2": "avx2", "avx512": "avx512f", "avxvnni": "avx_vnni", "avx512vnni": "avx512_vnni", "avx512bf16": "avx512_bf16",
             "amx": "amx_tile"}
HEAD = """# Coverage

`make coverage` writes this page: lines and branches of `src/hilo` that the test programs run, counted by clang 19. Files of
instruction sets that the measuring machine lacks don't count: {left_out}. What only tests in Python run counts as untested: objects,
the processes of servers, MPI.

"""


@dataclasses.dataclass
class Counts:
    lines: int = 0
    covered_lines: int = 0
    branches: int = 0
    covered_branches: int = 0

    def __iadd__(self, other: "Counts") -> "Counts":
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))
        return self

    def percent(self) -> tuple[float, float]:
        return (100 * self.covered_lines / max(self.lines, 1), 100 * self.covered_branches / max(self.branches, 1))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", action="append", default=[], help="a test folder; default: all, and the page is written")
    parser.add_argument("--no-run", action="store_true")
    arguments = parser.parse_args()
    if not arguments.no_run and not run_tests(arguments.jobs, arguments.only):
        return 1
    files = files_of(json.loads(exported()), ROOT)
    missing = missing_isas(pathlib.Path("/proc/cpuinfo").read_text().split())
    counted = {name: counts for name, counts in files.items() if isa_of(name) not in missing}
    text = page(counted, missing)
    if not arguments.only:
        PAGE.write_text(text)
    print(text)
    lines, branches = total(counted).percent()
    print(f"{lines:.1f} % of lines, {branches:.1f} % of branches; wanted {MIN_LINES} and {MIN_BRANCHES}")
    return int(lines < MIN_LINES or branches < MIN_BRANCHES)


def run_tests(jobs: int, only: list[str]) -> bool:
    profiles = TREE / "profiles"
    profiles.mkdir(parents=True, exist_ok=True)
    for old in profiles.iterdir():
        old.unlink()
    environment = {**os.environ, "CC": "clang-19", "CXX": "clang++-19"}
    command = [sys.executable, ROOT / "tools" / "run_tests.py", "--build", TREE, "--jobs", str(jobs), "--programs-only",
               "--define", f"CMAKE_CXX_FLAGS={FLAGS}", "--define", "HILO_BUILD_BENCH=OFF",
               "--env", f"LLVM_PROFILE_FILE={profiles}/%4m.profraw"]  # processes add to four files
    for folder in only:
        command += ["--only", folder]
    return subprocess.run(command, env=environment).returncode == 0


def exported() -> str:
    """Returns llvm-cov's summary of all files, as JSON."""
    merged = TREE / "tests.profdata"
    profiles = sorted((TREE / "profiles").glob("*.profraw"))
    output("llvm-profdata-19", "merge", "--sparse", *profiles, "-o", merged)
    libraries = [path for path in sorted((TREE / "lib").glob("libhilo*.so")) if path.exists()]
    objects = [part for library in libraries[1:] for part in ("--object", library)]
    return output("llvm-cov-19", "export", "--summary-only", f"--instr-profile={merged}", libraries[0], *objects)


def files_of(export: dict, root: pathlib.Path) -> dict[str, Counts]:
    """Returns the counts of each file of src/hilo, by its path there."""
    found = {}
    for file in export["data"][0]["files"]:
        path = pathlib.Path(file["filename"])
        if path.is_relative_to(root / "src" / "hilo"):
            lines, branches = file["summary"]["lines"], file["summary"]["branches"]
            counts = Counts(lines["count"], lines["covered"], branches["count"], branches["covered"])
            found[str(path.relative_to(root / "src" / "hilo"))] = counts
    return found


def missing_isas(flags: list[str]) -> list[str]:
    return [isa for isa, flag in ISA_FLAGS.items() if flag not in flags]


def isa_of(name: str) -> str:
    """Returns the instruction set of a file: "avx2" of x/tile_avx2.cc, else ""."""
    match = re.search(r"_([a-z0-9]+)\.(?:cc|h)$", name)
    return match[1] if match and match[1] in ISA_FLAGS else ""


def total(files: dict[str, Counts]) -> Counts:
    result = Counts()
    for counts in files.values():
        result += counts
    return result


def page(files: dict[str, Counts], missing: list[str]) -> str:
    folders: dict[str, Counts] = collections.defaultdict(Counts)
    for name, counts in files.items():
        folders[str(pathlib.PurePath(name).parent)] += counts
    worst = sorted(files.items(), key=lambda item: item[1].covered_lines - item[1].lines)[:WORST]
    lines = ["| all | {} |".format(cells(total(files)))] + [f"| `{name}` | {cells(counts)} |" for name, counts in sorted(folders.items())]
    bad = [f"| `{name}` | {counts.lines - counts.covered_lines} | {cells(counts)} |" for name, counts in worst]
    return HEAD.format(left_out=", ".join(missing) or "none") + "\n".join(
        ["| folder | lines, % | branches, % |", "|---|---|---|", *lines, "", "## The most untested lines", "",
         "| file | untested lines | lines, % | branches, % |", "|---|---|---|---|", *bad, ""])


def cells(counts: Counts) -> str:
    lines, branches = counts.percent()
    return f"{lines:.1f} | {branches:.1f}" if counts.branches else f"{lines:.1f} | -"


def output(*command) -> str:
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
