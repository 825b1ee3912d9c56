#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/sbom.py: each part of the product, and only these."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import sbom  # noqa: E402


class DocumentTest(unittest.TestCase):
    document = sbom.document()

    def test_has_what_is_inside_linked_or_opened_and_no_tools(self):
        names = {package["name"] for package in self.document["packages"]}
        self.assertLessEqual({"hilo", "llvm-19-dev", "libfmt-dev", "libopenblas0-pthread", "libboost1.81-dev"}, names)
        self.assertFalse(names & {"g++", "cmake", "libgtest-dev", "python3"})

    def test_every_package_has_a_relationship_and_a_licence(self):
        related = {end for r in self.document["relationships"] for end in (r["spdxElementId"], r["relatedSpdxElement"])}
        for package in self.document["packages"]:
            self.assertIn(package["SPDXID"], related)
            self.assertRegex(package["licenseDeclared"], r"^[A-Za-z0-9.+-]+( (AND|OR|WITH) [A-Za-z0-9.+-]+)*$")

    def test_the_same_commit_gives_the_same_file(self):
        self.assertEqual(sbom.document(), self.document)


if __name__ == "__main__":
    unittest.main()
