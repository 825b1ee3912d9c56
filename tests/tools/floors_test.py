#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/floors.py: the rows of an explanation, and the report about them."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import floors  # noqa: E402

EXPLANATION = """\
one of 2 threads: caches 163.8, 80.8 and 73.6 GB/s, memory 30.0; arithmetic 35 GFLOP/s of f32, 17 of f64; products 83 of f32, 39 of f64
all: memory 56.0 GB/s
   fastest      floor  ratio     runs  bound by        unit
   1.78 ms    1.58 ms   1.13       50  products        dot logits
 113.22 us   20.15 us   5.62       10  functions       row kernel y
                                                        threads share it: 16 tasks; planned as 294.43 us of one thread
     40 ns       1 ns  40.00        1  unknown length  register loop while.3
0.0 % of the time in units above 4 times their floor, 0.0 % in loops of unknown length
out0 = f32[3] {1, 2, 3}
"""


class UnitsTest(unittest.TestCase):
    def test_each_row_is_a_unit(self):
        dot, kernel, loop = floors.units_of(EXPLANATION, "p.hlo")
        self.assertEqual(dot, floors.Unit("p.hlo", "dot logits", 50 * 1.78e6, 1.13, "products"))
        self.assertEqual((kernel.kind, kernel.nanoseconds), ("row kernel", 10 * 113.22e3))
        self.assertEqual((loop.kind, loop.bound), ("register loop", "unknown length"))
        self.assertEqual([unit.is_slow for unit in (dot, kernel, loop)], [False, True, False])


class ReportTest(unittest.TestCase):
    def test_names_the_share_of_slow_units_and_their_kinds(self):
        text = floors.report([floors.Unit("a.hlo", "map kernel x", 300, 2, "cache"), floors.Unit("b.hlo", "map kernel y", 100, 5, "cache")], 3)
        self.assertIn("25.0 % of the time of 2 units in units above 4 times their floor", text)
        self.assertIn("25.0 %  map kernel, bound by cache: 1 units", text)
        self.assertIn("5.0 times  b.hlo: map kernel y", text)

    def test_no_units_are_no_error(self):
        self.assertIn("0.0 % of the time of 0 units", floors.report([], 3))


if __name__ == "__main__":
    unittest.main()
