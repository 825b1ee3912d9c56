#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the figures: the process's start and the library's size, what user programs cost to compile, every program of
bench/, then hilo beside its peers (bench/peers.py, where it is there)."""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--only", choices=("start", "compile", "programs", "peers"))
    arguments = parser.parse_args()
    sections = {"start": start, "compile": compile_times, "programs": programs, "peers": peers}
    statuses = [run(arguments.build) for name, run in sections.items() if arguments.only in (None, name)]
    return max(statuses)


def start(build: pathlib.Path) -> int:
    library, command = build / "lib" / "libhilo.so", build / "bin" / "hilo"
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder) / "stripped"
        subprocess.run(["strip", "-o", stripped, library], check=True)
        print(f"libhilo.so stripped: {stripped.stat().st_size / 1e6:.1f} MB (aim 60)")
    if command.exists():
        milliseconds = 1e3 * statistics.median(timed([command, "--version"]) for _ in range(41))
        print(f"hilo --version: {milliseconds:.1f} ms (aim 20)")
    return 0


def timed(command: list) -> float:
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def compile_times(build: pathlib.Path) -> int:
    return subprocess.run([sys.executable, ROOT / "tools" / "compile_times.py", "--build", build]).returncode


def programs(build: pathlib.Path) -> int:
    statuses = [0]
    for source in sorted((ROOT / "bench").glob("*.cc")):
        print(f"== {source.stem}", flush=True)
        statuses.append(subprocess.run([build / "bin" / "bench" / source.stem]).returncode)
    return max(map(abs, statuses))


def peers(build: pathlib.Path) -> int:
    script = ROOT / "bench" / "peers.py"
    return subprocess.run([sys.executable, script, "--build", build]).returncode if script.exists() else 0


if __name__ == "__main__":
    sys.exit(main())
