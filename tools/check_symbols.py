#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_symbols.py LIBHILO.SO -- checks that the library and its companions export only hilo's symbols, need only the
libraries listed here, and are small."""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sources  # noqa: E402

# Mangled names of namespace hilo: its functions and variables, their type information, thunks, guards and statics; the
# two names that gdb asks a program with compiled code to have, and what companions call.
OURS = re.compile(r"_ZN(K?[RO]?)4hilo|_ZT[ISVTHW]N4hilo|_ZT[hv]n?\w*_N4hilo|_ZZNK?4hilo|_ZGVZ?NK?4hilo|hilo_"
                  r"|__jit_debug_(descriptor|register_code)$|__wrap_")
NEEDED = ("libfmt.so", "libpng16.so", "libz.so", "libstdc++.so", "libgcc_s.so",
          "libm.so", "libc.so", "libpthread.so", "libdl.so", "ld-linux-x86-64.so",
          "libasan.so", "libubsan.so", "libtsan.so")
MAX_MEGABYTES = 40  # stripped


def check(library: pathlib.Path) -> list[str]:
    violations = foreign_symbols(library) + missing_symbols(library) + foreign_libraries(library) + too_large(library)
    for companion in sorted(library.parent.glob("libhilo_*.so")):
        if companion.name != "libhilo_pjrt.so":  # it shows PJRT's one name
            violations += foreign_symbols(companion)
    return violations


def foreign_symbols(library: pathlib.Path) -> list[str]:
    lines = output("nm", "-D", "--defined-only", "--format=posix", str(library)).splitlines()
    names = [line.split()[0].partition("@")[0] for line in lines if line.split()[1] != "A"]  # A: the name of the version
    if not names:
        return [f"{library}: shows no symbol at all"]
    foreign = [name for name in names if not OURS.match(name)]
    return [f"{library}: shows {name}, which is not hilo's" for name in foreign[:20]]


def missing_symbols(library: pathlib.Path) -> list[str]:
    """Returns hilo's own symbols that the library uses and no library defines."""
    lines = output("nm", "-D", "--undefined-only", "--format=posix", str(library)).splitlines()
    names = [line.split()[0].partition("@")[0] for line in lines]
    return [f"{library}: uses {name}, which it does not define" for name in names if OURS.match(name)]


def foreign_libraries(library: pathlib.Path) -> list[str]:
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", str(library)))
    return [f"{library}: needs {name}. Hint: if that is meant, add it to tools/check_symbols.py"
            for name in needed if not name.startswith(NEEDED)]


def too_large(library: pathlib.Path) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder) / "stripped"
        output("strip", "-o", str(stripped), str(library))
        megabytes = stripped.stat().st_size / 1e6
    return [f"{library}: {megabytes:.1f} MB stripped; wanted at most {MAX_MEGABYTES}"] if megabytes > MAX_MEGABYTES else []


def output(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    sys.exit(sources.finish(check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/lib/libhilo.so"))))
