#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/jax_suite: a file of tests is run to its end even if tests crash, results are stored, and the table lists the
tests that one engine fails. Three empty packages replace JAX."""

import argparse
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "jax_suite"))
import parts  # noqa: E402
import run  # noqa: E402
import supervise  # noqa: E402
import table  # noqa: E402

TESTS = '''
import os, sys, threading, unittest
ENGINE = os.environ["ENGINE"]
class SomeTest(unittest.TestCase):
    def test_passes(self): pass
    def test_skips(self): self.skipTest("not here")
    def test_fails(self): self.assertEqual([1], [2])
    def test_fails_there(self): self.assertEqual(ENGINE, "good")
    def test_first_of_parts(self):
        for part in (1, 2, 3):
            with self.subTest(part=part):
                self.assertEqual(part, 1)
    def test_dies(self):
        if ENGINE != "good":
            print("Check failed: it is so", file=sys.stderr, flush=True)
            os.abort()
    def test_exits(self):
        if ENGINE != "good": os._exit(3)
    def test_hangs(self):
        if ENGINE != "good": threading.Event().wait()
    @unittest.expectedFailure
    def test_is_known_to_fail(self): self.fail()
class Addressed(unittest.TestCase):
    def test_one(self): pass
    def id(self): return f"some_test.Addressed.test_one (<function f at {hex(id(object()))}>)"
class NoClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise ValueError("no class")
    def test_never_runs(self): pass
'''
PATIENCE = 8  # seconds until a test hangs


class SuperviseTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="hilo_jax_suite_test_")
        self.root = pathlib.Path(self.folder.name)
        for name, text in {"jax/__init__.py": "", "jax/_src/__init__.py": "", "jax/_src/pallas/__init__.py": "", "absl/__init__.py": "",
                           "absl/flags.py": "class FLAGS:\n    mark_as_parsed = staticmethod(lambda: None)\n",
                           "clone/jax/_src/only_in_the_clone.py": "", "clone/tests/some_test.py": TESTS,
                           "clone/tests/clone_test.py": "import jax._src.only_in_the_clone\n" + TESTS.partition("    def test_skips")[0],
                           "clone/tests/broken_test.py": "raise ImportError('no such thing')\n",
                           "clone/tests/dies_test.py": "import os; os.abort()\n",
                           "clone/tests/left_out_test.py": "import unittest\nraise unittest.SkipTest('needs a GPU')\n"}.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    def tearDown(self):
        self.folder.cleanup()

    def run_file(self, name: str, engine: str = "good", **options) -> list[dict]:
        settings = supervise.Settings(sys.executable, str(self.root / "clone"), **{"test_seconds": 60, **options})
        environment = {"ENGINE": engine, "PYTHONPATH": str(self.root)}
        return supervise.run_file(name, supervise.Engine(engine, environment), settings, self.root / "state")

    def outcomes(self, rows: list[dict]) -> dict[str, str]:
        return {row["test"].rpartition(".")[2]: row["outcome"] for row in rows if "test" in row}

    def test_each_test_has_an_outcome(self):
        self.assertEqual(self.outcomes(self.run_file("some")), {
            "test_passes": "passed", "test_skips": "skipped", "test_fails": "failed", "test_fails_there": "passed", "test_dies": "passed",
            "test_exits": "passed", "test_hangs": "passed", "test_first_of_parts": "failed", "test_is_known_to_fail": "passed",
            "NoClass)": "failed", "test_one (<function f>)": "passed"})

    def test_a_process_that_dies_or_hangs_costs_one_test(self):
        rows = self.run_file("some", "bad", test_seconds=PATIENCE)
        found = {row["test"].rpartition(".")[2]: row for row in rows if "test" in row}
        self.assertEqual(found["test_dies"]["outcome"], "crashed")
        self.assertEqual(found["test_dies"]["cause"], "signal 6 (SIGABRT): Check failed: it is so")
        self.assertEqual(found["test_exits"]["outcome"], "crashed")
        self.assertIn("exit status 3", found["test_exits"]["cause"])
        self.assertEqual(found["test_hangs"]["outcome"], "hung")
        self.assertEqual(found["test_passes"]["outcome"], "passed")
        self.assertEqual(sum("collected" in row for row in rows), 4)  # as many processes
        self.assertTrue(supervise.ended(rows))

    def test_causes_are_one_line(self):
        causes = {row["test"].rpartition(".")[2]: row["cause"] for row in self.run_file("some") if "test" in row}
        self.assertEqual(causes["test_fails"], "AssertionError: Lists differ: [1] != [2]")
        self.assertEqual(causes["test_skips"], "not here")
        self.assertEqual(causes["test_first_of_parts"], "AssertionError: 2 != 1")
        self.assertEqual(causes["NoClass)"], "ValueError: no class")

    def test_files_that_do_not_run_say_why(self):
        self.assertEqual(self.run_file("broken")[-1]["problem"], "ImportError: no such thing")
        self.assertIn("signal 6", self.run_file("dies")[-1]["problem"])
        self.assertEqual(self.run_file("left_out")[-1]["skip"], "SkipTest: needs a GPU")

    def test_what_the_wheel_leaves_out_comes_from_the_clone(self):
        self.assertEqual(self.outcomes(self.run_file("clone")), {"test_passes": "passed"})

    def test_a_run_goes_on_where_the_last_one_was(self):
        first = self.run_file("some", limit=2)
        self.assertEqual(len(self.outcomes(first)), 2)
        more = self.run_file("some", limit=4)
        self.assertEqual(more[:len(first)], first)
        self.assertEqual(len(self.outcomes(more)), 4)
        self.assertEqual(self.run_file("some", limit=4), more)  # nothing runs
        self.assertFalse(set(self.outcomes(self.run_file("some", limit=2, seed=1))) >= set(self.outcomes(more)))

    def test_only_what_is_asked_for_runs(self):
        one, two = "some_test.SomeTest.test_passes", "some_test.SomeTest.test_fails"
        state, settings = self.root / "state", supervise.Settings(sys.executable, str(self.root / "clone"), test_seconds=60)
        engine = supervise.Engine("good", {"ENGINE": "good", "PYTHONPATH": str(self.root)})
        self.assertEqual(self.outcomes(supervise.run_file("some", engine, settings, state, [one])), {"test_passes": "passed"})
        more = supervise.run_file("some", engine, settings, state, [one, two])
        self.assertEqual(self.outcomes(more), {"test_passes": "passed", "test_fails": "failed"})
        self.assertEqual(supervise.run_file("some", engine, settings, state, [two, one]), more)  # nothing runs

    def test_parts_have_all_tests_once_and_merge(self):
        state = self.root / "state"
        for number in (1, 2, 3):
            for engine in ("good", "bad"):
                settings = supervise.Settings(sys.executable, str(self.root / "clone"), part=f"{number}/3", test_seconds=PATIENCE)
                supervise.run_file("some", supervise.Engine(engine, {"ENGINE": engine, "PYTHONPATH": str(self.root)}), settings,
                                   parts.folder(state, f"{number}/3"))
        found = parts.folders(state)
        self.assertEqual(parts.described(found), "3 of 3 parts")
        good, bad = parts.merged(found, ["good", "bad"], ["some", "never_run"])["some"]
        whole = self.outcomes(self.run_file("some"))
        self.assertEqual({test.rpartition(".")[2]: row["outcome"] for test, row in good.rows.items()}, whole)
        self.assertEqual(good.selected, good.collected)
        self.assertEqual({row["test"].rpartition(".")[2] for row in table.lost(good, bad)},
                         {"test_fails_there", "test_dies", "test_exits", "test_hangs"})
        self.assertEqual(parts.described({key: path for key, path in found.items() if key[0] != 2}), "2 of 3 parts; missing: 2")

    def test_a_part_is_a_number_of_a_number(self):
        self.assertEqual(parts.checked("3/40"), "3/40")
        for text in ("0/3", "4/3", "3", "a/b"):
            with self.assertRaises(argparse.ArgumentTypeError):
                parts.checked(text)

    def test_a_cut_line_is_run_again(self):
        self.run_file("some", limit=3)
        path = self.root / "state" / "good" / "some.jsonl"
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(lines[:-2]) + lines[-2][:20])
        self.assertEqual(len(self.outcomes(self.run_file("some", limit=3))), 3)
        self.assertEqual(len(self.outcomes(supervise.read_rows(path))), 3)

    def test_forgotten_tests_run_again(self):
        self.run_file("some")
        path = self.root / "state" / "good" / "some.jsonl"
        supervise.forget(path, table.BAD)
        self.assertNotIn("failed", self.outcomes(supervise.read_rows(path)).values())
        self.assertIn("failed", self.outcomes(self.run_file("some")).values())

    def test_memory_is_limited(self):
        (self.root / "clone/tests/large_test.py").write_text(
            "import unittest\nclass T(unittest.TestCase):\n    def test_large(self): bytearray(3 << 30)\n")
        self.assertEqual(self.run_file("large", memory=1)[2]["cause"], "MemoryError: ")

    def test_a_file_stops_at_its_time(self):
        rows = self.run_file("some", seconds=1e-6)
        self.assertEqual(len(self.outcomes(rows)), 1)
        self.assertEqual(rows[-1]["end"], "time")


def tests(**outcomes) -> table.Tests:
    return table.Tests(10, 10, {name: {"test": name, "outcome": outcome, "cause": "Error: 3 of [4]", "seconds": 1.5}
                                for name, outcome in outcomes.items()}, "")


class TableTest(unittest.TestCase):
    def test_only_what_passes_there_and_ran_here_counts(self):
        reference, other = tests(a="passed", b="passed", c="failed", d="passed"), tests(a="passed", b="crashed", c="failed")
        self.assertEqual([row["test"] for row in table.lost(reference, other)], ["b"])
        text = table.render({"some": [reference, other]}, ["jaxlib", "hilo"])
        self.assertIn("of 2 tests that pass on jaxlib and ran on hilo, 1 pass there: 50.00 %", text)
        self.assertIn("hilo: 1 passed, 2 failed, 0 skipped; 1 crashes, 0 hangs, 0 files that did not run", text)
        self.assertIn("some: b: crashed Error: 3 of [4]", text)

    def test_a_share_of_what_passes_is_judged_and_all_that_fails(self):
        found = tests(**{f"good{i}": "passed" for i in range(20)}, bad="failed", worse="crashed", other="skipped")
        chosen = run.judged(found, "0 some", 0.1)
        self.assertEqual(chosen[:2], ["bad", "worse"])
        self.assertEqual([name[:4] for name in chosen[2:]], ["good", "good"])
        self.assertEqual(chosen, run.judged(found, "0 some", 0.1))
        self.assertNotEqual(chosen, run.judged(found, "1 some", 0.1))
        self.assertEqual(run.judged(tests(bad="failed"), "0 some", 0.1), ["bad"])
        self.assertEqual(len(run.judged(tests(a="passed", b="passed"), "0 some", 0.1)), 1)

    def test_a_sample_of_passes_stands_for_all(self):
        other = tests(a="passed", b="passed", c="passed", d="passed", e="failed", f="failed")
        reference = tests(a="passed", b="failed", e="passed", f="failed")
        text = table.render({"some": [reference, other]}, ["jaxlib", "hilo"], sampled=True)
        self.assertIn("4 tests pass on hilo; of 2 of them that ran on jaxlib, 1 pass there. 1 tests pass on jaxlib and not on hilo: "
                      "of about 3 that pass on jaxlib, 66.67 % pass on hilo", text)
        self.assertIn("no test that passed on hilo", table.render({"some": [tests(), other]}, ["jaxlib", "hilo"], sampled=True))

    def test_equal_causes_meet(self):
        rows = {name: {"test": name, "outcome": "failed", "cause": f"Error: {i} of [{i}]", "seconds": 0} for i, name in enumerate("abc")}
        text = table.render({"some": [tests(a="passed", b="passed", c="passed"), table.Tests(3, 3, rows, "")]}, ["jaxlib", "hilo"])
        self.assertIn("3 x Error: # of #", text)

    def test_a_death_between_tests_is_no_secret(self):
        other = tests(a="passed")
        other.rows["(at the end)"] = {"test": "(at the end)", "outcome": "crashed", "cause": "signal 11", "seconds": 0}
        self.assertEqual(len(table.lost(tests(a="passed"), other)), 1)

    def test_files_that_did_not_run_are_counted(self):
        text = table.render({"some": [tests(a="passed"), table.Tests(0, 0, {}, "ImportError: x")]}, ["jaxlib", "hilo"])
        self.assertIn("did not run: ImportError: x", text)
        self.assertIn("1 files that did not run", text)


if __name__ == "__main__":
    os.chdir(ROOT)
    unittest.main()
