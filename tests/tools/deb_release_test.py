#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/deb_release.py: which files count as left behind, and which tests run in a chroot."""

import types
import unittest

import deb_release
from planted import ROOT, Planted


class DebRelease(Planted):
    def test_files_that_were_not_there_are_left_behind(self):
        self.plant("user/usr/bin/sh", "")
        self.plant("user/var/lib/dpkg/status", "")
        self.plant("user/var/.updated", "")
        place = types.SimpleNamespace(user=self.root / "user", before=deb_release.files(self.root / "user"))
        self.assertIn("/usr/bin/sh", place.before)
        self.assertFalse({"/var/lib/dpkg/status", "/var/.updated"} & place.before)
        self.plant("user/var/lib/dpkg/info", "")
        deb_release.assert_nothing_is_left(place)
        self.plant("user/etc/hilo/token", "")
        with self.assertRaisesRegex(AssertionError, "/etc/hilo/token"):
            deb_release.assert_nothing_is_left(place)

    def test_the_test_that_needs_a_machine_is_booted(self):
        tests = deb_release.package_tests((ROOT / "packaging" / "debian" / "tests" / "control").read_text())
        self.assertEqual({name for name, restrictions in tests if deb_release.MACHINE in restrictions}, {"unit"})
        self.assertIn("/tests/unit", deb_release.UNIT)
        self.assertGreater(len(tests), 3)


if __name__ == "__main__":
    unittest.main()
