#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs each tests/fuzz/NAME.cc under libFuzzer with the address and undefined-behaviour sanitizers, on the inputs in
tests/fuzz/NAME/. Failing inputs are written to build-address/found/NAME/. Ends with "N passed, N failed"."""

import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TREE = ROOT / "build-address"  # that of tools/sanitize.py
MAX_MEGABYTES = 256  # in one piece, for an input of at most 64 KiB
MAX_ALL_MEGABYTES = 2048  # of the process, with what the sanitizers and the fuzzer itself keep
MAX_SECONDS = 20  # for an input: one of an optimised build, which this isn't


def main() -> int:
    os.environ.setdefault("HILO_CACHE", "off")  # what is measured and tested is compiled
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=int, default=60, help="time per fuzzer, in seconds")
    parser.add_argument("names", nargs="*", help="default: all")
    arguments = parser.parse_args()
    names = arguments.names or sorted(path.stem for path in (ROOT / "tests" / "fuzz").glob("*.cc"))
    if not build(arguments.jobs):
        print(f"0 passed, {len(names)} failed")
        return 1
    failed = [name for name in names if not fuzz(name, arguments.seconds)]
    print(f"{len(names) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not names else 0


def build(jobs: int) -> bool:
    environment = {**os.environ, "CC": "clang-19", "CXX": "clang++-19"}
    configure = ["cmake", "-G", "Ninja", "-B", str(TREE), "-S", str(ROOT), "-DHILO_SANITIZE=address",
                 "-DHILO_BUILD_BENCH=OFF"]
    for command in (configure, ["ninja", "-C", str(TREE), "-j", str(jobs), "fuzzers"]):
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            print(done.stdout)
            return False
    return True


def fuzz(name: str, seconds: int) -> bool:
    found, corpus = TREE / "found" / name, TREE / "corpus" / name
    for folder in (found, corpus):
        folder.mkdir(parents=True, exist_ok=True)
    seeds = ROOT / "tests" / "fuzz" / name
    command = [str(TREE / "bin" / "fuzz" / name), f"-max_total_time={seconds}", "-max_len=65536",
               f"-timeout={MAX_SECONDS}", f"-malloc_limit_mb={MAX_MEGABYTES}", f"-rss_limit_mb={MAX_ALL_MEGABYTES}",
               f"-artifact_prefix={found}/", "-print_final_stats=1", str(corpus)]
    command += [str(seeds)] if seeds.exists() else []
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", text=True)
    runs = next((line.split()[-1] for line in done.stdout.splitlines() if "number_of_executed_units" in line), "0")
    inner = next((f", {line}" for line in done.stdout.splitlines() if line.endswith(" requests")), "")
    print(f"{'passed' if done.returncode == 0 else 'failed'} {name}: {runs} inputs{inner} in {seconds} s", flush=True)
    if done.returncode != 0:
        print("\n".join(done.stdout.splitlines()[-60:]))
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
