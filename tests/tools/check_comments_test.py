#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_comments.py on planted trees."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
import check_comments  # noqa: E402


class CheckCommentsTest(unittest.TestCase):
    def violations(self, line: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {"src/hilo/lax/scan.cc": "", "src/hilo/lax/scan.h": "", "tests/lax/scan_test.cc": line}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text + "\n")
            return check_comments.check(root)

    def test_names_of_files_pass(self):
        for line in ("// scan.cc", "int x;  // lax/scan.h has it", "// hilo/lax/scan.h, src/hilo/lax/scan.cc."):
            self.assertEqual(self.violations(line), [], line)

    def test_files_that_are_not_there_are_named(self):
        for line, name in (("// loop.cc has it", "loop.cc"), ("int x;  // see numpy/scan.h", "numpy/scan.h"), ("/// rows.inc", "rows.inc")):
            self.assertEqual(self.violations(line), [f"tests/lax/scan_test.cc:1: a comment names {name}, which is no file"])

    def test_files_of_users_and_of_others_pass(self):
        for line in ("// train.cc:41", "// <asm/prctl.h>", 'auto x = "// loop.cc";', "// *_test.cc"):
            self.assertEqual(self.violations(line), [], line)


if __name__ == "__main__":
    unittest.main()
