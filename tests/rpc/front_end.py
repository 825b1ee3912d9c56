#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The front end's own tests, with a server's devices in the place of local ones: the test programs as they are, under
JAX_XLA_BACKEND=xrt. What a server doesn't do stands in LOCAL_ONLY with its reason, and must be refused there: a test of it that
passes is told, too. --every N takes each N-th test. Ends with "N passed, N failed"."""

import argparse
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT / "tools"), str(ROOT / "tests" / "rpc")]
import corpus  # noqa: E402
import gtest_program  # noqa: E402

FOLDERS = ("numpy", "lax", "transform", "rules", "trace", "tree", "random", "linalg", "fft", "scipy", "segment", "image", "nn",
           "optim", "training", "import", "replica", "programs")
SHARD_SECONDS = 900
LOCAL_ONLY = ()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="hilo_front_end_") as folder, \
            corpus.server(build / "bin" / "hilo", pathlib.Path(folder)) as target:
        for name in arguments.folders:
            results = over(target, build / "bin" / "tests" / f"test_{name}", arguments.every, folder)
            bad = [result for result in results if not result.passed]
            for result in bad:
                print(f"failed {name} {result.name}\n{result.output}")
            print(f"{name}: {len(results) - len(bad)} of {len(results)}", flush=True)
            passed, failed = passed + len(results) - len(bad), failed + len(bad)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def over(target: str, program: pathlib.Path, every: int, folder: str) -> list[gtest_program.Result]:
    """The program's tests on the server."""
    names = gtest_program.list_tests(program)
    chosen = {"GTEST_TOTAL_SHARDS": str(every), "GTEST_SHARD_INDEX": "0"}
    environment = {**os.environ, "HILO_CACHE": "off", "JAX_XLA_BACKEND": "xrt", "JAX_BACKEND_TARGET": target, **chosen}
    return gtest_program.run(program, names, environment, folder, SHARD_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
