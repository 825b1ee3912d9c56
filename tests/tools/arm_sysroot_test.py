# SPDX-License-Identifier: Apache-2.0
import os

import arm_sysroot
from planted import ROOT, Planted

PACKAGES = """# comment
llvm-dev | build | inside | MIT | 1 | inside
libopened | build | opened | MIT | 1 | opened
ninja | build | tool | MIT | 1 | runs on the host
libgrpc++-dev | build | opened | MIT | 1 | not in the build for AArch64
libgtest-dev | test | tool | MIT | 1 | linked by tests
valgrind | fuzz | tool | MIT | 1 | another group

# Other names
libopened | trixie noble | libopened2
"""
FOLDER = "usr/lib/aarch64-linux-gnu"


class ArmSysroot(Planted):
    """tools/arm_sysroot.py: what it downloads, and what it changes in the unpacked packages."""

    def test_has_the_libraries_by_their_names_in_the_release(self):
        self.assertEqual(arm_sysroot.packages(PACKAGES, "bookworm"), ["llvm-dev", "libopened", "libgtest-dev"])
        self.assertEqual(arm_sysroot.packages(PACKAGES, "trixie"), ["llvm-dev", "libopened2", "libgtest-dev"])

    def test_has_those_of_the_build(self):
        names = arm_sysroot.packages((ROOT / "tools/packages.txt").read_text(), "bookworm")
        for name in ("llvm-19-dev", "libfmt-dev", "libboost1.81-dev", "libopenblas0-pthread", "libmpfr-dev", "libgtest-dev"):
            self.assertIn(name, names)
        self.assertNotIn("cmake", names)

    def test_links_and_paths_of_cmake_stay_inside(self):
        self.plant(f"{FOLDER}/libz.so.1", "library")
        (self.root / FOLDER / "libz.so").symlink_to(f"/{FOLDER}/libz.so.1")
        (self.root / FOLDER / "near.so").symlink_to("libz.so.1")
        self.plant(f"{FOLDER}/cmake/x.cmake", f'set(a "/{FOLDER}/libz.so;/{FOLDER}/libm.so")\n')
        arm_sysroot.relocate(self.root)
        self.assertEqual(os.readlink(self.root / FOLDER / "libz.so"), "libz.so.1")
        self.assertEqual(os.readlink(self.root / FOLDER / "near.so"), "libz.so.1")
        inside = f"{self.root}/{FOLDER}"
        self.assertEqual((self.root / FOLDER / "cmake/x.cmake").read_text(), f'set(a "{inside}/libz.so;{inside}/libm.so")\n')
        arm_sysroot.relocate(self.root)
        self.assertEqual((self.root / FOLDER / "cmake/x.cmake").read_text(), f'set(a "{inside}/libz.so;{inside}/libm.so")\n')
