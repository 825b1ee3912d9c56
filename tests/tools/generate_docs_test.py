# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

from planted import ROOT, Planted


class GenerateDocs(Planted):
    def generate(self, *arguments):
        return subprocess.run([sys.executable, ROOT / "tools/generate_docs.py", "--root", self.root,
                               "--build", self.root / "build", *arguments], stdout=subprocess.PIPE, text=True)

    def test_check_finds_a_page_that_is_out_of_date(self):
        self.plant("tools/packages.txt", "libx | build | linked | MIT | 1 | why not\n")
        self.assertEqual(self.generate("--check").returncode, 1)
        self.assertEqual(self.generate().returncode, 0)
        self.assertEqual(self.generate("--check").returncode, 0)
        self.assertIn("| libx | MIT | linked by libhilo.so |", (self.root / "THIRD_PARTY.md").read_text())
        self.plant("tools/packages.txt", "libx | build | linked | MIT | 2 | why not\n")
        stale = self.generate("--check")
        self.assertEqual((stale.returncode, stale.stdout), (1, "docs/dependencies.md: out of date. Hint: make docs\n"))
