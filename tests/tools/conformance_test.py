#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/conformance.py: the programs that it runs, its counts, and its failures."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CORPUS = "jax_corpus as {} on {}: 2 passed, 0 failed, 0 skipped"


class ConformanceTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="hilo_conformance_test_")
        self.root = pathlib.Path(self.folder.name)
        self.cases = self.root / "cases"
        (self.cases / "jax_corpus").mkdir(parents=True)
        (self.cases / "jax_corpus" / "manifest.tsv").write_text("")
        (self.cases / "stablehlo_some").mkdir()
        (self.cases / "stablehlo_some" / "a.mlir").write_text("")
        (self.root / "bin").mkdir()

    def tearDown(self):
        self.folder.cleanup()

    def run_with(self, script: str) -> subprocess.CompletedProcess:
        """Runs the tool with a shell script in place of `hilo`."""
        command = self.root / "bin" / "hilo"
        command.write_text("#!/bin/sh\n" + script)
        command.chmod(0o755)
        return subprocess.run([sys.executable, ROOT / "tools" / "conformance.py", "--build", self.root, "--cases",
                               self.cases], capture_output=True, text=True, check=False)

    def test_runs_every_corpus_in_every_form_on_both_engines(self):
        done = self.run_with("echo '2 passed, 0 failed, 0 skipped'\n")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = done.stdout.splitlines()
        for engine in ("cpu", "reference"):
            for form in ("bytecode", "text"):
                self.assertIn(CORPUS.format(form, engine), lines)
            self.assertIn(f"stablehlo_some on {engine}: 2 passed, 0 failed, 0 skipped", lines)
        self.assertEqual(lines[-1], "12 passed, 0 failed, 0 skipped")

    def test_failures_are_named_and_counted(self):
        done = self.run_with("echo 'failed a: add'; echo '1 passed, 1 failed, 0 skipped'; exit 1\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("stablehlo_some on cpu: failed a: add", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], "6 passed, 6 failed, 0 skipped")

    def test_a_run_without_counts_has_failed(self):
        done = self.run_with("echo 'it crashed'; exit 139\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed to run to its end: exit status 139: it crashed", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], "0 passed, 6 failed, 0 skipped")

    def test_skipped_cases_are_no_success(self):
        done = self.run_with("echo '1 passed, 0 failed, 1 skipped'; exit 1\n")
        self.assertEqual(done.returncode, 1)

    def test_a_folder_that_is_not_there_is_said(self):
        done = subprocess.run([sys.executable, ROOT / "tools" / "conformance.py", "--cases", self.root / "none"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("Hint: make conformance CONFORMANCE=DIR", done.stdout)


if __name__ == "__main__":
    unittest.main()
