#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs JAX's own tests on plain jaxlib and on hilo's plugin, and lists the tests that pass only on jaxlib, with causes.

JAX's tests are not part of hilo: --jax names a clone of its repository at the tag of the jax that --python has. Each
file runs in separate processes. If a test crashes or hangs, a new process continues with the next test. The state is
stored in --state, so a stopped run continues, and finished files are not run again. --again reruns the tests that
failed on the plugin; --fresh reruns everything. With --reference-share the plugin runs first; jaxlib then runs only the
tests that failed there and a sample of those that passed.

--part 3/40 runs the third of 40 parts of each file's tests, with its own state in --state. --merge prints one table of
all parts that have run, on any machines: copy their folders --state/part_3_of_40 together.
"""

import argparse
import concurrent.futures
import json
import math
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import parts  # noqa: E402
import peer  # noqa: E402
import supervise  # noqa: E402
import table  # noqa: E402

REFERENCE = "jaxlib"


def main() -> int:
    arguments = parse(sys.argv[1:])
    if arguments.merge:
        return print_merged(arguments)
    if arguments.jax is None or not (arguments.jax / "tests").is_dir():
        print(f"{arguments.jax}: no folder tests; wanted a clone of JAX at the tag of the jax to be tested. Hint: make jax-tests JAX=DIR")
        return 2
    python = arguments.python or peer.make(peer.TESTED)
    if python is None:
        return 2
    settings = supervise.Settings(str(python), str(arguments.jax.resolve()), arguments.seed, arguments.generated_cases,
                                  arguments.limit, arguments.seconds, arguments.match, arguments.part,
                                  arguments.test_seconds, arguments.memory)
    engines = [engine for engine in engines_of(arguments) if arguments.only in (None, engine.name)]
    files = arguments.files or default_files()
    state = parts.folder(arguments.state.resolve(), arguments.part)
    prepare(state, engines, files, arguments)
    if arguments.reference_share is None or len(engines) == 1:
        results = run_all(files, engines, settings, state, arguments.jobs)
    else:
        results = run_sampled(files, engines, settings, state, arguments.jobs, arguments.reference_share)
    return show(results, [engine.name for engine in engines], arguments.reference_share is not None, state)


def show(results: dict[str, list[table.Tests]], names: list[str], sampled: bool, state: pathlib.Path) -> int:
    """Prints the table and keeps it; the exit status."""
    text = table.render(results, names, sampled)
    (state / "table.txt").write_text(text + "\n")
    print(text)
    return 1 if any(lost_or_unrun(*tests) for tests in results.values()) else 0


def print_merged(arguments: argparse.Namespace) -> int:
    state, names = arguments.state.resolve(), [REFERENCE, "hilo" if arguments.plugin is None else "plugin"]
    try:
        folders = parts.folders(state)
        results = parts.merged(folders, names, arguments.files or default_files())
    except ValueError as error:  # parts of several runs
        print(error)
        return 2
    if not folders:
        print(f"{state}: no folders part_K_of_N. Hint: --part 1/40 makes one")
        return 2
    print(parts.described(folders))
    return show(results, names, arguments.reference_share is not None, state)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="names in JAX's tests/ without _test.py (default: tools/jax_suite/files.txt)")
    parser.add_argument("--jax", type=pathlib.Path, help="a clone of JAX; without it only --merge works")
    parser.add_argument("--part", default="1/1", type=parts.checked, help="K/N: the K-th of N equal parts of each file's tests")
    parser.add_argument("--merge", action="store_true", help="run nothing: print the table of all parts in --state")
    parser.add_argument("--python", type=pathlib.Path, help="an interpreter with jax, jaxlib and what their tests import (default: "
                        "that of tools/peer.py)")
    parser.add_argument("--plugin", type=pathlib.Path, help="path of another PJRT plugin instead of python/jax_plugins/hilo")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the build tree with hilo's plugin: lib/libhilo_pjrt.so")
    parser.add_argument("--state", type=pathlib.Path, default=ROOT / "build" / "jax_tests")
    parser.add_argument("--only", help="one engine: jaxlib, hilo or plugin")
    parser.add_argument("--devices", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=int, default=0, help="number of tests per file, selected by the seed; 0: all")
    parser.add_argument("--seconds", type=float, default=0, help="time limit per file; 0: no limit")
    parser.add_argument("--test-seconds", type=float, default=120, help="a test without output for this time counts as hung")
    parser.add_argument("--memory", type=float, default=8, help="memory limit of a process in GB; 0: no limit")
    parser.add_argument("--generated-cases", type=int, default=5, help="JAX_NUM_GENERATED_CASES")
    parser.add_argument("--match", default="", help="only tests whose id contains this")
    parser.add_argument("--again", action="store_true", help="rerun tests that failed, crashed or hung on the plugin")
    parser.add_argument("--reference-share", type=float, help="jaxlib runs what failed on the plugin and this share of what passed (default: all)")
    parser.add_argument("--fresh", action="store_true", help="delete the state of these files on the plugin first")
    return parser.parse_args(arguments)


def engines_of(arguments: argparse.Namespace) -> list[supervise.Engine]:
    """Returns jaxlib's own CPU client and the plugin, with equal numbers of devices."""
    reference = supervise.Engine(REFERENCE, {"JAX_PLATFORMS": "cpu", "JAX_NUM_CPU_DEVICES": str(arguments.devices)})
    if arguments.plugin is None:
        environment = {"JAX_PLATFORMS": "hilo,cpu", "PYTHONPATH": str(ROOT / "python"), "JAX_HILO_LIBRARY": str((arguments.build / "lib" / "libhilo_pjrt.so").resolve()),
                       "JAX_HILO_DEVICES": str(arguments.devices)}
        return [reference, supervise.Engine("hilo", environment)]
    arguments.state.mkdir(parents=True, exist_ok=True)
    options = arguments.state.resolve() / "plugin.json"  # typed options go through a file only
    options.write_text(json.dumps({"library_path": str(arguments.plugin.resolve()),
                                   "create_options": {"cpu_device_count": arguments.devices}}))
    return [reference, supervise.Engine("plugin", {"JAX_PLATFORMS": "plugin,cpu", "PJRT_NAMES_AND_LIBRARY_PATHS": f"plugin:{options}"})]


def default_files() -> list[str]:
    return [line for line in (HERE / "files.txt").read_text().splitlines() if line and not line.startswith("#")]


def prepare(state: pathlib.Path, engines: list[supervise.Engine], files: list[str],
            arguments: argparse.Namespace) -> None:
    for path in [state / engine.name / f"{file}.jsonl" for engine in engines if engine.name != REFERENCE for file in files]:
        if arguments.fresh:
            path.unlink(missing_ok=True)
        elif arguments.again and path.exists():
            supervise.forget(path, table.BAD)


def run_all(files, engines, settings, state, jobs) -> dict[str, list[table.Tests]]:
    """Returns file -> results of each engine. Reports each finished file."""
    results = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = {file: [pool.submit(supervise.run_file, file, engine, settings, state) for engine in engines]
                for file in files}
        for file, futures in runs.items():
            results[file] = [table.tests_of(future.result()) for future in futures]
            print(f"{file}: " + " | ".join(map(table.cell, results[file])), file=sys.stderr, flush=True)
    return results


def run_sampled(files, engines, settings, state, jobs, share: float) -> dict[str, list[table.Tests]]:
    """As run_all(); the reference runs only the tests that the plugin's results require."""
    reference, plugin = engines
    found = {file: tests[0] for file, tests in run_all(files, [plugin], settings, state, jobs).items()}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = {file: pool.submit(supervise.run_file, file, reference, settings, state, judged(tests, f"{settings.seed} {file}", share))
                for file, tests in found.items()}
        return {file: [table.tests_of(runs[file].result()), found[file]] for file in files}


def judged(tests: table.Tests, seed: str, share: float) -> list[str]:
    """Returns the ids of failed tests, and of a fraction of the passed ones, at least one."""
    passed = sorted(test for test, row in tests.rows.items() if row["outcome"] == "passed")
    failed = [test for test, row in tests.rows.items() if row["outcome"] in table.BAD]
    return failed + random.Random(seed).sample(passed, math.ceil(share * len(passed)))


def lost_or_unrun(reference: table.Tests, other: table.Tests | None = None) -> bool:
    if other is None:
        return False
    return bool(table.lost(reference, other) or (other.problem and not reference.problem))


if __name__ == "__main__":
    sys.exit(main())
