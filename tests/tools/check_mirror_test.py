#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_mirror.py on planted trees."""

import sys

from planted import ROOT, Planted

sys.path.insert(0, str(ROOT / "tools"))
import check_mirror  # noqa: E402

FUNCTION = "inline int f(int x) {\n  return x;\n}\n"


class CheckMirror(Planted):
    def tree(self, *names: str, **texts: str):
        for name in names:
            self.plant(name, texts.get(name, ""))

    def test_a_test_or_a_table_at_the_path_counts(self):
        for test in ("tests/hlo/cse_test.cc", "tests/hlo/cse.cases", "tests/hlo/cse.hlo", "tests/hlo/cse/equal.hlo"):
            with self.subTest(test):
                self.plant("src/hilo/hlo/cse.cc", "")
                self.assertEqual(list(check_mirror.has_tests(self.root).values()), [False])
                path = self.plant(test, "")
                self.assertEqual(list(check_mirror.has_tests(self.root).values()), [True])
                path.unlink()

    def test_headers_count_if_they_define_functions(self):
        self.plant("src/hilo/hlo/a.h", "int f(int x);\nstruct A {\n  int x;\n};\n")
        self.plant("src/hilo/hlo/b.h", FUNCTION)
        self.plant("src/hilo/hlo/c.h", FUNCTION)
        self.plant("src/hilo/hlo/c.cc", "")
        self.assertEqual([path.as_posix() for path in check_mirror.has_tests(self.root)], ["hlo/b", "hlo/c"])

    def test_files_for_instruction_sets_are_one_source(self):
        self.tree("src/hilo/cpu/tile_avx2.cc", "src/hilo/cpu/tile_sse2.cc", "tests/cpu/tile_test.cc")
        self.assertEqual(check_mirror.check(self.root, 100), [])

    def test_too_small_a_share_is_said(self):
        self.tree("src/hilo/hlo/a.cc", "src/hilo/hlo/b.cc", "src/hilo/hlo/c.cc", "tests/hlo/a_test.cc")
        self.assertEqual(check_mirror.check(self.root, 33), [])
        self.assertEqual(check_mirror.check(self.root, 34), ["1 of 3 sources have tests at their path; wanted 34 %"])

    def test_test_files_mirror_a_source_unless_their_folder_is_special(self):
        self.tree("src/hilo/hlo/cse.cc", "tests/hlo/cse_test.cc", "tests/hlo/cse_of_calls_test.cc", "tests/programs/users_test.cc")
        self.assertEqual(check_mirror.strays(self.root), [])
        self.tree("tests/hlo/equal_test.cc", "tests/lax/cse_test.cc", "tests/hlo/cs_test.cc", "tests/hlo/equal.cases")
        self.assertEqual([path.as_posix() for path in check_mirror.strays(self.root)],
                         ["tests/hlo/cs_test.cc", "tests/hlo/equal.cases", "tests/hlo/equal_test.cc", "tests/lax/cse_test.cc"])


if __name__ == "__main__":
    import unittest
    unittest.main()
