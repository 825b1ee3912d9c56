#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python/jax_plugins/hilo without JAX and NumPy: options, the range of jaxlib, missing parts. Fake modules replace
jaxlib and jax."""

import contextlib
import os
import pathlib
import sys
import tempfile
import types
import unittest
import warnings
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "python"))


def module_of(name: str):
    """A module of the package without its __init__, which imports NumPy."""
    import importlib.util
    spec = importlib.util.spec_from_file_location(f"hilo_{name}", ROOT / "python" / "jax_plugins" / "hilo" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fake(**modules):
    return mock.patch.dict(sys.modules, {name.replace("_DOT_", "."): module for name, module in modules.items()})


def jaxlib(version: str):
    inner = types.SimpleNamespace(__version__=version)
    return fake(jaxlib=types.SimpleNamespace(version=inner), jaxlib_DOT_version=inner)


@contextlib.contextmanager
def environment(**variables):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JAX_HILO_")}
    with mock.patch.dict(os.environ, kept | variables, clear=True):
        yield


def jax(devices: int = -1):
    return fake(jax=types.SimpleNamespace(config=types.SimpleNamespace(jax_num_cpu_devices=devices)))


class OptionsTest(unittest.TestCase):
    options = module_of("options")

    def test_nothing_said_is_no_option(self):
        with environment(), jax():
            self.assertEqual(self.options.create_options(), {})

    def test_variables_become_options_of_their_type(self):
        with environment(JAX_HILO_DEVICES="3", JAX_HILO_PLATFORM_NAME="hilo", JAX_HILO_TARGET="rpc:h:1"), jax(8):
            self.assertEqual(self.options.create_options(), {"cpu_device_count": 3, "platform_name": "hilo", "target": "rpc:h:1"})

    def test_jax_s_own_number_of_devices_counts_where_nothing_is_said(self):
        with environment(), jax(8):
            self.assertEqual(self.options.create_options(), {"cpu_device_count": 8})

    def test_a_text_that_is_no_number_is_named(self):
        with environment(JAX_HILO_DEVICES="many"), jax(), self.assertRaisesRegex(ValueError, "JAX_HILO_DEVICES: got 'many'; wanted an integer"):
            self.options.create_options()


class LibraryTest(unittest.TestCase):
    library = module_of("library")

    def test_tested_versions_pass(self):
        for version in ("0.10.0", "0.10.2", "0.11.0", "0.12.0.1", "0.12.3.dev20261101"):
            with self.subTest(version), jaxlib(version), warnings.catch_warnings(action="error"):
                self.library.check_jaxlib()

    def test_older_versions_are_an_error(self):
        for version in ("0.9.2", "0.4.38"):
            with jaxlib(version), self.assertRaisesRegex(ImportError, f"got version {version}; wanted >= 0.10.0"):
                self.library.check_jaxlib()

    def test_newer_versions_are_a_warning(self):
        for version in ("0.13.0", "1.0.0"):
            with jaxlib(version), self.assertWarnsRegex(UserWarning, f"tested with jaxlib 0.10.0 to 0.12; this is {version}"):
                self.library.check_jaxlib()

    def test_a_missing_library_is_named(self):
        with environment(JAX_HILO_LIBRARY="/nowhere/x.so"), self.assertRaisesRegex(ImportError, "/nowhere/x.so: no such file"):
            self.library.find()
        with environment(), self.assertRaisesRegex(ImportError, "make wheel"):
            self.library.find()

    def test_what_cannot_be_loaded_says_why(self):
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            file.write(b"no library")
            file.flush()
            with self.assertRaisesRegex(ImportError, "can't be loaded: .*"):
                self.library.load(pathlib.Path(file.name))

    def test_a_library_without_the_entry_is_refused(self):
        import ctypes.util
        with self.assertRaisesRegex(ImportError, "GetPjrtApi"):
            self.library.load(pathlib.Path(ctypes.util.find_library("m")))


class AbiTest(unittest.TestCase):
    def test_sizes_are_those_of_the_c_headers(self):
        import ctypes
        abi = module_of("abi")
        sizes = {"Buffer": 48, "Arguments": 40, "Attributes": 48, "CallFrame": 176, "ErrorCreate": 32, "ContextGet": 40, "Version": 24,
                 "ExtensionBase": 24, "PjrtFfi": 48, "RegisterHandler": 56, "Metadata": 48}
        self.assertEqual({name: ctypes.sizeof(getattr(abi, name)) for name in sizes}, sizes)


if __name__ == "__main__":
    unittest.main()
