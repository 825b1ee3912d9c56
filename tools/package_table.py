#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the packages of a build: sizes, and how long programs of an installed wheel take to start. Writes the tables
of docs/installing.md. Needs `make wheel`; without `make deb` the old rows of Debian's packages stay.

Times are the fastest of many runs: other programs of the machine can only add to them."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "installing.md"
BLOCK = re.compile(r"(?<=<!-- measured: packages -->\n).*?(?=<!-- end -->)", re.S)
RUNS = 30
PROGRAM = ROOT / "tests" / "wheel" / "outside.cc"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    build = parser.parse_args().build.resolve()
    text = PAGE.read_text()
    rows = wheel_rows(build) + (deb_rows(build) or re.findall(r"^\| `[\w.-]+\.deb` .*$", text, re.M))
    with tempfile.TemporaryDirectory(prefix="hilo_table_") as folder:
        times = start_rows(build, pathlib.Path(folder))
    table = "\n".join(["| package | MB | installed, MB |", "|---|---|---|", *rows, "", "| start | ms |", "|---|---|", *times, ""])
    PAGE.write_text(BLOCK.sub(lambda _: table, text))
    print(table)
    return 0


def wheel_rows(build: pathlib.Path) -> list[str]:
    rows = []
    for wheel in sorted((build / "wheel").glob("*.whl")):
        installed = sum(entry.file_size for entry in zipfile.ZipFile(wheel).infolist())
        rows.append(f"| `{wheel.name.partition('-')[0]}-*.whl` | {wheel.stat().st_size / 1e6:.1f} | {installed / 1e6:.0f} |")
    return rows


def deb_rows(build: pathlib.Path) -> list[str]:
    rows = []
    for package in sorted((build / "deb").glob("*.deb")):
        name = package.name.partition("_")[0]
        if not name.endswith("-dbgsym"):
            kilobytes = int(output("dpkg-deb", "--field", package, "Installed-Size"))
            rows.append(f"| `{name}.deb` | {package.stat().st_size / 1e6:.1f} | {kilobytes * 1024 / 1e6:.0f} |")
    return rows


def start_rows(build: pathlib.Path, folder: pathlib.Path) -> list[str]:
    """Installs the wheel and measures programs of it."""
    python = folder / "venv" / "bin" / "python"
    output(sys.executable, "-m", "venv", "--system-site-packages", folder / "venv")
    output(python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", next((build / "wheel").glob("hilo-*.whl")))
    flags = output("pkg-config", "--cflags", "--libs", "hilo", PKG_CONFIG_PATH=output(python, "-m", "hilo", "pkg-config-dir").strip()).split()
    program = folder / "program"
    output(os.environ.get("CXX", "g++"), "-O2", PROGRAM, "-o", program, *flags)
    cache = {"HILO_CACHE": str(folder / "cache")}
    return [f"| `hilo --version` in the build or from Debian's package | {fastest(build / 'bin' / 'hilo', '--version')} |",
            f"| `hilo --version` of the wheel, through Python | {fastest(folder / 'venv' / 'bin' / 'hilo', '--version')} |",
            f"| `python -c 'import hilo'`; Python alone takes {fastest(python, '-c', '')} | {fastest(python, '-c', 'import hilo')} |",
            f"| a C++ program that compiles a gradient, runs it and ends | {fastest(program, HILO_CACHE='off')} |",
            f"| the same with the program in hilo's cache | {fastest(program, **cache)} |"]


def fastest(*command, **variables) -> str:
    times = []
    for _ in range(RUNS):
        started = time.perf_counter()
        output(*command, JAX_PLATFORM_NAME="Host", **variables)
        times.append(time.perf_counter() - started)
    return f"{min(times) * 1e3:.0f}"


def output(*command, **variables) -> str:
    environment = {**os.environ, **variables}
    command = list(map(str, command))
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout


if __name__ == "__main__":
    sys.exit(main())
