#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_workflows.py finds each mistake that it is for."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import check_workflows  # noqa: E402

GOOD = """\
name: ci
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    steps:
      - run: make test
"""


class WorkflowTest(unittest.TestCase):
    def found(self, text: str) -> list[str]:
        return check_workflows.of_workflow(text, {"test", "fuzz"})

    def test_a_good_one_passes(self):
        self.assertEqual(self.found(GOOD), [])

    def test_targets_exist(self):
        self.assertEqual(self.found(GOOD.replace("make test", "make tests")), ["make tests: the Makefile has no such target"])
        matrix = GOOD.replace("    steps:", '    strategy:\n      matrix:\n        target: ["fuzz SECONDS=3", "burn"]\n    steps:')
        self.assertEqual(self.found(matrix), ["make burn: the Makefile has no such target"])

    def test_jobs_end(self):
        self.assertEqual(self.found(GOOD.replace("    timeout-minutes: 5\n", "")), ["job test: wanted timeout-minutes"])

    def test_tokens_only_read(self):
        self.assertEqual(self.found(GOOD.replace("contents: read", "contents: write")), ["wanted permissions: contents: read"])

    def test_this_project_has_none(self):
        self.assertEqual(check_workflows.check(ROOT), [])


if __name__ == "__main__":
    unittest.main()
