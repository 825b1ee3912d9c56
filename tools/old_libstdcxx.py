#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""old_libstdcxx.py FOLDER [--compiler CXX] -- writes a libstdc++.so for the linker by which libraries need only the
libstdc++ of GCC 8 at run time: a linker script of two parts. A stub with the symbols of GCC 8, which the loader later
finds in the system's libstdc++.so.6, and the static archive, from which newer functions are copied.

So exceptions, streams and locales are those of the program that loads the library, as the headers in C++ require."""

import argparse
import os
import pathlib
import re
import subprocess
import sys

NEWEST = {"GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11)}  # of manylinux_2_28: PEP 600, the policies of auditwheel
# objdump -T: address, flags, kind (F function, O object), section, size, version (in parentheses: an old one), name.
SYMBOL = re.compile(r"^[0-9a-f]+ .{6}([FO]) \.\S+\s+([0-9a-f]+)\s+\(?(GLIBCXX|CXXABI)_([\d.]+)\)?\s+(\S+)$", re.M)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--compiler", default=os.environ.get("CXX", "c++"))
    arguments = parser.parse_args()
    folder, compiler = arguments.folder, arguments.compiler
    folder.mkdir(parents=True, exist_ok=True)
    symbols = old_symbols(output("objdump", "-T", path_of(compiler, "libstdc++.so.6")))
    (folder / "stub.s").write_text(assembly(symbols))
    (folder / "stub.map").write_text(version_script(symbols))
    output(compiler, "-shared", "-nostdlib", "-Wl,-soname,libstdc++.so.6", f"-Wl,--version-script={folder / 'stub.map'}",
           folder / "stub.s", "-o", folder / "libstdc++.so.6")
    (folder / "libstdc++.so").write_text(f"INPUT({(folder / 'libstdc++.so.6').resolve()} {path_of(compiler, 'libstdc++.a')})\n")
    return 0


def path_of(compiler: str, name: str) -> pathlib.Path:
    return pathlib.Path(output(compiler, f"-print-file-name={name}").strip()).resolve()


def old_symbols(listing: str) -> dict[str, tuple[str, int, str]]:
    """Returns name -> (kind, size, version): of each symbol the newest version that GCC 8 has."""
    found: dict[str, tuple[str, int, str]] = {}
    for kind, size, family, version, name in SYMBOL.findall(listing):
        if numbers(version) > NEWEST[family]:
            continue
        if name not in found or numbers(found[name][2].split("_")[1]) < numbers(version):
            found[name] = (kind, int(size, 16), f"{family}_{version}")
    return found


def assembly(symbols: dict[str, tuple[str, int, str]]) -> str:
    """Returns definitions of the symbols; an object has its size, which programs that copy it need."""
    lines = [".data"]
    for name, (kind, size, _) in sorted(symbols.items()):
        lines += [f'.globl "{name}"', f'.type "{name}", @{"function" if kind == "F" else "object"}', f'.size "{name}", {size}',
                  f'"{name}": .zero {max(size, 1)}']
    return "\n".join([*lines, '.section .note.GNU-stack,"",@progbits', ""])


def version_script(symbols: dict[str, tuple[str, int, str]]) -> str:
    versions: dict[str, list[str]] = {}
    for name, (_, _, version) in sorted(symbols.items()):
        versions.setdefault(version, []).append(name)
    return "".join(f"{version} {{\n  global: {'; '.join(names)};\n}};\n" for version, names in sorted(versions.items()))


def numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def output(*command) -> str:
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
