#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the front end's own test programs, unchanged, on a server's devices (JAX_XLA_BACKEND=xrt).

Programs that call functions of this process are rejected by name, as docs/serving.md describes: their tests are counted
separately. --every N runs each N-th test. Ends with "N passed, N failed, N refused"."""

import argparse
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT / "tools"), str(ROOT / "tests" / "rpc"), str(ROOT / "tests" / "support")]
import corpus  # noqa: E402
import front_end_elsewhere  # noqa: E402
import gtest_program  # noqa: E402

REFUSED = re.compile(r"Failure\n[^\n]*PERMISSION_DENIED: custom-call '[^']*': this server doesn't allow programs to call")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("folders", nargs="*", default=front_end_elsewhere.FOLDERS)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    passed, bad, refused = 0, [], []
    with tempfile.TemporaryDirectory(prefix="hilo_front_end_") as folder, \
            corpus.server(build / "bin" / "hilo", pathlib.Path(folder)) as target:
        for name in arguments.folders:
            results = over(target, build / "bin" / "tests" / f"test_{name}", arguments.every, folder)
            good, wrong, denied = sorted_out(results)
            for result in wrong:
                print(f"failed {name} {result.name}\n{result.output}")
            print(f"{name}: {len(good)} of {len(results)}, {len(denied)} refused", flush=True)
            passed, bad, refused = passed + len(good), bad + wrong, refused + denied
    print(f"{passed} passed, {len(bad)} failed, {len(refused)} refused")
    return 1 if bad or not passed else 0


def sorted_out(results: list[gtest_program.Result]) -> tuple[list, list, list]:
    """Returns the passed tests, the failed ones, and those whose first failure is a call of a function of this
    process."""
    bad = [result for result in results if not result.passed]
    denied = [result for result in bad if (first := result.output.find("Failure")) >= 0
              and REFUSED.match(result.output, first)]
    return [r for r in results if r.passed], [r for r in bad if r not in denied], denied


def over(target: str, program: pathlib.Path, every: int, folder: str) -> list[gtest_program.Result]:
    """The program's tests on the server."""
    return front_end_elsewhere.over(program, every, 0, folder, {"JAX_XLA_BACKEND": "xrt", "JAX_BACKEND_TARGET": target})


if __name__ == "__main__":
    sys.exit(main())
