# SPDX-License-Identifier: Apache-2.0
import os
import shutil
import subprocess

import generate_docs
from planted import ROOT, Planted

PACKAGES = """# comment
aaa | build | tool | MIT | 1 | first
bbb | build | tool | MIT | 1 | second
ccc | test | tool | MIT | 1 | third
"""


class Setup(Planted):
    """tools/setup.sh on a PATH of planted dpkg-query, apt-get, sudo and id."""

    def setUp(self):
        super().setUp()
        self.plant("tools/packages.txt", PACKAGES)
        shutil.copy(ROOT / "tools/setup.sh", self.root / "tools/setup.sh")
        for name in ("bash", "dirname", "awk"):
            (self.root / "bin").mkdir(exist_ok=True)
            (self.root / "bin" / name).symlink_to(shutil.which(name))
        self.fake("apt-get", 'echo "apt-get $*"')

    def fake(self, name, body):
        self.program(f"bin/{name}", f"#!{shutil.which('bash')}\n{body}\n")

    def machine(self, installed, user=0, sudo=False):
        self.fake("dpkg-query", f'case " {installed} " in *" $3 "*) echo installed;; *) exit 1;; esac')
        self.fake("id", f"echo {user}")
        if sudo:
            self.fake("sudo", 'echo "sudo $*"; "$@"')

    def run_setup(self, *groups):
        return subprocess.run([self.root / "tools/setup.sh", *groups], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, "PATH": str(self.root / "bin")}, text=True)

    def test_says_and_does_nothing_if_all_is_there(self):
        self.machine("aaa bbb")
        done = self.run_setup("build")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_root_installs_what_is_missing_and_says_what(self):
        self.machine("aaa")
        done = self.run_setup("build", "test")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.splitlines(), [
            "installing 2 packages (tools/packages.txt says why each): bbb ccc", "apt-get update",
            "apt-get install -y --no-install-recommends bbb ccc"])

    def test_others_install_with_sudo(self):
        self.machine("aaa", user=1000, sudo=True)
        done = self.run_setup("build")
        self.assertEqual(done.returncode, 0)
        self.assertIn("sudo apt-get update", done.stdout)

    def test_prints_the_line_and_exits_2_without_root_and_sudo(self):
        self.machine("aaa", user=1000)
        done = self.run_setup("build")
        self.assertEqual(done.returncode, 2)
        self.assertIn("apt-get update && apt-get install -y --no-install-recommends bbb\n", done.stdout)
        self.assertNotIn("installing", done.stdout)

    def test_fails_if_the_package_manager_fails(self):
        self.machine("aaa")
        self.fake("apt-get", "exit 100")
        self.assertNotEqual(self.run_setup("build").returncode, 0)


class PackageList(Planted):
    def test_names_each_package_once_with_a_known_group(self):
        packages = generate_docs.read_packages((ROOT / "tools/packages.txt").read_text())
        names = [package.name for package in packages]
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual({package.group for package in packages}, {"build", "test", "bench", "lint", "fuzz", "docs"})
        for package in packages:
            float(package.size)

    def test_refuses_a_line_without_a_reason(self):
        with self.assertRaises(SystemExit) as refused:
            generate_docs.read_packages("cmake | build | tool | MIT | 1 |\n")
        self.assertIn("tools/packages.txt:1: got", str(refused.exception))
