#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/peer.py: the selected version of JAX and its Python. Files replace interpreters; nothing is installed."""

import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
import peer  # noqa: E402


@contextlib.contextmanager
def system(version: tuple[int, int], home: pathlib.Path, environments: tuple[str, ...] = (), chosen: str = ""):
    """A system with this Python and nothing else on its path, and with the environments of these versions of JAX."""
    with mock.patch.object(sys, "version_info", (*version, 0)), mock.patch.object(peer, "ROOT", home), \
            mock.patch.object(peer.shutil, "which", lambda name: None), \
            mock.patch.object(peer, "has", lambda python, modules: True), \
            mock.patch.dict(os.environ, {"PEER": chosen, "HOME": str(home)}):
        for name in environments:
            interpreter(home / ".venv" / name / "bin" / "python")
        yield


def interpreter(path: pathlib.Path) -> pathlib.Path:
    path.parent.mkdir(parents=True)
    path.touch()
    return path


class PeerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)

    def test_the_newest_that_this_python_can_have_is_chosen(self):
        for version, expected in (((3, 11), "0.10"), ((3, 12), "0.12"), ((3, 14), "0.12")):
            with self.subTest(version=version), system(version, self.home):
                self.assertEqual(peer.chosen().version, expected)

    def test_an_environment_that_is_there_counts_as_a_python(self):
        with system((3, 11), self.home, ("0.12",)):
            self.assertEqual(peer.chosen().version, "0.12")
            self.assertEqual(peer.existing(), self.home / ".venv/0.12/bin/python")

    def test_the_newest_python_of_pyenv_is_found(self):
        for version in ("3.12.1", "3.13.0", "3.13.11", "3.13.9", "3.11.7"):
            interpreter(self.home / ".pyenv/versions" / version / "bin" / f"python{version[:4]}")
        with system((3, 11), self.home):
            self.assertEqual(peer.base_python(peer.PEERS[0]), str(self.home / ".pyenv/versions/3.13.11/bin/python3.13"))

    def test_a_version_can_be_named(self):
        for name in ("0.10", "0.10.2"):
            with system((3, 13), self.home, chosen=name):
                self.assertEqual(peer.chosen().version, "0.10")
        with system((3, 13), self.home, chosen="0.9"), self.assertRaisesRegex(SystemExit, "PEER: got '0.9'; wanted one of 0.12, 0.10"):
            peer.chosen()

    def test_root_with_debootstrap_gets_the_python_of_debian(self):
        commands = []

        def run(command, **options):
            commands.append(list(map(str, command)))
            if command[0] == "debootstrap":
                real = interpreter(self.home / "debian" / "usr" / "bin" / "python3.13")
                real.with_name("python3").symlink_to(real.name)
                interpreter(self.home / "debian" / "usr" / "share" / "python-wheels" / "pip-25.1.1-py3-none-any.whl")
            return mock.Mock(returncode=0)

        with system((3, 11), self.home), mock.patch.object(peer, "DEBIAN", self.home / "debian"), \
                mock.patch.object(peer.pathlib.Path, "relative_to", lambda path, root: path), \
                contextlib.redirect_stderr(io.StringIO()), \
                mock.patch.object(peer.shutil, "which", lambda name: name if name == "debootstrap" else None), \
                mock.patch.object(peer.os, "geteuid", lambda: 0), mock.patch.object(peer.subprocess, "run", run):
            self.assertEqual(peer.make(), self.home / ".venv/0.12/bin/python")
        python = self.home / "debian" / "usr" / "bin" / "python"
        self.assertEqual([command[0] for command in commands], ["debootstrap", str(python), str(self.home / ".venv/0.12/bin/python")])
        self.assertIn("--without-pip", commands[1])
        self.assertTrue(commands[2][1].endswith("pip-25.1.1-py3-none-any.whl/pip"))
        self.assertIn("ld-linux-x86-64.so.2", python.read_text())

    def test_without_a_python_it_says_so(self):
        errors = io.StringIO()
        with system((3, 11), self.home, chosen="0.12"), contextlib.redirect_stderr(errors):
            self.assertIsNone(peer.make())
        self.assertIn("jax 0.12.0.1 needs Python 3.12 or newer", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
