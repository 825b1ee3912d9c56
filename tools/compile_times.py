#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the compile time of user programs in processor seconds: each bench/compile/*.cc, median of several runs.

A line "// aim: SECONDS" of such a file is the target at -O0. With --headers also measures each header for users.
"""

import argparse
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--headers", action="store_true")
    arguments = parser.parse_args()
    print(f"{'program':32} {'-O0':>8} {'-O2':>8} {'aim':>6}   processor seconds, median of {arguments.runs}")
    for source in sorted((ROOT / "bench" / "compile").glob("*.cc")):
        aim = re.search(r"// aim: (\S+)", source.read_text())
        times = [median_seconds(source, level, arguments) for level in ("-O0", "-O2")]
        print(f"{source.stem:32} {times[0]:8.2f} {times[1]:8.2f} {aim[1] if aim else '':>6}")
    if arguments.headers:
        print_headers(arguments)
    return 0


def print_headers(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "one.cc"
        costs = []
        for path in sorted((ROOT / "src" / "hilo").glob("*.h")):
            source.write_text(f'#include "hilo/{path.name}"\n')
            costs.append((median_seconds(source, "-O0", arguments), f"hilo/{path.name}"))
    for seconds, header in sorted(costs, reverse=True):
        print(f"  {header:40} {seconds:6.2f}")


def median_seconds(source: pathlib.Path, level: str, arguments: argparse.Namespace) -> float:
    command = ["g++", "-std=c++20", level, f"-I{ROOT}/src", f"-I{arguments.build}/generated", "-c", str(source),
               "-o", "/dev/null"]
    seconds = []
    for _ in range(arguments.runs):
        started = processor_seconds()
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"{source}: does not compile:\n{done.stdout}")
        seconds.append(processor_seconds() - started)
    return statistics.median(seconds)


def processor_seconds() -> float:
    """Processor time of all children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    sys.exit(main())
