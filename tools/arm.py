#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""arm.py --build BUILD -- hilo on 64-bit ARM, under qemu-aarch64: runs objects of `hilo compile --target aarch64`, with
and without libhilo_rt.a, then cross-builds the library. Runs the tests of WHOLE and samples of those of SAMPLED. With
--cases DIR, also runs a sample of the programs of `make conformance`.

Prints the failures, and for each part how many tests passed, and the times. The libraries and programs are in
BUILD/arm/whole, Debian's libraries for AArch64 in BUILD/arm/sysroot. It shows bits, not speed.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WHOLE = ("base", "types", "engine", "random", "linalg")
SAMPLED = {"lax": 4, "numpy": 4, "hlo": 8, "transform": 8, "backend": 32}  # a test of each group of this size
PROGRAMS = "a1b,c3d,e5f,071,29b,4cd,6ef,801"  # parts of the names of 131 of 4,556 programs
LEFT_OUT = {
    "base": (  # what qemu-user can't do
        "BufferPool.SaysSoWhenTheAddressSpaceIsFull",  # it ignores the limit of the address space
        "Fork.ChildGetsAPoolOfItsOwn",  # qemu 7.2 itself fails if a child of a forked child starts threads
        "LogLevels.*",  # they start their own program again, which only the emulator can
    ),
    "backend": (  # facts of x86-64, and the text of its code
        "Isa.*", "Blas.UsesTheProcessorsVectorsAndLeavesTheEnvironmentAlone", "RegionColumns.*", "RegionIndex.*",
        "RegionLoad.*", "RegionLoop.*", "RegionLoops.*", "RegionNodes.*", "RegionRows.*", "RegionStore.*", "RegionSums.*",
        "RegionTiles.*",
    ),
}


def output_of(*command, **environment):
    done = subprocess.run([str(part) for part in command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False,
                          env={**os.environ, "HILO_CACHE": "off", **environment})
    return done.returncode, done.stdout


def configure(arm):
    """Downloads the libraries and writes the build tree. Returns the output if that fails."""
    commands = ((sys.executable, ROOT / "tools" / "arm_sysroot.py", arm / "sysroot"),
                ("cmake", "-G", "Ninja", "-S", ROOT, "-B", arm / "whole", f"-DCMAKE_SYSROOT={arm / 'sysroot'}",
                 f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/tests/aarch64/toolchain.cmake", "-DHILO_BUILD_BENCH=OFF"))
    for command in commands:
        code, text = output_of(*command)
        if code != 0:
            return text
    return None


def build_target(arm, jobs, target):
    """Returns the output if that fails."""
    code, text = output_of("cmake", "--build", arm / "whole", "-j", jobs, "--target", target,
                           QEMU_LD_PREFIX=str(arm / "sysroot"))  # the build runs the command
    return text if code != 0 else None


def run_suite(arm, suite, shards=1):
    """Runs the first of `shards` parts. Returns the exit code and the output."""
    return output_of("qemu-aarch64", arm / "whole/bin/tests" / f"test_{suite}", f"--gtest_filter=-{':'.join(LEFT_OUT.get(suite, ()))}",
                     QEMU_LD_PREFIX=str(arm / "sysroot"), GTEST_TOTAL_SHARDS=str(shards), GTEST_SHARD_INDEX="0")


def run_programs(arm, cases):
    """Returns the exit code and the output, with a line for each program: the command prints the number of those that
    passed."""
    code, text = output_of("qemu-aarch64", arm / "whole/bin/hilo", "conformance", cases, "--only", PROGRAMS,
                           QEMU_LD_PREFIX=str(arm / "sysroot"))
    return code, re.sub(r"^(\d+) passed,.*", lambda count: "passed program\n" * int(count[1]), text, flags=re.M)


def parts(build, arm, cases):
    """Triples of a name, the target to build, and a function that runs tests. They print "passed NAME" or gtest's lines."""
    script = ROOT / "tests/aarch64"
    yield "objects", "hilo_rt", lambda: output_of(sys.executable, script / "run.py", "--build", build)
    yield "objects with libhilo_rt.a", "hilo_rt", lambda: output_of(sys.executable, script / "runtime.py", "--build", build,
                                                                    "--arm", arm / "whole")
    for suite in WHOLE:
        yield suite, f"test_{suite}", lambda suite=suite: run_suite(arm, suite)
    if cases:
        yield "recorded programs", "hilo_command", lambda: run_programs(arm, cases)
    for suite, shards in SAMPLED.items():
        yield (f"{suite}, 1 of {shards}", f"test_{suite}",
               lambda suite=suite, shards=shards: run_suite(arm, suite, shards))


def counts(text):
    """How many tests passed, and the lines of those that didn't."""
    passed = len(re.findall(r"^passed |^\[       OK \]", text, re.M))
    failures = re.findall(r"^(?:failed|differs) .*|^\[  FAILED  \] \S+ \(.*", text, re.M)
    return passed, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--cases", type=pathlib.Path, help="folder with manifest.tsv and archives of programs")
    options = parser.parse_args()
    build = options.build.resolve()
    arm = build / "arm"
    broken = configure(arm)
    if broken is not None:
        print(broken)
        return 1
    bad = False
    for name, target, run in parts(build, arm, options.cases):
        began = time.monotonic()
        broken = build_target(arm, options.jobs, target)
        if broken is not None:
            print(f"{name}: the cross-build of {target} failed:\n{broken[-4000:]}", flush=True)
            bad = True
            continue
        built = time.monotonic()
        code, text = run()
        passed, failures = counts(text)
        bad |= code != 0 or passed == 0
        print(*failures, sep="\n", end="\n" if failures else "")
        if code != 0 and not failures:
            print(text[-2000:])
        print(f"{name}: {passed} of {passed + len(failures)} passed under qemu-aarch64; built in {built - began:.0f} s, "
              f"run in {time.monotonic() - built:.0f} s", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
