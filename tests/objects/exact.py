#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""exact.py HILO FOLDER COUNT [--seed N] -- compares the results of programs, compiled with --exact, over the levels
of x86-64 that this machine has. FOLDER has files that `hilo compile` reads. The suite doesn't run it: the programs are
those of others.

Prints how many programs agree, and each that doesn't. Programs that need more than libhilo_rt.a are left out.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from run import levels  # noqa: E402


def results_of(hilo, program, level):
    """The recorded results of a program, as text; None if it can't be an object."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([hilo, "compile", program, "--to", "object", "--runtime", "rt", "--exact", "--target", level,
                               "--test", "--random", "1", "-o", f"{folder}/program"], capture_output=True, text=True,
                              env={**os.environ, "HILO_CACHE": "off"})
        if done.returncode != 0:
            return None
        text = pathlib.Path(folder, "program_test.c").read_text()
    return re.findall(r"(\w+_wanted)\[\] = \{(.*?)\};", text, re.S)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hilo")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    programs = sorted(path for path in options.folder.iterdir() if path.suffix in (".mlirbc", ".mlir", ".hlo", ".jax"))
    random.Random(options.seed).shuffle(programs)

    def compared(program):
        return program, [results_of(options.hilo, program, level) for level in levels()]

    same, differ, left_out = 0, [], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for program, results in pool.map(compared, programs[:options.count]):
            if None in results:
                left_out += 1
            elif all(result == results[0] for result in results):
                same += 1
            else:
                differ.append(program.name)
    print(f"{same} programs have the same bits on {', '.join(levels())}; {left_out} are no objects")
    for name in differ:
        print(f"differs: {name}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
