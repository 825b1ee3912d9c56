#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""check_abi.py --build TREE [ROOT] -- checks that programs compiled with the headers of the last release run with this library:
each recorded function has the same type, and each type the same layout. --record writes tools/abi.txt.

The interface is what hilo/hilo.h and hilo/c/hilo.h declare, with all that their inline code uses. libclang reads the
headers. abidiff compares DWARF, which a release has not; without it abidiff sees names only.
This program needs Debian's python3, whose module `clang` is in python3-clang-19."""

import argparse
import pathlib
import subprocess
import sys

import clang.cindex as cindex

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sources  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = "tools/abi.txt"
HEAD = """# SPDX-License-Identifier: Apache-2.0
# The binary interface of libhilo.so: tools/check_abi.py. Types: size and alignment in bytes, offsets in bits.
"""
INCLUDES = '#include "hilo/hilo.h"\n#include "hilo/c/hilo.h"\n'
Kind = cindex.CursorKind
SCOPES = (Kind.NAMESPACE, Kind.LINKAGE_SPEC)
RECORDS = (Kind.STRUCT_DECL, Kind.CLASS_DECL, Kind.UNION_DECL)
FUNCTIONS = (Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.CONVERSION_FUNCTION)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=ROOT)
    arguments = parser.parse_args()
    root, build = arguments.root.resolve(), arguments.build.resolve()
    found = interface(parsed(root, build), defined(build / "lib" / "libhilo.so"), root / "src" / "hilo")
    if arguments.record:
        (root / RECORD).write_text(HEAD + text_of(found))
        return 0
    return sources.finish(differences(read((root / RECORD).read_text()), found))


def parsed(root: pathlib.Path, build: pathlib.Path) -> cindex.TranslationUnit:
    arguments = ["-x", "c++", "-std=c++20", f"-I{root}/src", f"-I{build}/generated"]
    unit = cindex.Index.create().parse("abi.cc", arguments, unsaved_files=[("abi.cc", INCLUDES)],
                                       options=cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES)
    errors = [str(message) for message in unit.diagnostics if message.severity >= cindex.Diagnostic.Error]
    if errors:
        sys.exit("\n".join(errors[:10]))
    return unit


def defined(library: pathlib.Path) -> set[str]:
    """Returns the symbols that the library exports. Inline functions don't count: programs have their own."""
    rows = [line.split() for line in output("nm", "-D", "--defined-only", "--format=posix", library).splitlines()]
    return {row[0].partition("@")[0] for row in rows if row[1] in "TDBR"}


def interface(unit: cindex.TranslationUnit, exported: set[str], folder: pathlib.Path) -> dict[str, str]:
    """Returns what programs rely on: "function SYMBOL", "type NAME" or "enum NAME" -> its type, layout or values."""
    found: dict[str, str] = {}
    for cursor in declarations(unit.cursor, folder):
        if cursor.kind in FUNCTIONS or cursor.kind == Kind.VAR_DECL:
            if cursor.mangled_name in exported:
                result = cursor.type if cursor.kind == Kind.VAR_DECL else cursor.result_type
                found[f"function {cursor.mangled_name}"] = result.spelling
        elif not cursor.is_definition() or "(unnamed" in cursor.type.spelling:
            continue
        elif cursor.kind == Kind.ENUM_DECL:
            constants = [value for value in cursor.get_children() if value.kind == Kind.ENUM_CONSTANT_DECL]
            values = [f"{value.spelling}={value.enum_value}" for value in constants]
            found[f"enum {cursor.type.spelling}"] = f"{cursor.enum_type.spelling}: {' '.join(values)}"
        elif cursor.kind in RECORDS and cursor.type.get_size() >= 0:
            found[f"type {cursor.type.spelling}"] = layout(cursor)
    return found


def declarations(cursor: cindex.Cursor, folder: pathlib.Path):
    """Yields all functions, variables and types under hilo's headers, with members."""
    for child in cursor.get_children():
        file = child.location.file
        if file is None or not pathlib.Path(file.name).is_relative_to(folder):
            continue
        if child.kind not in SCOPES:
            yield child
        if child.kind in SCOPES + RECORDS:
            yield from declarations(child, folder)


def layout(cursor: cindex.Cursor) -> str:
    """Returns size, alignment, bases, virtual functions in their order, and fields: "16 8: base Named; kind_ Kind 0"."""
    parts = [f"base {child.type.spelling}" for child in cursor.get_children() if child.kind == Kind.CXX_BASE_SPECIFIER]
    parts += [f"virtual {child.displayname}" for child in cursor.get_children() if child.kind in FUNCTIONS and child.is_virtual_method()]
    parts += [f"{field.spelling} {field.type.spelling} {field.get_field_offsetof()}" for field in cursor.type.get_fields()]
    return f"{cursor.type.get_size()} {cursor.type.get_align()}: {'; '.join(parts)}"


def text_of(found: dict[str, str]) -> str:
    return "".join(f"{name} | {value}\n" for name, value in sorted(found.items()))


def read(text: str) -> dict[str, str]:
    rows = [line.partition(" | ") for line in text.splitlines() if not line.startswith("#")]
    return {name: value for name, _, value in rows}


def differences(recorded: dict[str, str], found: dict[str, str]) -> list[str]:
    """Returns what breaks compiled programs. New functions and types, and new values at the end of an enum, don't."""
    violations = []
    for name, value in recorded.items():
        now = found.get(name)
        if now is None:
            violations.append(f"{readable(name)}: is missing")
        elif now != value and not (name.startswith("enum ") and now.startswith(f"{value} ")):
            violations.append(f"{readable(name)}: got {now}; recorded {value}")
    if violations:
        violations.append("A release keeps its binary interface within a minor version: docs/stability.md. Hint: for a new minor "
                          "version, or before its first release, tools/check_abi.py --record")
    return violations


def readable(name: str) -> str:
    kind, _, symbol = name.partition(" ")
    return name if kind != "function" else output("c++filt", symbol).strip()


def output(*command) -> str:
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
