#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the current commit again, in another folder and without ccache, and compares the libraries and the wheels with
those of a build, byte for byte. diffoscope shows differences if it is installed.

--objects PATTERN compiles and compares only objects whose path has this text: minutes instead of half an hour.
With --ccache, objects may come from ccache. Then only links and archives are compared."""

import argparse
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRODUCTS = ("lib/libhilo*", "bin/hilo", "wheel/*.whl")
TARGETS = ("hilo", "hilo_command", "hilo_companions", "hilo_pjrt", "hilo_wheel")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--objects", help="only objects whose path has this text")
    parser.add_argument("--ccache", action="store_true", help="only links and archives")
    arguments = parser.parse_args()
    first = arguments.build.resolve()
    if output("git", "-C", ROOT, "status", "--porcelain", "--untracked-files=no"):
        print("reproducible: files differ from the commit. Hint: git stash, or git commit", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="hilo_reproducible_in_another_folder_") as folder:
        clone = pathlib.Path(folder) / "clone"
        output("git", "clone", "-q", ROOT, clone)
        second = clone / "build"
        run("cmake", "-G", "Ninja", "-S", clone, "-B", second, *([] if arguments.ccache else ["-DHILO_CCACHE=OFF"]),
            stdout=subprocess.DEVNULL)
        if arguments.objects:
            names = build_objects(second, first, arguments)
        else:
            build_products(clone, second, arguments.jobs)
            names = products(first)
        different = [name for name in names if not equal(first / name, second / name)]
        for name in different:
            print(f"differs: {name}")
            show(first / name, second / name)
    print(f"{len(names) - len(different)} equal, {len(different)} different")
    return int(not names or bool(different))


def build_products(clone: pathlib.Path, build: pathlib.Path, jobs: int) -> None:
    run(clone / "tools" / "build.sh", build, jobs, *TARGETS)
    run(sys.executable, clone / "tools" / "wheel.py", "--build", build)


def build_objects(build: pathlib.Path, first: pathlib.Path, arguments) -> list[str]:
    """Compiles the objects and returns their names in the build."""
    listed = output("ninja", "-C", build, "-t", "targets", "all").splitlines()
    names = sorted(line.partition(":")[0] for line in listed if ".o:" in line and arguments.objects in line)
    names = [name for name in names if (first / name).exists()]
    if names:
        run("ninja", "-C", build, "-j", arguments.jobs, *names, stdout=subprocess.DEVNULL)
    return names


def products(build: pathlib.Path) -> list[str]:
    found = [path for pattern in PRODUCTS for path in build.glob(pattern) if not path.is_symlink()]
    return sorted(str(path.relative_to(build)) for path in found)


def equal(first: pathlib.Path, second: pathlib.Path) -> bool:
    return second.exists() and digest(first) == digest(second)


def digest(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def show(first: pathlib.Path, second: pathlib.Path) -> None:
    if second.exists() and shutil.which("diffoscope"):
        subprocess.run(["diffoscope", "--max-report-size", "20000", first, second])


def run(*command, **options) -> None:
    subprocess.run(list(map(str, command)), check=True, **options)


def output(*command) -> str:
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
