#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a build tree under a prefix and prints how programs find it there, or uninstalls it.

cmake/install.cmake writes a list of the installed files into the prefix. cmake/uninstall.cmake, installed next to the
list, removes them.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MANIFEST = pathlib.Path("share/hilo/installed.txt")
SEARCHED = (pathlib.Path("/usr"), pathlib.Path("/usr/local"))  # where compilers, CMake and pkg-config look by themselves


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("install", "uninstall"))
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--prefix", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    prefix = arguments.prefix.expanduser().absolute()
    return install(arguments.build, prefix) if arguments.action == "install" else uninstall(prefix)


def install(build: pathlib.Path, prefix: pathlib.Path) -> int:
    done = subprocess.run(["cmake", "--install", str(build), "--prefix", str(prefix), "--strip"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if re.search("cannot create directory|cannot copy file|[Pp]ermission denied|[Rr]ead-only", done.stdout) and done.returncode != 0:
        print(f"install: cannot write under {prefix}. Hint: make install PREFIX=$HOME/.local, or sudo make install", file=sys.stderr)
        return 1
    if done.returncode != 0:
        print(done.stdout)
        return 1
    if prefix in SEARCHED and os.geteuid() == 0:
        subprocess.run(["ldconfig"], check=False)
    count = sum(line.startswith("file ") for line in (prefix / MANIFEST).read_text().splitlines())
    print(f"installed {count} files under {prefix}")
    print(how_to_use(prefix))
    return 0


def how_to_use(prefix: pathlib.Path) -> str:
    """Returns the lines to type for a user's own program."""
    near = prefix in SEARCHED
    package = "" if near else f"PKG_CONFIG_PATH={prefix}/lib/pkgconfig "
    cmake = "" if near else f", with cmake -DCMAKE_PREFIX_PATH={prefix}"
    return (f"  g++        g++ main.cc $({package}pkg-config --cflags --libs hilo) -o main\n"
            f"  CMake      find_package(hilo REQUIRED) and target_link_libraries(main PRIVATE hilo::hilo){cmake}\n"
            f"  command    {'hilo' if near else prefix / 'bin' / 'hilo'} new first, which makes such a project")


def uninstall(prefix: pathlib.Path) -> int:
    done = subprocess.run(["cmake", f"-DHILO_PREFIX={prefix}", "-P", str(ROOT / "cmake" / "uninstall.cmake")],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(f"hilo is not installed under {prefix}: {prefix / MANIFEST} does not exist", file=sys.stderr)
        return 1
    print(done.stdout.removeprefix("-- "), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
