#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/deb.py and packaging/debian: what a build needs, which packages there are, and their tests."""

import os
import re
import unittest

import deb
from planted import ROOT, Planted

DEBIAN = ROOT / "packaging" / "debian"


class Deb(Planted):
    def test_a_build_needs_the_packages_of_the_build_by_all_their_names(self):
        needed = deb.build_depends()
        for name in ("llvm-19-dev", "libboost1.81-dev | libboost1.83-dev", "libgrpc++-dev", "protobuf-compiler-grpc"):
            self.assertIn(name, needed)
        for name in ("ccache", "python3-venv", "libopenblas0-pthread", "libgtest-dev"):
            self.assertNotIn(name, needed)

    def test_the_page_lists_each_package(self):
        packages = re.findall(r"^Package: (\S+)$", (DEBIAN / "control").read_text(), re.M)
        self.assertEqual(len(packages), 5)
        page = (ROOT / "docs" / "installing.md").read_text()
        for package in packages:
            self.assertRegex(page, rf"(?m)^\| `{re.escape(package)}` \|")

    def test_names_of_packages_and_folders_have_the_version_of_the_interface(self):
        interface = ".".join(deb.version().split(".")[:2])
        self.assertTrue((DEBIAN / f"libhilo{interface}.install").exists())
        text = "".join(path.read_text() for path in (*DEBIAN.glob("*.install"), DEBIAN / "control"))
        self.assertEqual(set(re.findall(r"hilo-(\d+\.\d+)/|libhilo(\d+\.\d+)\b", text)), {(interface, ""), ("", interface)})

    def test_each_test_of_installed_packages_is_a_program(self):
        names = re.findall(r"^Tests: (\S+)$", (DEBIAN / "tests" / "control").read_text(), re.M)
        programs = {path.name for path in (DEBIAN / "tests").iterdir() if os.access(path, os.X_OK)}
        self.assertEqual(set(names), programs)

    def test_the_tree_of_a_build_has_no_placeholder_left(self):
        deb.write_tree(self.root / "tree")
        debian = self.root / "tree" / "debian"
        for path in (debian / "control", debian / "changelog", debian / "hilo-tools.hilo-serve.service"):
            self.assertNotRegex(path.read_text(), r"@[A-Z_]+@|/usr/local", path.name)
        self.assertIn(f"hilo ({deb.version()}) unstable", (debian / "changelog").read_text())


if __name__ == "__main__":
    unittest.main()
