#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds everything, runs every test and check, and ends with "N passed, N failed".

Exit status 0 only if tests ran and none failed. If a test program crashes, its unfinished tests count as failed. Each
shard of a program runs in a separate empty temporary folder.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import resource
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import build_tree  # noqa: E402
import checks  # noqa: E402
import gtest_program  # noqa: E402
import status_page  # noqa: E402
from gtest_program import Result  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS_PER_SHARD = 100
MAX_SHARDS = 64  # of one program: starting it and filling its caches costs, too
SHARD_SECONDS = 900  # a shard that takes longer hangs

# The engine's tests run once at the host's own width and once at each narrower one.
ISA_FOLDERS = ("backend",)
ISA_WIDTHS = (("sse2", "avx2"), ("avx2", "avx512f"))  # (width to force, CPU flag that makes the host's own wider)


@dataclasses.dataclass(frozen=True)
class Moment:
    """Clock readings: wall time in seconds, and processor time of all child processes that have ended."""
    wall: float
    processor: float

    @staticmethod
    def now() -> "Moment":
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return Moment(time.monotonic(), usage.ru_utime + usage.ru_stime)


def main() -> int:
    os.environ.setdefault("HILO_CACHE", "off")  # what is measured and tested is compiled
    arguments = parse_arguments()
    started = Moment.now()
    if not arguments.no_build and not build_everything(arguments):
        print("the build failed")
        print("0 passed, 1 failed")
        return 1
    built = Moment.now()
    results = run_programs(arguments)
    if "status" in test_folders(arguments.only):
        record_status(arguments.build, results)
    if not arguments.programs_only:
        results += run_checks(arguments)
    report(arguments, results, started, built)
    failed = sum(not result.passed for result in results)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 0 if results and failed == 0 else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), help="the build tree")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--define", action="append", default=[], help="a CMake definition for a new tree: NAME=VALUE")
    parser.add_argument("--no-build", action="store_true", help="run the existing programs without building")
    parser.add_argument("--programs-only", action="store_true", help="run only test programs, no checks")
    parser.add_argument("--only", action="append", help="test folders to run, such as base; default: all")
    parser.add_argument("--tests-per-shard", type=int, default=TESTS_PER_SHARD)
    parser.add_argument("--shard-seconds", type=int, default=SHARD_SECONDS)
    parser.add_argument("--own-width", action="store_true", help="run the engine's tests at the host's own width only")
    parser.add_argument("--env", action="append", default=[], help="NAME=VALUE for the test programs")
    return parser.parse_args()


def build_everything(arguments: argparse.Namespace) -> bool:
    targets = [f"test_{folder}" for folder in test_folders(arguments.only)] if arguments.only else []
    return build_tree.build(arguments.build, arguments.jobs, arguments.define, targets)


def run_programs(arguments: argparse.Namespace) -> list[Result]:
    environment = dict(pair.split("=", 1) for pair in arguments.env)
    shards, results = [], []
    for folder in test_folders(arguments.only):
        program = arguments.build / "bin" / "tests" / f"test_{folder}"
        try:
            names = gtest_program.list_tests(program)
        except gtest_program.CannotList as error:
            results.append(Result(f"{folder} lists its tests", False, 0.0, str(error)))
            continue
        for forced in [{}] if arguments.own_width else widths(folder, environment):
            number = min(max(1, -(-len(names) // arguments.tests_per_shard)), MAX_SHARDS)
            label = folder + "".join(f"[{value}]" for value in forced.values())
            for index in range(number):
                shards.append((label, program, names, {**environment, **forced}, index, number,
                               arguments.shard_seconds))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        futures = [pool.submit(run_shard, *shard) for shard in shards]
        for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
            label, shard_results = future.result()
            results += shard_results
            failed = sum(not result.passed for result in shard_results)
            progress(f"[{done}/{len(shards)}] {label}: {len(shard_results) - failed} passed, {failed} failed")
    return results


def record_status(build: pathlib.Path, results: list[Result]) -> None:
    """Writes the results of the tests of status, from which docs/internal/status.md is generated."""
    lines = sorted(f"{'passed' if r.passed else 'failed'} {r.name}\n" for r in results if r.name.startswith("status/"))
    (build / status_page.RESULTS).write_text("".join(lines))


def run_shard(label, program, names, environment, index, number, seconds):
    with tempfile.TemporaryDirectory(prefix="hilo_test_") as scratch:
        environment = {**os.environ, **environment, "TMPDIR": scratch, "TEST_TMPDIR": scratch,
                       "GTEST_TOTAL_SHARDS": str(number), "GTEST_SHARD_INDEX": str(index)}
        results = gtest_program.run(program.resolve(), names, environment, scratch, seconds)
    shard = f" {index + 1} of {number}" if number > 1 else ""
    return label + shard, [dataclasses.replace(result, name=f"{label}/{result.name}") for result in results]


def test_folders(only: list[str] | None) -> list[str]:
    """Returns folders of tests/ that contain *_test.cc; the build tree may have old ones."""
    folders = sorted(path.name for path in (ROOT / "tests").iterdir() if any(path.glob("**/*_test.cc")))
    return [folder for folder in folders if only is None or folder in only]


def widths(folder: str, environment: dict[str, str]) -> list[dict[str, str]]:
    if folder not in ISA_FOLDERS or "HILO_ISA" in environment:
        return [{}]
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    return [{}] + [{"HILO_ISA": width} for width, wider in ISA_WIDTHS if wider in flags]


def run_checks(arguments: argparse.Namespace) -> list[Result]:
    results = []
    for name, run in checks.all_checks(ROOT, arguments.build.resolve(), arguments.jobs):
        started = time.monotonic()
        found = run()
        if isinstance(found, list):  # a check that is itself many tests
            results += found
            failed = sum(not result.passed for result in found)
            progress(f"[check] {name}: {len(found) - failed} passed, {failed} failed")
        else:
            results.append(Result(f"check/{name}", not found, time.monotonic() - started, found))
            progress(f"[check] {name}: {'failed' if found else 'passed'}")
    return results


def report(arguments, results, started, built) -> None:
    for result in results:
        if not result.passed:
            print(f"\nFAILED {result.name}\n{result.output.rstrip()}")
    print("\nslowest files to compile (seconds, last time each was compiled)")
    for seconds, name in build_tree.slowest_files(arguments.build, 10):
        print(f"  {seconds:7.1f}  {name}")
    print("slowest tests (seconds)")
    for result in sorted(results, key=lambda result: -result.seconds)[:10]:
        print(f"  {result.seconds:7.2f}  {result.name}")
    now = Moment.now()
    print(f"wall time: build {built.wall - started.wall:.0f} s, tests {now.wall - built.wall:.0f} s, "
          f"together {now.wall - started.wall:.0f} s")
    print(f"processor time: build {built.processor - started.processor:.0f} s, "
          f"tests {now.processor - built.processor:.0f} s, together {now.processor - started.processor:.0f} s")


def progress(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
