# SPDX-License-Identifier: Apache-2.0
import check_sizes
from planted import Planted


class CheckSizes(Planted):
    def found(self):
        return check_sizes.check(self.root)

    def test_accepts_a_file_of_800_lines(self):
        self.plant("src/hilo/base/a.cc", "\n" * 800)
        self.assertEqual(self.found(), [])

    def test_finds_a_file_of_801_lines(self):
        self.plant("src/hilo/base/a.cc", "\n" * 801)
        self.assertEqual(self.found(), ["src/hilo/base/a.cc: 801 lines; wanted at most 800. Hint: split it by family"])

    def test_accepts_a_long_file_with_a_reason(self):
        self.plant("src/hilo/base/a.cc", "\n" * 801)
        self.plant(check_sizes.ALLOW_LIST, "# comment\nsrc/hilo/base/a.cc | one table\n")
        self.assertEqual(self.found(), [])

    def test_finds_an_entry_without_a_reason(self):
        self.plant("src/hilo/base/a.cc", "\n" * 801)
        self.plant(check_sizes.ALLOW_LIST, "src/hilo/base/a.cc\n")
        self.assertEqual(self.found(), ["tools/size_allowlist.txt: src/hilo/base/a.cc has no reason"])

    def test_finds_entries_that_are_no_longer_needed(self):
        self.plant("src/hilo/base/a.cc", "\n")
        self.plant(check_sizes.ALLOW_LIST, "src/hilo/base/a.cc | one table\nsrc/gone.cc | was long\n")
        self.assertEqual(self.found(), ["tools/size_allowlist.txt: src/hilo/base/a.cc has 1 lines and needs no entry",
                                        "tools/size_allowlist.txt: src/gone.cc does not exist"])
