#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/coverage.py: which files count, what their folders add up to, and which are the worst."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
import coverage  # noqa: E402

ROOT = pathlib.Path("/hilo")


def file(name, lines, covered, branches=0, taken=0):
    summary = {"lines": {"count": lines, "covered": covered}, "branches": {"count": branches, "covered": taken}}
    return {"filename": name, "summary": summary}


EXPORT = {"data": [{"files": [file("/hilo/src/hilo/base/a.cc", 100, 90, 10, 5), file("/hilo/src/hilo/base/b.cc", 100, 100, 10, 10),
                              file("/hilo/src/hilo/cpu/tile_amx.cc", 50, 0), file("/usr/include/c++/12/vector", 9, 0)]}]}


class CoverageTest(unittest.TestCase):
    files = coverage.files_of(EXPORT, ROOT)

    def test_only_files_of_the_library_count(self):
        self.assertEqual(sorted(self.files), ["base/a.cc", "base/b.cc", "cpu/tile_amx.cc"])

    def test_files_of_missing_instruction_sets_are_known(self):
        self.assertEqual(coverage.isa_of("cpu/tile_amx.cc"), "amx")
        self.assertEqual(coverage.isa_of("base/a_b.cc"), "")
        self.assertEqual(coverage.missing_isas(["avx2", "avx512f"]), ["avxvnni", "avx512vnni", "avx512bf16", "amx"])

    def test_percentages_are_of_all_lines(self):
        self.assertEqual(coverage.total({name: self.files[name] for name in ("base/a.cc", "base/b.cc")}).percent(), (95.0, 75.0))
        self.assertEqual(coverage.total({}).percent(), (0.0, 0.0))

    def test_the_page_has_folders_and_the_worst_files_first(self):
        text = coverage.page(self.files, ["amx"])
        self.assertIn("| all | 76.0 | 75.0 |\n| `base` | 95.0 | 75.0 |\n| `cpu` | 0.0 | - |\n", text)
        self.assertLess(text.index("`cpu/tile_amx.cc` | 50"), text.index("`base/a.cc` | 10"))
        self.assertIn("don't count: amx.", text)


if __name__ == "__main__":
    unittest.main()
