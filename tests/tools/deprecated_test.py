#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HILO_DEPRECATED of src/hilo/base/deprecated.h: each use of an old name compiles, with a warning that has the new one."""

import subprocess

from planted import ROOT, Planted

SOURCE = """#include "hilo/base/deprecated.h"
HILO_DEPRECATED("hilo::fresh") inline int stale() { return 1; }
struct HILO_DEPRECATED("hilo::Fresh") Stale {};
int main() { return stale(); }
Stale* unused = nullptr;
"""


class Deprecated(Planted):
    def test_a_use_compiles_with_a_warning_that_names_the_new_spelling(self):
        source = self.plant("old.cc", SOURCE)
        done = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-I", ROOT / "src", source], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is deprecated: use hilo::fresh", done.stderr)
        self.assertIn("is deprecated: use hilo::Fresh", done.stderr)

    def test_the_declaration_alone_gives_none(self):
        source = self.plant("new.cc", "\n".join(SOURCE.splitlines()[:3]) + "\n")
        done = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-I", ROOT / "src", source], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
