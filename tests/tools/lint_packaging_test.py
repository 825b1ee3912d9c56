#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/lint_packaging.py: what it checks exists, and what has no test of its own is checked."""

import unittest

import lint_packaging
from planted import ROOT

TESTED = {"conan", "vcpkg"}  # Conan's recipe is run (docs/installing.md), vcpkg has no linter; recipes_test.py reads both


def checked() -> set[str]:
    patterns = [pattern for _, _, patterns in lint_packaging.CHECKS for pattern in patterns]
    return {str(path.relative_to(ROOT)) for pattern in patterns for path in ROOT.glob(pattern)}


class LintPackaging(unittest.TestCase):
    def test_each_pattern_matches_a_file(self):
        for name, _, patterns in lint_packaging.CHECKS:
            for pattern in patterns:
                self.assertTrue(list(ROOT.glob(pattern)), f"{name}: {pattern}")

    def test_each_recipe_and_script_of_packages_is_checked(self):
        for folder in (ROOT / "packaging" / "recipes").iterdir():
            files = {str(path.relative_to(ROOT)) for path in folder.iterdir()}
            self.assertTrue(folder.name in TESTED or files & checked(), folder)
        scripts = {str(path.relative_to(ROOT)) for path in (ROOT / "packaging" / "debian" / "tests").iterdir() if path.name != "control"}
        self.assertLessEqual(scripts, checked())

    def test_a_linter_s_complaint_is_returned(self):
        complaint = lint_packaging.check(("sh", "-c", "echo line 3 is wrong; exit 1"), ("Makefile",))
        self.assertEqual(complaint, "line 3 is wrong\n")
        self.assertEqual(lint_packaging.check(("true",), ("Makefile",)), "")
        self.assertIn("no file matches", lint_packaging.check(("true",), ("nothing/*",)))


if __name__ == "__main__":
    unittest.main()
