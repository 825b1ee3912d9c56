#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/coverage_page.py: which names count, and how the page shows what is there and what isn't. That the page
itself is up to date is checked by generate_docs --check."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import coverage_page  # noqa: E402


class CoveragePageTest(unittest.TestCase):
    def test_members_of_arrays_and_primitives_are_no_public_names(self):
        names = ["array.T", "jax.lax.add", "jax.lax.add_p", "jax.numpy.sum"]
        self.assertEqual(coverage_page.public_names(names), ["jax.lax.add", "jax.numpy.sum"])

    def test_the_first_reason_that_fits_counts(self):
        reasons = coverage_page.read_reasons("# a comment\noptax.Ema*\tfirst\noptax.*State\tsecond\n")
        self.assertEqual(coverage_page.reason_of("optax.EmaState", reasons), "first")
        self.assertEqual(coverage_page.reason_of("optax.ClipState", reasons), "second")
        self.assertEqual(coverage_page.reason_of("optax.sgd", reasons), "not in this version")

    def test_the_page_counts_and_names(self):
        text = coverage_page.page(["jax.nn.relu", "jax.nn.celu"], {"jax.nn.relu"}, [("jax.nn.celu", "why")])
        self.assertIn("| `jax.nn` | 1 | 2 |\n", text)
        self.assertIn("| `celu` | why |\n", text)
        self.assertIn("\n`relu`\n", text)

    def test_every_reason_is_of_a_name_that_jax_has(self):
        names = coverage_page.public_names(list(coverage_page.signatures.entries()))
        for pattern, why in coverage_page.read_reasons((ROOT / coverage_page.REASONS).read_text()):
            self.assertTrue(why)
            self.assertTrue(any(coverage_page.fnmatch.fnmatchcase(name, pattern) for name in names), pattern)

    def test_new_names_are_declared_or_have_a_reason(self):
        rows = coverage_page.read_reasons((ROOT / coverage_page.SINCE).read_text())
        for row in rows:
            version, name, here, remark = (*row, "", "")[:4]
            self.assertRegex(version, r"^0\.1[0-2](\.\d)?$")
            self.assertTrue(here or remark, name)
        text = coverage_page.new_names([("0.12.0", "jax.a", "a", "why"), ("0.12.0", "jax.b", "", "reason")], set)
        self.assertIn("| 0.12.0 | `jax.a` | `a`: why |\n", text)
        self.assertIn("| 0.12.0 | `jax.b` | no: reason |\n", text)
        with self.assertRaises(SystemExit):
            coverage_page.new_names([("0.12.0", "jax.a", "a")], lambda names: set())


if __name__ == "__main__":
    unittest.main()
