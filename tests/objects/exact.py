#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""exact.py --build BUILD FOLDER COUNT [--qemu N] [--seed S] -- compares the bits of results between processors.

FOLDER has files that `hilo compile` reads, or archives NAME.tar.gz of them. COUNT programs are compiled with --exact
for all levels of x86-64 that this machine has, linked and run. They must have the results that the compiler recorded,
and those are the same for all levels. N of them are compiled for AArch64, too, with the library of `make arm`, and run
under qemu. Other programs are drawn for those that can't be objects with libhilo_rt.a.

On AArch64, programs that call functions of libm or of libhilo_rt.a may have other bits: --exact doesn't promise those.
Prints how many programs agree, and each that doesn't. The suite doesn't run it: the programs are those of others.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from run import ALLOWED, levels  # noqa: E402

KINDS = (".mlirbc", ".mlir", ".hlo", ".jax")
MEMORY = {"memcpy", "memmove", "memset", "fma", "fmaf"}  # exact on every processor
ARM = "aarch64"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--qemu", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    build = options.build.resolve()
    with tempfile.TemporaryDirectory(prefix="hilo_exact_") as folder:
        programs = programs_in(options.folder, pathlib.Path(folder))
        random.Random(options.seed).shuffle(programs)
        same, under_qemu, of_libraries, differ = compare(build, programs, options.count, options.qemu)
    print(f"{same} programs have the same bits on {', '.join(levels())}; {under_qemu} of them on {ARM}, under qemu, "
          f"and {of_libraries} have others, of functions of libm or of libhilo_rt.a")
    for line in differ:
        print(f"differs: {line}")
    return 1 if differ or same < options.count or under_qemu + of_libraries < options.qemu else 0


def programs_in(source, into):
    """The files of programs; one per name. Archives are unpacked into a folder."""
    for archive in sorted(source.glob("*.tar.gz")):
        with tarfile.open(archive) as files:
            for member in files:
                if member.isfile() and member.name.endswith(KINDS):
                    (into / pathlib.Path(member.name).name).write_bytes(files.extractfile(member).read())
    found = {}
    for path in sorted([*source.iterdir(), *into.iterdir()]):
        if path.suffix in KINDS:
            found.setdefault(path.stem, path)
    return list(found.values())


def compare(build, programs, count, qemu):
    """Compares programs until `count` are objects, and the first ones on AArch64, too."""
    same, under_qemu, of_libraries, differ, rest = 0, 0, 0, [], iter(programs)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        while same + len(differ) < count and (batch := [path for path, _ in zip(rest, range(50))]):
            for path, outcome in pool.map(lambda path: (path, outcome_of(build, path)), batch):
                if same + len(differ) == count or outcome is None:
                    continue
                if outcome:
                    differ.append(f"{path.name}: {outcome}")
                    continue
                same += 1
                if under_qemu + of_libraries < qemu:
                    text, calls_libraries = arm_outcome(build, path)
                    under_qemu, of_libraries = under_qemu + (not text), of_libraries + bool(text and calls_libraries)
                    if text and not calls_libraries:
                        differ.append(f"{path.name} on {ARM}: {text}")
    return same, under_qemu, of_libraries, differ


def run(folder, *command):
    return subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, "HILO_CACHE": "off"})


def compile_test(build, path, target, folder):
    return run(folder, build / "bin/hilo", "compile", path.resolve(), "--to", "object", "--runtime", "rt", "--exact",
               "--target", target, "--test", "--random", "1", "-o", "program").returncode == 0


def outcome_of(build, path):
    """"" if all levels have the same bits, what differs, or None if the program can't be an object."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for level in levels():
            if not compile_test(build, path, level, folder):
                return None
            test = pathlib.Path(folder, "program_test.c").read_text()
            results.append(re.findall(r"(\w+_wanted)\[\] = \{(.*?)\};", test, re.S))
            linked = run(folder, "cc", "program_test.c", "program.o", build / "lib/libhilo_rt.a", "-o", "test", "-lm")
            done = run(folder, "./test") if linked.returncode == 0 else linked
            if done.returncode != 0:
                return f"{level}: {done.stdout}{done.stderr}".strip()
            if results[-1] != results[0]:
                return f"{level} and {levels()[0]}"
    return ""


def arm_outcome(build, path):
    """What is wrong on AArch64, and whether it is only bits that --exact doesn't promise."""
    with tempfile.TemporaryDirectory() as folder:
        if not compile_test(build, path, ARM, folder):
            return "it can't be compiled", False
        undefined = set(json.loads(pathlib.Path(folder, "program.json").read_text())["undefined"])
        calls_libraries = bool(undefined & (ALLOWED - MEMORY)) or any(name.startswith("hilo_rt_") for name in undefined)
        linked = run(folder, "aarch64-linux-gnu-gcc", "-static", "program_test.c", "program.o",
                     build / "arm/whole/lib/libhilo_rt.a", "-o", "test", "-lm")
        done = run(folder, "qemu-aarch64", "./test") if linked.returncode == 0 else linked
        wrong_bits = done.returncode == 1 and " differs at " in done.stdout
        return f"{done.stdout}{done.stderr}".strip() or str(done.returncode or ""), calls_libraries and wrong_bits


if __name__ == "__main__":
    sys.exit(main())
