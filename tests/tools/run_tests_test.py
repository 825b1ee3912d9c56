# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import subprocess
import sys
import unittest

import build_tree
import checks
import gtest_program
from planted import ROOT, Planted

# Stands in for a GoogleTest program: lists three tests; its second one prints before its verdict.
FAKE = """#!/usr/bin/env python3
import os, signal, sys
if "--gtest_list_tests" in sys.argv:
    print("Running main() from gtest_main.cc\\nSum.\\n  IsRight\\n  IsFast  # GetParam() = 3\\nLate.\\n  Runs")
    sys.exit(0)
print("[ RUN      ] Sum.IsRight\\n[       OK ] Sum.IsRight (12 ms)")
print("[ RUN      ] Sum.IsFast\\nwhat went wrong", flush=True)
END
print("[ RUN      ] Late.Runs\\nno newline[       OK ] Late.Runs (0 ms)")
sys.exit(STATUS)
"""


class GtestProgram(Planted):
    def run_fake(self, end, status, **environment):
        program = self.program("fake", FAKE.replace("END", end).replace("STATUS", str(status)))
        names = gtest_program.list_tests(program)
        results = gtest_program.run(program, names, {**os.environ, **environment}, str(self.root), 60)
        return {result.name: result for result in results}

    def test_counts_passed_and_failed_tests(self):
        results = self.run_fake('print("[  FAILED  ] Sum.IsFast, where GetParam() = 3 (5 ms)")', 1)
        self.assertEqual({name: result.passed for name, result in results.items()},
                         {"Sum.IsRight": True, "Sum.IsFast": False, "Late.Runs": True})
        self.assertIn("what went wrong", results["Sum.IsFast"].output)
        self.assertEqual(results["Sum.IsRight"].seconds, 0.012)

    def test_counts_unfinished_tests_of_a_dying_program_as_failed(self):
        results = self.run_fake("os.kill(os.getpid(), signal.SIGSEGV)", 0)
        self.assertEqual({name: result.passed for name, result in results.items()},
                         {"Sum.IsRight": True, "Sum.IsFast": False, "Late.Runs": False})
        self.assertIn("ended by SIGSEGV", results["Sum.IsFast"].output)
        self.assertIn("ended by SIGSEGV", results["Late.Runs"].output)

    def test_counts_skipped_tests_as_failed(self):
        results = self.run_fake('print("[  SKIPPED ] Sum.IsFast (0 ms)")', 0)
        self.assertFalse(results["Sum.IsFast"].passed)

    def test_counts_a_bad_exit_after_good_tests_as_failed(self):
        results = self.run_fake('print("[       OK ] Sum.IsFast (0 ms)")', 3)
        self.assertFalse(results["ends well"].passed)
        self.assertIn("exit status 3", results["ends well"].output)

    def test_counts_a_test_that_hangs_as_failed(self):
        program = self.program("fake", FAKE.replace("END", "import time; time.sleep(60)").replace("STATUS", "0"))
        names = gtest_program.list_tests(program)
        results = {r.name: r.passed for r in gtest_program.run(program, names, dict(os.environ), str(self.root), 1)}
        self.assertEqual(results, {"Sum.IsRight": True, "Sum.IsFast": False, "Late.Runs": False})

    def test_a_shard_expects_every_nth_test_and_the_first_shard_the_disabled_ones(self):
        names = ["A.a", "A.DISABLED_b", "A.c", "A.d"]
        self.assertEqual(gtest_program.shard_of(names, {"GTEST_TOTAL_SHARDS": "2", "GTEST_SHARD_INDEX": "0"}),
                         ["A.a", "A.d", "A.DISABLED_b"])
        self.assertEqual(gtest_program.shard_of(names, {"GTEST_TOTAL_SHARDS": "2", "GTEST_SHARD_INDEX": "1"}), ["A.c"])

    def test_a_program_that_cannot_list_raises(self):
        with self.assertRaises(gtest_program.CannotList):
            gtest_program.list_tests(self.root / "missing")


class RunTests(Planted):
    def test_nothing_ran_is_a_failure(self):
        done = subprocess.run([sys.executable, ROOT / "tools/run_tests.py", "--no-build", "--programs-only",
                               "--only", "no_such_folder", "--build", self.root], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines()[-1], "0 passed, 0 failed")

    def test_a_missing_program_is_a_failure(self):
        done = subprocess.run([sys.executable, ROOT / "tools/run_tests.py", "--no-build", "--programs-only",
                               "--only", "base", "--build", self.root], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines()[-1], "0 passed, 1 failed")


class Checks(Planted):
    def test_a_script_reports_its_cases(self):
        script = self.program("run.py", 'print("noise\\npassed a (1.50 s)\\nwhy\\nfailed b")\nraise SystemExit(1)\n')
        results = checks.run_script("golden", [sys.executable, str(script)], self.root)
        self.assertEqual([(r.name, r.passed, r.seconds) for r in results],
                         [("golden/a", True, 1.5), ("golden/b", False, 0.0)])
        self.assertEqual(results[1].output, "why")

    def test_a_script_that_dies_after_good_cases_has_failed(self):
        script = self.program("run.py", 'print("passed a")\nraise SystemExit(3)\n')
        results = checks.run_script("golden", [sys.executable, str(script)], self.root)
        self.assertEqual([result.passed for result in results], [True, False])

    def test_python_tests_that_are_skipped_or_expected_to_fail_have_failed(self):
        class Sample(unittest.TestCase):
            def test_good(self): pass
            @unittest.skip("later")
            def test_skipped(self): pass
            @unittest.expectedFailure
            def test_expected(self): self.fail()
            def test_bad(self): self.fail("no")
            def test_parts(self):
                with self.subTest(part=1): self.fail()
        recorder = checks.Recorder()
        unittest.TestLoader().loadTestsFromTestCase(Sample).run(recorder)
        passed = {result.name.rpartition("_")[2]: result.passed for result in recorder.results}
        self.assertEqual(passed, {"bad": False, "expected": False, "good": True, "parts": False, "skipped": False})


class BuildTree(Planted):
    def test_slowest_files_come_from_the_latest_build_of_each(self):
        self.plant(".ninja_log", "# ninja log v5\n0\t9000\t1\ttests/CMakeFiles/test_a.dir/a/x_test.cc.o\tff\n"
                                 "0\t2000\t1\ttests/CMakeFiles/test_a.dir/a/x_test.cc.o\tff\n"
                                 "5\t3005\t1\tCMakeFiles/hilo.dir/src/hilo/base/log.cc.o\tfe\n0\t99\t1\tlib/libhilo.so\tfd\n")
        self.assertEqual(build_tree.slowest_files(self.root, 10),
                         [(3.0, "src/hilo/base/log.cc"), (2.0, "tests/a/x_test.cc")])

    def test_a_broken_source_fails_the_build(self):
        self.plant("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES CXX)\nadd_library(x x.cc)\n")
        self.plant("x.cc", "broken\n")
        script = f"import sys, pathlib; sys.path.insert(0, {str(ROOT / 'tools')!r}); import build_tree; " \
                 f"build_tree.ROOT = pathlib.Path({str(self.root)!r}); " \
                 f"print(build_tree.build(pathlib.Path({str(self.root / 'b')!r}), 1))"
        done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        self.assertIn("error: ", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], "False")


    def test_of_cmake_the_sentence_is_shown_and_the_log_named(self):
        self.plant("CMakeLists.txt", 'cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES NONE)\n'
                                     'message(FATAL_ERROR "  hilo needs a miracle. Hint: wait for one")\n')
        script = f"import sys, pathlib; sys.path.insert(0, {str(ROOT / 'tools')!r}); import build_tree; " \
                 f"build_tree.ROOT = pathlib.Path({str(self.root)!r}); " \
                 f"print(build_tree.build(pathlib.Path({str(self.root / 'b')!r}), 1))"
        done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.stdout, "hilo needs a miracle. Hint: wait for one\n"
                                      f"CMake stopped. Full output: {self.root / 'b' / 'build.log'}\nFalse\n")


class Makefile(unittest.TestCase):
    def test_make_alone_lists_the_targets(self):
        done = subprocess.run(["make", "-C", ROOT, "--no-print-directory"], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "MAKEFLAGS": ""})
        listed = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("make ")]
        phony = next(line for line in (ROOT / "Makefile").read_text().splitlines() if line.startswith(".PHONY: "))
        self.assertEqual(sorted(listed), sorted(set(phony.split()[1:]) - {"help"}))

    def test_the_ci_runs_make_test(self):
        self.assertIn("exec make test\n", (ROOT / ".ci" / "run").read_text())
        self.assertTrue(os.access(pathlib.Path(ROOT / ".ci" / "run"), os.X_OK))
