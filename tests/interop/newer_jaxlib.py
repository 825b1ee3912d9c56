# SPDX-License-Identifier: Apache-2.0
"""Checks that a later jax and jaxlib than hilo was tested with run on hilo, with one warning.

They are the installed packages under another version number: links, except the file of the version. Ends with
"N passed, N failed"."""

import argparse
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from report import report  # noqa: E402

WARNING = "hilo is tested with jaxlib"
PROGRAM = """
import jax, jax.numpy as jnp, jaxlib.version
client = jax.devices()[0].client
assert "hilo" in client.platform_version, client.platform_version
step = jax.jit(jax.grad(lambda w: jnp.sum(jnp.tanh(jnp.arange(12.0).reshape(3, 4) @ w) ** 2)))
assert step(jnp.ones(4)).shape == (4,)
assert jax.pure_callback(lambda v: v + 1, jax.ShapeDtypeStruct((), jnp.float32), jnp.float32(1)) == 2
assert jnp.allclose(jnp.linalg.inv(jnp.eye(3) * 2), jnp.eye(3) / 2)
print("ran on hilo with jaxlib", jaxlib.version.__version__)
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo of a build")
    arguments = parser.parse_args()
    plugin = arguments.command.resolve().parent.parent / "lib" / "libhilo_pjrt.so"
    return report((version, problem_with(plugin, version, warnings))
                  for version, warnings in (("0.12.9", 0), ("0.13.0", 1), ("0.14.2.dev20270101", 1), ("1.2.0", 1)))


def problem_with(plugin: pathlib.Path, version: str, warnings: int) -> str:
    """What is wrong with a run under this version, which warns so often."""
    with tempfile.TemporaryDirectory(prefix="hilo_newer_jaxlib_") as folder:
        for package in ("jax", "jaxlib"):
            link_package(package, pathlib.Path(folder), version)
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join((folder, str(ROOT / "python"))), "JAX_PLATFORMS": "hilo,cpu",
            "JAX_HILO_LIBRARY": str(plugin), "HILO_CACHE": "off"}
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode or f"ran on hilo with jaxlib {version}" not in done.stdout:
        return f"exit status {done.returncode}: {done.stdout[-600:]}"
    seen = done.stdout.count(WARNING)
    return "" if seen == warnings else f"got {seen} warnings; wanted {warnings}"


def link_package(package: str, folder: pathlib.Path, version: str) -> None:
    """The installed package by links, with a version.py that says another version."""
    installed = pathlib.Path(importlib.util.find_spec(package).origin).parent
    (folder / package).mkdir()
    for path in installed.iterdir():
        if path.name not in ("version.py", "__pycache__"):
            (folder / package / path.name).symlink_to(path)
    text = (installed / "version.py").read_text()
    text, changes = re.subn(r'^(_version|_release_version: str)( = )(["\']).*$', rf"\g<1>\g<2>'{version}'", text, flags=re.M)
    assert changes == 2, f"{package}: version.py has another form"
    (folder / package / "version.py").write_text(text)


if __name__ == "__main__":
    sys.exit(main())
