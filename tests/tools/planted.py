# SPDX-License-Identifier: Apache-2.0
"""A small tree of files with planted violations for a check."""

import pathlib
import shutil
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"


class Planted(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="hilo_planted_"))
        self.addCleanup(shutil.rmtree, self.root)

    def plant(self, name: str, text: str) -> pathlib.Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def program(self, name: str, text: str) -> pathlib.Path:
        path = self.plant(name, text)
        path.chmod(0o755)
        return path
