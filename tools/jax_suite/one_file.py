# SPDX-License-Identifier: Apache-2.0
"""one_file.py FILE --jax DIR --report FD ... -- runs the tests of one file of JAX's tests, in this process.

It writes lines of JSON to the descriptor FD: {"collected": N, "selected": N}; {"start": id} before a test and {"test":
id, "outcome": passed, failed or skipped, "seconds": .., "cause": .., "details": ..} after it; {"problem": text} if the
file itself fails; and finally {"end": why}. If the process dies, the last "start" names the test that killed it.
tools/jax_suite/supervise.py starts this program in the interpreter that has JAX.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import random
import re
import resource
import sys
import time
import traceback
import unittest

DETAILS = 4000  # characters of a traceback that are kept: its end


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--jax", type=pathlib.Path, required=True)
    parser.add_argument("--report", type=int, required=True)
    parser.add_argument("--done", type=pathlib.Path, required=True, help="a file with the ids of tests that have already run")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=int, default=0, help="maximum number of tests; 0: all")
    parser.add_argument("--seconds", type=float, default=0, help="time after which no test starts; 0: no limit")
    parser.add_argument("--memory", type=float, default=0, help="memory limit in GB; 0: no limit")
    parser.add_argument("--match", default="")
    parser.add_argument("--part", default="1/1", help="K/N: the K-th of N equal parts of the file's tests")
    parser.add_argument("--only", type=pathlib.Path, help="a file with the ids of the only tests to run")
    arguments = parser.parse_args()
    started = time.monotonic()
    if arguments.memory:
        limit = int(arguments.memory * 1e9)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    sys.argv = [str(arguments.file)]  # the file reads JAX's flags from the environment
    report = Report(arguments.report)
    try:
        tests = list(collect(arguments.file, arguments.jax))
    except (Exception, SystemExit, unittest.SkipTest) as error:
        kind = "skip" if isinstance(error, unittest.SkipTest) else "problem"
        report.line({kind: cause_of(type(error), error), "details": traceback.format_exc()[-DETAILS:]})
        return 0
    chosen = select([test for test in tests if arguments.match in name_of(test)], arguments.seed, arguments.limit,
                    arguments.part)
    if arguments.only:
        wanted = set(arguments.only.read_text().splitlines())
        chosen = [test for test in chosen if name_of(test) in wanted]
    report.line({"collected": len(tests), "selected": len(chosen)})
    done = set(arguments.done.read_text().splitlines())
    result = Outcomes(report, started + arguments.seconds if arguments.seconds else None)
    unittest.TestSuite(test for test in chosen if name_of(test) not in done).run(result)
    report.line({"end": "time" if result.shouldStop else "all"})
    return 0


def collect(file: pathlib.Path, jax_folder: pathlib.Path):
    """All tests of the file, which is imported as `file.stem`."""
    extend_jax(jax_folder)
    sys.path.insert(0, str(jax_folder))  # tests import tests.X
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    import absl.flags
    absl.flags.FLAGS.mark_as_parsed()  # as absltest.main() leaves it
    return flat(unittest.defaultTestLoader.loadTestsFromModule(module))


def extend_jax(jax_folder: pathlib.Path) -> None:
    """Imports modules that the wheel leaves out, such as jax/_src/pallas/pallas_test_util.py, from the clone."""
    import jax._src
    import jax._src.pallas
    for package in (jax._src, jax._src.pallas):
        package.__path__.append(str(jax_folder.joinpath(*package.__name__.split("."))))


def flat(tests):
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from flat(test)
        else:
            yield test


def name_of(test) -> str:
    """Returns the test's id without addresses. Function-valued parameters print addresses, which differ between
    processes."""
    return re.sub(r" at 0x[0-9a-f]+", "", test.id())


def select(tests: list, seed: int, limit: int, part: str = "1/1") -> list:
    """Returns the tests of a part in an order determined by the seed; the first `limit` of them."""
    ordered = sorted(tests, key=lambda test: name_of(test))
    random.Random(seed).shuffle(ordered)
    number, parts = map(int, part.split("/"))
    ordered = ordered[number - 1::parts]
    return ordered[:limit] if limit else ordered


class Report:
    def __init__(self, descriptor: int):
        self.descriptor = descriptor

    def line(self, row: dict) -> None:
        os.write(self.descriptor, (json.dumps(row) + "\n").encode())


class Outcomes(unittest.TestResult):
    """Reports each test as it starts and ends; stops at `deadline`. The cause of a test with several problems is the
    first one."""

    def __init__(self, report: Report, deadline: float | None):
        super().__init__()
        self.report, self.deadline = report, deadline
        self.outcome = self.begin = None

    def startTest(self, test):
        super().startTest(test)
        self.outcome, self.begin = None, time.monotonic()
        self.report.line({"start": name_of(test)})

    def stopTest(self, test):
        super().stopTest(test)
        outcome = self.outcome or {"outcome": "failed", "cause": "the test ended without an outcome"}
        self.report.line({"test": name_of(test), **outcome, "seconds": round(time.monotonic() - self.begin, 3)})
        self.begin = None
        if self.deadline is not None and time.monotonic() > self.deadline:
            self.stop()

    def decide(self, outcome: str, cause: str = "", details: str = "") -> None:
        if self.outcome is None or (self.outcome["outcome"] == "passed" and outcome != "passed"):
            self.outcome = {"outcome": outcome, "cause": cause, "details": details}

    def fails(self, test, error) -> None:
        details = "".join(traceback.format_exception(*error))[-DETAILS:]
        if self.begin is None:  # a fixture of a class or module: there is no test around it
            self.report.line({"test": name_of(test), "outcome": "failed", "cause": cause_of(*error[:2]), "details": details,
                              "seconds": 0})
        else:
            self.decide("failed", cause_of(*error[:2]), details)

    def addSuccess(self, test):
        self.decide("passed")

    def addError(self, test, err):
        self.fails(test, err)

    def addFailure(self, test, err):
        self.fails(test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.fails(test, err)

    def addSkip(self, test, reason):
        if self.begin is not None:
            self.decide("skipped", reason)

    def addExpectedFailure(self, test, err):
        self.decide("passed")

    def addUnexpectedSuccess(self, test):
        self.decide("failed", "passed, where a failure was expected")


def cause_of(kind: type, error: BaseException) -> str:
    """Returns one line: the type, the first informative line, and for numbers the size of the difference."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = lines[:1] + [line for line in lines[1:] if line.startswith(("Mismatched elements", "Max abs", "Max rel"))]
    if told and told[0].endswith("Traceback (most recent call last):"):  # an error in a callback, as text
        told = lines[-1:]
    return f"{kind.__name__}: {'; '.join(told)}"[:400]


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    sys.exit(status)
