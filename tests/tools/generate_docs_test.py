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
        self.assertEqual((stale.returncode, stale.stdout), (1, "docs/contributing/dependencies.md: out of date. Hint: make docs\n"))

    def seeds(self, row):
        self.plant("tools/packages.txt", "libx | build | linked | MIT | 1 | why not\n")
        self.plant("src/hilo/x.h", "void f();\n")
        self.plant("tests/x_test.cc", "TEST(X, Works) {}\n")
        self.plant("tools/seeds.txt", row + "\n")
        done = subprocess.run([sys.executable, ROOT / "tools/generate_docs.py", "--root", self.root, "--build",
                               self.root / "build"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return done.returncode, done.stderr.strip()

    def test_every_name_of_the_seeds_has_a_file_and_a_test(self):
        self.assertEqual(self.seeds("old_f | `f` | src/hilo/x.h | tests/x_test.cc: Works"), (0, ""))
        self.assertIn("| old_f | `f` | `src/hilo/x.h` | `Works` in `tests/x_test.cc` |",
                      (self.root / "docs/internal/seeds.md").read_text())

    def test_an_empty_cell_of_the_seeds_fails(self):
        for row in ("old_f |  | src/hilo/x.h | tests/x_test.cc: Works", "old_f | `f` | src/hilo/x.h | ", "old_f | `f` | src/hilo/x.h"):
            status, error = self.seeds(row)
            self.assertEqual(status, 1)
            self.assertIn("tools/seeds.txt:1: got ", error)

    def test_a_seed_whose_name_file_or_test_is_gone_fails(self):
        for row, wanted in (("old_f | `g` | src/hilo/x.h | tests/x_test.cc: Works", "src/hilo/x.h has no g"),
                            ("old_f | `f` | src/hilo/y.h | tests/x_test.cc: Works", "src/hilo/y.h doesn't exist"),
                            ("old_f | `f` | src/hilo/x.h | tests/x_test.cc: Breaks", "there is no test Breaks")):
            status, error = self.seeds(row)
            self.assertEqual(status, 1)
            self.assertIn(wanted, error)
