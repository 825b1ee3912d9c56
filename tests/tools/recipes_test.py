#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""packaging/: each recipe has the project's version, options that CMakeLists.txt has, and targets that exist; each is in the
table of docs/installing.md."""

import json
import re
import unittest

from planted import ROOT

RECIPES = ROOT / "packaging" / "recipes"
VERSION = re.search(r"project\(hilo VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
TARGETS = ("hilo", "hilo_command", "hilo_companions")


def texts() -> dict[str, str]:
    return {str(path.relative_to(RECIPES)): path.read_text() for path in sorted(RECIPES.glob("*/*")) if path.is_file()}


class Recipes(unittest.TestCase):
    def test_their_version_is_the_project_s(self):
        found = re.findall(r'\bversion(?:":|:| =|\()\s*"([\d.]+)"', "\n".join(texts().values()))
        self.assertGreaterEqual(len(found), 4)
        self.assertEqual(set(found), {VERSION})
        self.assertEqual(json.loads((RECIPES / "vcpkg" / "vcpkg.json").read_text())["version"], VERSION)

    def test_their_options_exist(self):
        options = set(re.findall(r"option\((HILO_\w+)", (ROOT / "CMakeLists.txt").read_text()))
        for name, text in texts().items():
            self.assertLessEqual(set(re.findall(r"HILO_BUILD_[A-Z]+", text)), options, name)

    def test_they_build_all_parts(self):
        for name in ("conan/conanfile.py", "nix/default.nix", "homebrew/hilo.rb", "conda/recipe.yaml", "spack/package.py"):
            for target in TARGETS:
                self.assertRegex(texts()[name], rf"\b{target}\b", name)

    def test_the_page_lists_each_with_its_state(self):
        page = (ROOT / "docs" / "installing.md").read_text()
        for folder in sorted(RECIPES.iterdir()):
            self.assertRegex(page, rf"\| `packaging/recipes/{folder.name}` \|.*\| (tested|untested)", folder.name)


if __name__ == "__main__":
    unittest.main()
