#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_abi.py on a small library: what breaks compiled programs is reported, what doesn't isn't."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from planted import ROOT  # noqa: E402

HEADER = """#pragma once
namespace hilo {
enum Kind : char { kOne, kTwo };
struct Point { int x; int y; };
struct Base { virtual void first(); virtual void second(); };
int size(const Point& point);
namespace detail { long count(Kind kind); }
inline int twice(int x) { return 2 * x; }
}
"""
SOURCE = """#include "hilo/hilo.h"
namespace hilo {
void Base::first() {}
void Base::second() {}
int size(const Point&) { return 0; }
namespace detail { COUNT count(Kind) { return 0; } }
}
extern "C" int hilo_call(int) { return 0; }
"""


class CheckAbiTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="hilo_abi_")
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        for folder in ("src/hilo/c", "build/lib", "build/generated", "tools"):
            (self.root / folder).mkdir(parents=True)
        (self.root / "src/hilo/c/hilo.h").write_text('extern "C" int hilo_call(int number);\n')
        self.library(HEADER)
        self.assertEqual(self.check("--record"), "")

    def library(self, header: str, count: str = "long"):
        """Writes the header and compiles the library."""
        (self.root / "src/hilo/hilo.h").write_text(header)
        options = ["-shared", "-fPIC", f"-DCOUNT={count}", f"-I{self.root}/src", "-o", self.root / "build/lib/libhilo.so"]
        subprocess.run(["g++", "-xc++", "-", *options], input=SOURCE, text=True, check=True)

    def check(self, *options: str) -> str:
        """Runs the tool with Debian's Python, which its first line selects."""
        command = [ROOT / "tools" / "check_abi.py", "--build", self.root / "build", *options, self.root]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout

    def says(self, found: str, header: str, **options):
        self.assertNotEqual(header, HEADER)
        self.library(header, **options)
        self.assertIn(found, self.check())

    def test_the_record_has_functions_and_types_that_programs_use(self):
        text = (self.root / "tools/abi.txt").read_text()
        for line in ("enum hilo::Kind | char: kOne=0 kTwo=1", "type hilo::Point | 8 4: x int 0; y int 32", "function hilo_call | int",
                     "type hilo::Base | 8 8: virtual first(); virtual second()", "function _ZN4hilo6detail5countENS_4KindE | long"):
            self.assertIn(line + "\n", text)
        self.assertNotIn("twice", text)

    def test_additions_break_nothing(self):
        self.library(HEADER.replace("kTwo", "kTwo, kThree").replace("inline", "struct More { int z; };\ninline"))
        self.assertEqual(self.check(), "")

    def test_a_field_that_moves_is_reported(self):
        self.says("type hilo::Point: got 16 8: x long 0; y int 64; recorded 8 4: x int 0; y int 32", HEADER.replace("int x;", "long x;"))

    def test_a_virtual_function_that_moves_is_reported(self):
        self.says("type hilo::Base: got 8 8: virtual second(); virtual first()",
                  HEADER.replace("virtual void first(); virtual void second();", "virtual void second(); virtual void first();"))

    def test_a_value_that_changes_is_reported(self):
        self.says("enum hilo::Kind: got char: kTwo=0 kOne=1", HEADER.replace("kOne, kTwo", "kTwo, kOne"))

    def test_a_result_that_changes_is_reported(self):
        self.says("hilo::detail::count(hilo::Kind): got short; recorded long", HEADER.replace("long count", "short count"), count="short")

    def test_a_function_that_is_missing_is_reported(self):
        self.says("hilo::size(hilo::Point const&): is missing", HEADER.replace("int size(const Point& point);", ""))


if __name__ == "__main__":
    unittest.main()
