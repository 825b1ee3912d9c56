# SPDX-License-Identifier: Apache-2.0
import struct

import npy
from planted import Planted


class Npy(Planted):
    def save(self, name, kind, shape, values):
        header = str({"descr": kind, "fortran_order": False, "shape": shape}).encode() + b"\n"
        data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
        path = self.root / name
        path.write_bytes(data + struct.pack(f"<{len(values)}{npy.CODES[kind[1:]]}", *values))
        return path

    def test_reads_what_was_written(self):
        path = self.save("a.npy", "<f4", (2, 2), [1, 2, 3, 4.5])
        self.assertEqual(npy.read(path), ("f4", (2, 2), [1, 2, 3, 4.5]))

    def test_equal_files_do_not_differ_and_nan_equals_nan(self):
        a = self.save("a.npy", "<f8", (3,), [1, float("nan"), float("inf")])
        self.assertEqual(npy.difference(a, a, "float64", 0, 0), "")

    def test_finds_a_value_beyond_the_tolerance(self):
        got, wanted = self.save("a.npy", "<f4", (2,), [1, 2.5]), self.save("b.npy", "<f4", (2,), [1, 2])
        self.assertEqual(npy.difference(got, wanted, "float32", 0.3, 0), "")
        self.assertEqual(npy.difference(got, wanted, "float32", 0.1, 0), "a.npy: element 1: got 2.5; wanted 2.0")

    def test_finds_a_nan_where_a_number_was_wanted(self):
        got, wanted = self.save("a.npy", "<f4", (1,), [float("nan")]), self.save("b.npy", "<f4", (1,), [1])
        self.assertIn("got nan", npy.difference(got, wanted, "float32", 1, 1))

    def test_finds_another_shape_and_another_type(self):
        a, b = self.save("a.npy", "<i4", (2,), [1, 2]), self.save("b.npy", "<i4", (2, 1), [1, 2])
        self.assertEqual(npy.difference(a, b, "int32", 0, 0), "a.npy: got i4[2]; wanted i4[2, 1]")
        self.assertIn("wanted i4[2]", npy.difference(self.save("c.npy", "<i8", (2,), [1, 2]), a, "int32", 0, 0))

    def test_compares_bfloat16_as_numbers(self):
        got, wanted = self.save("a.npy", "<u2", (1,), [0x3F80]), self.save("b.npy", "<u2", (1,), [0x3F81])
        self.assertEqual(npy.difference(got, wanted, "bfloat16", 0.01, 0), "")
        self.assertIn("wanted 1.0078125", npy.difference(got, wanted, "bfloat16", 0.001, 0))

    def test_names_a_missing_file(self):
        a = self.save("a.npy", "<f4", (1,), [1])
        self.assertIn("No such file", npy.difference(self.root / "none.npy", a, "float32", 0, 0))
