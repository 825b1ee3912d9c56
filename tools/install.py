#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a build tree under a prefix, and takes it away again.

The list of what was installed lies in the prefix itself (share/hilo/installed.txt), so that any clone, or none, can
uninstall. It names files, and the folders that were not there before.
"""

import argparse
import pathlib
import subprocess
import sys

MANIFEST = pathlib.Path("share/hilo/installed.txt")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("install", "uninstall"))
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--prefix", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    prefix = arguments.prefix.absolute()
    try:
        return install(arguments.build, prefix) if arguments.action == "install" else uninstall(prefix)
    except OSError as error:
        print(f"{arguments.action}: {error}", file=sys.stderr)
        return 1


def install(build: pathlib.Path, prefix: pathlib.Path) -> int:
    if (prefix / MANIFEST).exists():
        uninstall(prefix)  # an older version may have had other files
    known = folders_in(prefix)
    done = subprocess.run(["cmake", "--install", str(build), "--prefix", str(prefix), "--strip"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(done.stdout)
        return 1
    files = [pathlib.Path(line) for line in (build / "install_manifest.txt").read_text().split("\n") if line]
    (prefix / MANIFEST).parent.mkdir(parents=True, exist_ok=True)
    files.append(prefix / MANIFEST)
    new = sorted(folders_in(prefix) - known, key=lambda folder: -len(folder.parts))  # some empty: CMake makes them
    lines = [f"file {file.relative_to(prefix)}" for file in files]
    lines += [f"folder {folder.relative_to(prefix)}" for folder in new]
    (prefix / MANIFEST).write_text("\n".join(lines) + "\n")
    print(f"installed {len(files)} files under {prefix}")
    return 0


def folders_in(prefix: pathlib.Path) -> set[pathlib.Path]:
    """`prefix` and all folders below it, as far as they exist."""
    return {folder for folder in (prefix, *prefix.rglob("*")) if folder.is_dir() and not folder.is_symlink()}


def uninstall(prefix: pathlib.Path) -> int:
    if not (prefix / MANIFEST).exists():
        print(f"hilo is not installed under {prefix}: {prefix / MANIFEST} does not exist", file=sys.stderr)
        return 1
    entries = [line.split(" ", 1) for line in (prefix / MANIFEST).read_text().splitlines()]
    files = [prefix / name for kind, name in entries if kind == "file"]
    for file in files:
        file.unlink(missing_ok=True)
    for folder in [prefix / name for kind, name in entries if kind == "folder"]:
        if folder.exists() and not any(folder.iterdir()):
            folder.rmdir()
    print(f"removed {len(files)} files from {prefix}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
