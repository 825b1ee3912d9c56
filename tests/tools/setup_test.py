# SPDX-License-Identifier: Apache-2.0
import os
import re
import shutil
import subprocess

import generate_docs
from planted import ROOT, Planted

PACKAGES = """# comment
aaa | build | tool | MIT | 1 | first
bbb | build | tool | MIT | 1 | second
ccc | test | tool | MIT | 1 | third

# Other names
bbb | trixie noble | bbb2
ccc | noble | ccc-t64
"""
RELEASES = {  # what /etc/os-release says: the codename by which hilo knows it
    "Debian 12": ("VERSION_CODENAME=bookworm", "bookworm"),
    "Debian 13": ("VERSION_CODENAME=trixie", "trixie"),
    "Ubuntu 24.04": ("VERSION_CODENAME=noble\nUBUNTU_CODENAME=noble", "noble"),
    "Linux Mint 22": ("VERSION_CODENAME=wilma\nUBUNTU_CODENAME=noble", "noble"),
    "LMDE 6": ("VERSION_CODENAME=faye\nDEBIAN_CODENAME=bookworm", "bookworm"),
    "Raspbian 12": ('VERSION_CODENAME="bookworm"\nID_LIKE=debian', "bookworm"),
}


class Setup(Planted):
    """tools/setup.sh on a PATH of planted dpkg-query, apt-get, sudo and id."""

    def setUp(self):
        super().setUp()
        self.plant("tools/packages.txt", PACKAGES)
        shutil.copy(ROOT / "tools/setup.sh", self.root / "tools/setup.sh")
        self.system("Debian 12", "VERSION_CODENAME=bookworm")
        for name in ("bash", "dirname", "awk", "env"):
            (self.root / "bin").mkdir(exist_ok=True)
            (self.root / "bin" / name).symlink_to(shutil.which(name))
        self.fake("apt-get", 'echo "apt-get $*"')

    def system(self, name, text):
        self.plant("os-release", f'PRETTY_NAME="{name}"\n{text}\n')

    def fake(self, name, body):
        self.program(f"bin/{name}", f"#!{shutil.which('bash')}\n{body}\n")

    def machine(self, installed, user=0, sudo=False):
        self.fake("dpkg-query", f'case " {installed} " in *" $3 "*) echo installed;; *) exit 1;; esac')
        self.fake("id", f"echo {user}")
        if sudo:
            self.fake("sudo", 'echo "sudo $*"; "$@"')

    def run_setup(self, *groups):
        return subprocess.run([self.root / "tools/setup.sh", *groups], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, "PATH": str(self.root / "bin"),
                                   "HILO_OS_RELEASE": str(self.root / "os-release")}, text=True)

    def test_says_and_does_nothing_if_all_is_there(self):
        self.machine("aaa bbb")
        done = self.run_setup("build")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_root_installs_what_is_missing_and_says_what(self):
        self.machine("aaa")
        done = self.run_setup("build", "test")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.splitlines(), [
            "installing 2 packages (purposes: tools/packages.txt): bbb ccc", "apt-get update",
            "apt-get install -y --no-install-recommends --no-remove bbb ccc"])

    def test_each_release_has_its_names(self):
        self.machine("")
        wanted = {"bookworm": "aaa bbb ccc", "trixie": "aaa bbb2 ccc", "noble": "aaa bbb2 ccc-t64"}
        for name, (text, codename) in RELEASES.items():
            with self.subTest(name):
                self.system(name, text)
                done = self.run_setup("build", "test")
                self.assertEqual(done.stdout.splitlines()[-1],
                                 f"apt-get install -y --no-install-recommends --no-remove {wanted[codename]}")

    def test_what_is_there_by_another_name_is_there(self):
        self.machine("aaa bbb2")
        self.system("Debian 13", "VERSION_CODENAME=trixie")
        self.assertEqual(self.run_setup("build").stdout, "")

    def test_other_systems_are_told_where_to_read_and_go_on(self):
        self.machine("")
        said = "tools/setup.sh installs packages on Debian 12, Debian 13 and Ubuntu 24.04; this is {}. " \
               "Hint: docs/installing.md lists the packages to install manually\n"
        for name, text in (("Ubuntu 22.04.5 LTS", "VERSION_CODENAME=jammy\nUBUNTU_CODENAME=jammy"),
                           ("Debian GNU/Linux 14", "VERSION_CODENAME=forky"), ("Arch Linux", "ID=arch")):
            self.system(name, text)
            done = self.run_setup("build")
            self.assertEqual((done.returncode, done.stdout), (0, said.format(name)))
        (self.root / "os-release").unlink()
        self.assertEqual(self.run_setup("build").stdout, said.format("another system"))
        self.system("Debian 12 without apt", "VERSION_CODENAME=bookworm")
        (self.root / "bin" / "apt-get").unlink()
        self.assertEqual(self.run_setup("build").stdout, said.format("Debian 12 without apt"))

    def test_says_why_before_sudo_asks_for_a_password(self):
        self.machine("aaa", user=1000, sudo=True)
        done = self.run_setup("build")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.splitlines(), [
            "sudo is needed to install: bbb",
            "It may ask for your password. tools/packages.txt has the purpose of each package; nothing else runs as root.",
            "sudo apt-get update", "apt-get update",
            "sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends --no-remove bbb",
            "apt-get install -y --no-install-recommends --no-remove bbb"])

    def test_prints_the_line_and_exits_2_without_root_and_sudo(self):
        self.machine("aaa", user=1000)
        done = self.run_setup("build")
        self.assertEqual(done.returncode, 2)
        self.assertIn("apt-get update && apt-get install -y --no-install-recommends --no-remove bbb\n", done.stdout)
        self.assertNotIn("installing", done.stdout)

    def test_fails_if_the_package_manager_fails(self):
        self.machine("aaa")
        self.fake("apt-get", "exit 100")
        done = self.run_setup("build")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.endswith("To try by hand:\n  apt-get install -y --no-install-recommends --no-remove bbb\n"))

    def test_lists_that_cannot_be_updated_do_not_stop_it(self):
        self.machine("aaa")
        self.fake("apt-get", 'echo "apt-get $*"; [ "$1" != update ]')
        done = self.run_setup("build")
        self.assertEqual(done.returncode, 0)
        self.assertIn("apt-get update failed; the lists of packages stay as they were\napt-get install", done.stdout)


class PackageList(Planted):
    def test_names_each_package_once_with_a_known_group(self):
        packages = generate_docs.read_packages((ROOT / "tools/packages.txt").read_text())
        names = [package.name for package in packages]
        self.assertEqual(len(names), len(set(names)))
        makefile = (ROOT / "Makefile").read_text()
        installed = {group for line in re.findall(r"tools/setup.sh (.*)", makefile) for group in re.findall(r"\b[a-z]+\b", line)}
        self.assertLessEqual({package.group for package in packages}, installed)
        for package in packages:
            float(package.size)

    def test_other_names_are_of_listed_packages_and_known_releases(self):
        text = (ROOT / "tools/packages.txt").read_text()
        names = {package.name for package in generate_docs.read_packages(text)}
        others = generate_docs.other_names(text)
        self.assertLessEqual({name for name, _, _ in others}, names)
        known = (ROOT / "tools/setup.sh").read_text().split('known="')[1].split('"')[0].split()
        self.assertLessEqual({release for _, releases, _ in others for release in releases}, set(known))
        self.assertEqual(sorted(known), sorted(set(generate_docs.RELEASES)))

    def test_refuses_a_line_without_a_reason(self):
        with self.assertRaises(SystemExit) as refused:
            generate_docs.read_packages("cmake | build | tool | MIT | 1 |\n")
        self.assertIn("tools/packages.txt:1: got", str(refused.exception))
