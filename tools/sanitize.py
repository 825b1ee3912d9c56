#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests under sanitizers.

All tests run under address+undefined, with buffers that end at a guard page, because sanitizers don't instrument
generated code. The engine's tests run again with buffers that begin after a guard page. The tests of out_of_memory run
again with every call of operator new failing in turn. The tests of base, backend, client, device, pjrt, replica, rpc
without gRPC and threads run under thread. Other compilers and flags generate other code, so all tests also run with
guard pages in a release build, and the kernels of the runtime library under valgrind. First, the planted bugs of
tests/sanitize check that each sanitizer works. Ends with "N passed, N failed"."""

import argparse
import concurrent.futures
import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import build_tree  # noqa: E402
import gtest_program  # noqa: E402

ADDRESS = "detect_leaks=1:malloc_context_size=8:strict_string_checks=1:detect_stack_use_after_return=1"
UNDEFINED = "print_stacktrace=1:halt_on_error=1"
THREAD = f"halt_on_error=1:second_deadlock_stack=1:suppressions={ROOT / 'tests' / 'sanitize' / 'thread_suppressions.txt'}"
RELEASE = "release"  # no sanitizer: the compiler and the flags of releases, with guard pages
# A shard of most tests takes minutes here; one test of out_of_memory is thousands of processes.
FEW = ("--tests-per-shard", "10")
ALONE = ("--tests-per-shard", "1", "--shard-seconds", "14400")
# (name, build tree, sanitizer, test folders or all, environment, how they are spread)
RUNS = (
    ("release, guard page at the end", "build-guarded", RELEASE, None, {"HILO_GUARD": "end"}, FEW),
    ("release, guard page at the beginning", "build-guarded", RELEASE, ("backend", "status"), {"HILO_GUARD": "begin"}, FEW),
    ("address, guard page at the end", "build-address", "address", None, {"HILO_GUARD": "end"}, FEW),
    ("address, guard page at the beginning", "build-address", "address", ("backend", "status"), {"HILO_GUARD": "begin"}, FEW),
    ("address, every call of operator new fails", "build-address", "address", ("out_of_memory",),
     {"HILO_OUT_OF_MEMORY_STEP": "1"}, ALONE),
    ("address, a cancel at every look", "build-address", "address", ("stopped",), {"HILO_LOOKS": "all"}, ALONE),
    ("thread", "build-thread", "thread", ("base", "backend", "client", "device", "pjrt", "replica", "rpc", "threads"), {}, FEW),
)
COMPILERS = ("clang-19", "clang++-19")  # its checks compile in half the time of those of g++
LARGEST_RND_BITS = 28  # beyond that g++ 12's thread sanitizer finds no room for its shadow
# Under valgrind: the tests in these files of the program test_backend, as a release has it.
KERNEL_TESTS = ("backend/cpu/library/**/*_test.cc", "backend/cpu/library/heroes_test.cc", "backend/cpu/cpu_engine_window_test.cc")
VALGRIND = ("valgrind", "--quiet", "--error-exitcode=9", "--num-callers=30")
VALGRIND_SECONDS = 3600  # of one test, which takes 50 times as long as alone


def main() -> int:
    os.environ.setdefault("HILO_CACHE", "off")  # what is measured and tested is compiled
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", choices=("address", "thread", RELEASE, "valgrind"))
    arguments = parser.parse_args()
    passed = failed = 0
    for name, run in planted_bugs():
        problem = run()
        print(f"{'failed' if problem else 'passed'} planted {name}" + (f"\n{problem}" if problem else ""), flush=True)
        passed, failed = passed + (not problem), failed + bool(problem)
    for name, tree, sanitizer, folders, environment, spread in RUNS:
        if arguments.only in (None, sanitizer):
            print(f"== {name}", flush=True)
            more_passed, more_failed = run_tests(tree, sanitizer, folders, environment, spread, arguments.jobs)
            passed, failed = passed + more_passed, failed + more_failed
    if arguments.only in (None, "valgrind"):
        more_passed, more_failed = run_under_valgrind(pathlib.Path("build"), arguments.jobs)
        passed, failed = passed + more_passed, failed + more_failed
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


def definitions(sanitizer: str) -> list[str]:
    if sanitizer == RELEASE:
        return ["HILO_GUARD_PAGES=ON", "HILO_BUILD_BENCH=OFF"]
    return [f"HILO_SANITIZE={sanitizer}", "HILO_BUILD_BENCH=OFF", f"CMAKE_C_COMPILER={COMPILERS[0]}",
            f"CMAKE_CXX_COMPILER={COMPILERS[1]}"]


def run_tests(tree, sanitizer, folders, environment, spread, jobs) -> tuple[int, int]:
    command = [*without_randomisation(sanitizer), sys.executable, str(ROOT / "tools" / "run_tests.py"), "--programs-only",
               "--own-width", *spread, "--build", tree, "--jobs", str(jobs)]
    for definition in definitions(sanitizer):
        command += ["--define", definition]
    for folder in folders or ():
        command += ["--only", folder]
    for variable, value in {**sanitizer_options(), **environment}.items():
        command += ["--env", f"{variable}={value}"]
    last = ""
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in process.stdout:
        print(line, end="", flush=True)
        last = line
    process.wait()
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed\n", last)
    return (int(counts[1]), int(counts[2])) if counts else (0, 1)


def run_under_valgrind(tree: pathlib.Path, jobs: int) -> tuple[int, int]:
    print("== valgrind, kernels of the runtime library", flush=True)
    if not build_tree.build(tree, jobs, [], ["test_backend"]):
        return 0, 1
    program = tree.resolve() / "bin" / "tests" / "test_backend"
    names = kernel_tests(gtest_program.list_tests(program))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        problems = list(pool.map(lambda name: under_valgrind(program, name), names))
    for name, problem in zip(names, problems):
        print(f"{'failed' if problem else 'passed'} {name}" + (f"\n{problem}" if problem else ""), flush=True)
    failed = sum(bool(problem) for problem in problems)
    return len(names) - failed, failed + (not names)


def kernel_tests(names: list[str]) -> list[str]:
    """Returns those of `names` whose suite is defined in one of the files."""
    files = [path for pattern in KERNEL_TESTS for path in (ROOT / "tests").glob(pattern)]
    suites = {suite for path in files for suite in re.findall(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+),", path.read_text(), re.M)}
    return [name for name in names if suites & set(name.partition(".")[0].split("/"))]


def under_valgrind(program: pathlib.Path, name: str) -> str:
    try:
        done = subprocess.run([*VALGRIND, str(program), f"--gtest_filter={name}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              errors="replace", text=True, timeout=VALGRIND_SECONDS)
    except subprocess.TimeoutExpired:
        return f"took longer than {VALGRIND_SECONDS} s"
    return "" if done.returncode == 0 and "[  PASSED  ] 1 test." in done.stdout else gtest_program.tail(done.stdout)


def sanitizer_options() -> dict[str, str]:
    return {"ASAN_OPTIONS": ADDRESS, "UBSAN_OPTIONS": UNDEFINED, "TSAN_OPTIONS": THREAD}


def without_randomisation(sanitizer: str) -> list[str]:
    bits = pathlib.Path("/proc/sys/vm/mmap_rnd_bits")
    if sanitizer == "thread" and bits.exists() and int(bits.read_text()) > LARGEST_RND_BITS:
        return ["setarch", platform.machine(), "-R"]
    return []


def planted_bugs():
    """Returns (name, function) for each file of tests/sanitize: it must die under its sanitizer with the message in its
    first comment."""
    for source in sorted((ROOT / "tests" / "sanitize").glob("*.cc")):
        yield source.stem, lambda source=source: planted_bug(source)


def planted_bug(source: pathlib.Path) -> str:
    text = source.read_text()
    flag = re.search(r"// sanitizer: (.*)", text)[1]
    report = re.search(r"// report: (.*)", text)[1]
    program = ROOT / "build-planted" / source.stem
    program.parent.mkdir(exist_ok=True)
    subprocess.run([COMPILERS[1], "-std=c++20", "-O1", "-g1", f"-fsanitize={flag}", "-fno-sanitize-recover=all", str(source),
                    "-o", str(program), "-pthread"], check=True)
    done = subprocess.run([*without_randomisation(flag), str(program)], env={**os.environ, **sanitizer_options()},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", text=True)
    if done.returncode != 0 and report in done.stdout:
        return ""
    return f"exit status {done.returncode}; wanted a report of \"{report}\"; got\n{done.stdout}"


if __name__ == "__main__":
    sys.exit(main())
