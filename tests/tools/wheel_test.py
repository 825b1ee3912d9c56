#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/wheel.py and tools/old_libstdcxx.py: the tag of a wheel, and the reasons against building it. Texts in the format of objdump replace
libraries."""

import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
import old_libstdcxx  # noqa: E402
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
        with self.assertRaisesRegex(ValueError, r"^libb.so needs dlopen of GLIBC 2.34, __libc_single_threaded of GLIBC 2.32; wanted a system "
                                                r"with glibc 2.28"):
            self.tag_of(liba=OLD, libb=NEW)

    def test_so_are_those_of_a_newer_compiler(self):
        with self.assertRaisesRegex(ValueError, r"^liba.so needs _ZNSt10filesystem of GLIBCXX 3.4.26; wanted"):
            self.tag_of(liba=OLD + "0000 DF *UND* 0000 (GLIBCXX_3.4.26) _ZNSt10filesystem\n")

    def test_symbols_that_a_library_defines_need_nothing(self):
        self.assertEqual(self.tag_of(liba=OLD + "0000 DF .text 0000  GLIBC_2.38 own\n"), "manylinux_2_28_x86_64")

    def test_the_library_for_grpc_is_the_system_s(self):
        self.assertEqual(self.tag_of(libhilo_grpc=NEW, libhilo=OLD), "manylinux_2_28_x86_64")


class LibrariesTest(unittest.TestCase):
    def check(self, needed, name="liba.so"):
        listing = "".join(f" 0x01 (NEEDED)  Shared library: [{library}]\n" for library in needed)
        with mock.patch.object(wheel, "output", lambda *command: listing):
            wheel.check_libraries([pathlib.Path(name)])

    def test_those_of_every_system_and_own_ones_are_fine(self):
        self.check(["libhilo.so.0.1", "libstdc++.so.6", "libm.so.6", "ld-linux-x86-64.so.2"])

    def test_others_are_named(self):
        with self.assertRaisesRegex(ValueError, "^liba.so needs libfmt.so.9, which not every system has"):
            self.check(["libc.so.6", "libfmt.so.9"])

    def test_grpc_is_the_system_s(self):
        self.check(["libgrpc++.so.1.51"], "libhilo_grpc.so")


class OldLibstdcxxTest(unittest.TestCase):
    LISTING = """
0000000000000000 g    DO *ABS*	0000000000000000  GLIBCXX_3.4.11 GLIBCXX_3.4.11
00000000000c7de0 g    DF .text	0000000000000012  GLIBCXX_3.4.30 _ZNSt18condition_variable4wait
00000000000c7dc0 g    DF .text	0000000000000010 (GLIBCXX_3.4.11) _ZNSt18condition_variable4wait
0000000000228ae0 g    DO .bss	0000000000000110  GLIBCXX_3.4 _ZSt4cout
00000000000a4f20  w   DF .text	0000000000000005  CXXABI_1.3.13 _ZNSt15__exception_ptr
"""

    def test_the_newest_old_version_of_each_symbol_stays(self):
        self.assertEqual(old_libstdcxx.old_symbols(self.LISTING),
                         {"_ZNSt18condition_variable4wait": ("F", 16, "GLIBCXX_3.4.11"), "_ZSt4cout": ("O", 272, "GLIBCXX_3.4")})

    def test_the_stub_has_them_with_version_and_size(self):
        symbols = old_libstdcxx.old_symbols(self.LISTING)
        self.assertIn('.size "_ZSt4cout", 272', old_libstdcxx.assembly(symbols))
        self.assertIn("GLIBCXX_3.4.11 {\n  global: _ZNSt18condition_variable4wait;\n};", old_libstdcxx.version_script(symbols))


if __name__ == "__main__":
    unittest.main()
