#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The JAX that hilo is compared with, in its own virtual environment: .venv/VERSION. `make peer` creates it.

PEER=0.12 in the environment selects the version; the default is the newest one for which this system has a Python.
On an older system, root with debootstrap gets the Python of Debian 13: build/debian13.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


@dataclasses.dataclass(frozen=True)
class Peer:
    """A version of JAX, and the versions of Python that it has packages for."""
    version: str
    jax: str
    oldest_python: tuple[int, int]

    @property
    def venv(self) -> pathlib.Path:
        return ROOT / ".venv" / self.version

    @property
    def python(self) -> pathlib.Path:
        return self.venv / "bin" / "python"


DEBIAN = ROOT / "build" / "debian13"
LINES = "#!/bin/sh\nexec {loader} --library-path {libraries} --argv0 \"$0\" {python} \"$@\"\n"  # of its interpreter, for this system's older glibc
PEERS = (Peer("0.12", "0.12.0.1", (3, 12)), Peer("0.10", "0.10.2", (3, 11)))  # newest first
NEWEST_PYTHON = (3, 15)
# What each use imports, and the packages that have it beyond jax and jaxlib.
MEASURED = {"numpy": "numpy"}
TESTED = {**MEASURED, "flatbuffers": "flatbuffers",  # a judge
          "pypjrt": "pypjrt==0.1.1",  # walks plugins without JAX
          "scipy_openblas32": "scipy-openblas32",  # what the wheel depends on
          "absl": "absl-py", "cloudpickle": "cloudpickle", "hypothesis": "hypothesis", "scipy": "scipy",  # JAX's own tests
          "flax": "flax", "optax": "optax", "numpyro": "numpyro", "equinox": "equinox", "diffrax": "diffrax",  # programs
          "optimistix": "optimistix", "lineax": "lineax", "haiku": "dm-haiku", "jaxopt": "jaxopt", "blackjax": "blackjax", "jraph": "jraph",
          "e3nn_jax": "e3nn-jax", "distrax": "distrax", "orbax.checkpoint": "orbax-checkpoint", "jaxtyping": "jaxtyping",
          "mujoco.mjx": "mujoco-mjx", "brax": "brax"}


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    return 0 if make(TESTED) else 2


def chosen() -> Peer:
    """Returns the peer that PEER names, or the newest one. Raises SystemExit for an unknown version."""
    name = os.environ.get("PEER", "")
    if not name:
        return next((peer for peer in PEERS if peer.python.exists() or base_python(peer) or can_get_debian()),
                    PEERS[-1])
    for peer in PEERS:
        if name in (peer.version, peer.jax):
            return peer
    raise SystemExit(f"PEER: got {name!r}; wanted one of {', '.join(peer.version for peer in PEERS)}")


def existing() -> pathlib.Path | None:
    """Returns the interpreter of the chosen peer, if its environment exists."""
    python = chosen().python
    return python if python.exists() else None


def make(imports: dict[str, str] = MEASURED) -> pathlib.Path | None:
    """Returns the interpreter of the chosen peer, after installing the missing packages for these imports. Returns None
    after an error message if that fails."""
    peer = chosen()
    if peer.python.exists() and has(peer.python, ("jax", *imports)):
        return peer.python
    base = base_python(peer) or debian_python()
    if base is None:
        oldest = ".".join(map(str, peer.oldest_python))
        print(f"jax {peer.jax} needs Python {oldest} or newer, which this system doesn't have. Hint: install one; or, as root, apt-get install "
              f"debootstrap and make peer again; or PEER={PEERS[-1].version}", file=sys.stderr)
        return None
    packages = (f"jax=={peer.jax}", f"jaxlib=={peer.jax}", *imports.values())
    print(f"making {peer.venv.relative_to(ROOT)} with {', '.join(packages)}", file=sys.stderr, flush=True)
    pip = pip_of(base)
    commands = ([base, "-m", "venv", *(() if pip == ("-m", "pip") else ("--without-pip",)), peer.venv],
                [peer.python, *pip, "install", "-q", "pip", *packages])
    if all(subprocess.run(command).returncode == 0 for command in commands):
        return peer.python
    print("these packages can't be had", file=sys.stderr)
    return None


def has(python: pathlib.Path, modules) -> bool:
    """Whether an interpreter finds these modules. They are not imported, which takes long for some."""
    program = "import importlib.util, sys; sys.exit(any(importlib.util.find_spec(name) is None for name in sys.argv[1:]))"
    return subprocess.run([python, "-c", program, *modules], stderr=subprocess.DEVNULL).returncode == 0


def base_python(peer: Peer) -> str | None:
    """Returns an interpreter that is new enough for the peer and can create environments: this one, one on the path, or
    one of pyenv."""
    if sys.version_info[:2] >= peer.oldest_python:
        return sys.executable
    for minor in range(NEWEST_PYTHON[1], peer.oldest_python[1] - 1, -1):
        name = f"python3.{minor}"
        of_pyenv = sorted(pathlib.Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/{name}"), key=numbers_of)
        for python in filter(None, (shutil.which(name), *map(str, reversed(of_pyenv)))):
            if has(python, ("venv", "ensurepip")):
                return python
    return None


def can_get_debian() -> bool:
    return (DEBIAN / "usr" / "bin" / "python").exists() or (shutil.which("debootstrap") is not None and os.geteuid() == 0)


def debian_python() -> str | None:
    """The interpreter of Debian 13 in the build tree, which debootstrap puts there; None if it can't."""
    python = DEBIAN / "usr" / "bin" / "python"
    if python.exists():
        return str(python)
    if not can_get_debian():
        return None
    print(f"getting Python from Debian 13 into {DEBIAN.relative_to(ROOT)}: 270 MB", file=sys.stderr, flush=True)
    DEBIAN.parent.mkdir(exist_ok=True)
    command = ["debootstrap", "--variant=minbase", "--include=python3,python3-venv", "trixie", DEBIAN]
    if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
        return None
    real = python.with_name("python3").resolve()
    python.write_text(LINES.format(loader=DEBIAN / "lib64" / "ld-linux-x86-64.so.2", libraries=DEBIAN / "usr" / "lib" / "x86_64-linux-gnu", python=real))
    python.chmod(0o755)
    return str(python)


def pip_of(base: str) -> tuple[str, ...]:
    """What the interpreter of a new environment runs as pip. Debian's ensurepip looks for it in the system's folders, so that of
    another tree is named."""
    wheels = sorted(pathlib.Path(base).parent.parent.glob("share/python-wheels/pip-*.whl")) if base.startswith(str(DEBIAN)) else []
    return (str(wheels[-1] / "pip"),) if wheels else ("-m", "pip")


def numbers_of(path: pathlib.Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", str(path))]


if __name__ == "__main__":
    sys.exit(main())
