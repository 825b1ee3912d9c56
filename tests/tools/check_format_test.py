# SPDX-License-Identifier: Apache-2.0
import subprocess

from planted import ROOT, Planted


class CheckFormat(Planted):
    def check(self, *arguments):
        return subprocess.run([ROOT / "tools/check_format.sh", *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)

    def test_finds_and_mends_a_file_out_of_format(self):
        self.plant(".clang-format", (ROOT / ".clang-format").read_text())
        path = self.plant("a.cc", "int  f( ) {return 1;}\n")
        found = self.check(path)
        self.assertNotEqual(found.returncode, 0)
        self.assertRegex(found.stdout, rf"\d+ {path}\n")
        self.assertEqual(self.check("--apply", path).returncode, 0)
        self.assertEqual(self.check(path).returncode, 0)
        self.assertEqual(path.read_text(), "int f() { return 1; }\n")
