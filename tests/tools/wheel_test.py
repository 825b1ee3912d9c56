#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/wheel.py: the tag of a wheel, and the reasons against building it. Texts in the format of objdump replace
libraries."""

import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
import wheel  # noqa: E402

OLD = "0000 DF *UND* 0000 (GLIBC_2.2.5) memcpy\n0000 DF *UND* 0000 (GLIBC_2.28) fcntl64\n0010 g DF .text 0000 Base GetPjrtApi\n"
NEW = OLD + "0000 DF *UND* 0000 (GLIBC_2.34) dlopen\n0000 DO *UND* 0000 (GLIBC_2.32) __libc_single_threaded\n"


class PlatformTagTest(unittest.TestCase):
    def tag_of(self, **symbols):
        paths = {name: pathlib.Path(f"{name}.so") for name in symbols}
        with mock.patch.object(wheel, "output", lambda *command: symbols[command[-1].stem]):
            return wheel.platform_tag(paths.values())

    def test_symbols_of_the_oldest_glibc_are_fine(self):
        self.assertEqual(self.tag_of(libhilo=OLD, libhilo_pjrt=OLD), "manylinux_2_28_x86_64")

    def test_newer_ones_are_named(self):
        with self.assertRaisesRegex(ValueError, r"^libb.so needs dlopen of 2.34, __libc_single_threaded of 2.32; wanted glibc 2.28"):
            self.tag_of(liba=OLD, libb=NEW)

    def test_the_library_for_grpc_is_the_system_s(self):
        self.assertEqual(self.tag_of(libhilo_grpc=NEW, libhilo=OLD), "manylinux_2_28_x86_64")


if __name__ == "__main__":
    unittest.main()
