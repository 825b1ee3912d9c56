#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_symbol_layers.py --build TREE [ROOT] -- checks that uses of functions and variables go down the layers, as
includes do (check_layers).

An undefined symbol of a folder's objects must be defined in a folder that it may include. A folder defines what its
headers declare. DEFINED_ABOVE lists the exceptions by name. Only files of one folder are compiled together, so each
object belongs to a folder."""

import argparse
import collections
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_layers  # noqa: E402
import sources  # noqa: E402

# (folder that uses or declares it, folder that defines it): names without namespaces, with * for any letters.
DEFINED_ABOVE = {
    # The one table of ops, and what it says of an instruction: hlo/ops/op_table.cc names all ops.
    ("hlo/ir", "hlo/ops"): ("op_def", "parameter_number", "reducer_kind_of", "neutral_value", "opcode_of"),
    ("hlo/ops", "hlo/ops/ext"): ("*_op",),
    # client/platforms.cc is the one file that names all platforms.
    ("client", "backend/cpu"): ("cpu_engine",),
    ("client", "backend/cuda"): ("count_devices",),
    ("client", "backend/host"): ("make_host_client",),
    ("client", "backend/pjrt"): ("probe_once", "make_plugin_client", "platforms_of_flags", "check_plugin_client", "Plugin::is_open"),
    ("client", "backend/reference"): ("reference_engine",),
    ("client", "rpc/client"): ("make_remote_client",),
    # base/flags.h throws what users of the C++ API catch, and client/platform_name.h.
    ("base", "array"): ("or_throw",),
    ("client", "array"): ("or_throw",),
    # Members: array/array.h lists them under the folder that defines them, in its members.cc.
    ("array", "mesh"): ("Array::sharding", "Array::addressable_shards", "Array::is_fully_replicated", "Array::is_fully_addressable"),
    ("array", "numpy"): ("Array::*", "ScalarType::operator()"),
}
# What a header is read as: text and comments, scopes, and names before a parenthesis.
TOKEN = re.compile(r'//.*|/\*(?s:.*?)\*/|"(?:\\.|[^"\\\n])*"|' r"'(?:\\.|[^'\\\n])+'" r"""|^[ ]*\#(?:.*\\\n)*.*
  |\bnamespace(?:[ ]+(?P<namespace>[\w:]+))?[ ]*\{
  |\b(?:class|struct|union)[ ]+(?:\[\[[^\]]*\]\][ ]+)?(?P<type>\w+)(?:<[^;{]*>)?(?:[ ]+final)?(?:[ ]*:(?!:)[^;{()]*)?[ ]*\{
  |(?P<function>(?<![\w.>~:])\w+|operator[ ]*(?:\(\)|\[\]|[^\s\w(]+))[ ]*(?=\()|[(){}]""", re.M | re.X)
MEMBER_FILE = re.compile(r"^[\w:<>,&*\[\] ]*?\bArray::(?!from_|borrow)\w+\(", re.M)


def objects_of(build: pathlib.Path) -> list[tuple[str, pathlib.Path]]:
    """Returns (folder, object) of each source file of the libraries in this build."""
    found = []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        output = entry["command"].partition(" -o ")[2].partition(" ")[0]
        library, _, inside = output.removeprefix("CMakeFiles/").partition(".dir/")
        folder = check_layers.folder_of(inside.rpartition("/hilo/")[2])
        if output.startswith("CMakeFiles/") and library in ("hilo", "hilo_rpc", "hilo_pjrt") and folder is not None:
            found.append((folder, build / output))
    return found


def read_symbols(objects: list[tuple[str, pathlib.Path]]) -> tuple[dict[str, str], dict[str, set[str]]]:
    """Returns where each symbol is defined, and the undefined symbols of each folder. Inline functions are in many
    objects and not counted."""
    folders = {str(path): folder for folder, path in objects}
    command = ["nm", "-A", "-P", *folders]
    lines = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    defined, undefined = {}, collections.defaultdict(set)
    for line in lines:
        path, name, kind = re.match(r"(.*?): (\S+) (\S)", line).groups()
        if kind == "U":
            undefined[folders[path]].add(name)
        elif kind in "TDBR":
            defined[name] = folders[path]
    return defined, undefined


def names_of(symbols: list[str]) -> dict[str, str]:
    """Returns names such as hilo::Array::sum of each symbol, without arguments and types."""
    text = subprocess.run(["c++filt", "-p"], input="\n".join(symbols), stdout=subprocess.PIPE, check=True, text=True).stdout
    names = {}
    for symbol, name in zip(symbols, text.splitlines()):
        while "<" in name.partition("operator")[0] and (bare := re.sub(r"<[^<>]*>", "", name)) != name:
            name = bare
        names[symbol] = re.sub(r"\[abi:\w+\]", "", name)
    return names


def may_use(folder: str) -> set[str]:
    """Returns all folders below, including those behind seams: inline functions of client's headers call them."""
    below = {folder} if folder in check_layers.ANYWHERE else {folder, *check_layers.ANYWHERE}
    pending = list(check_layers.LAYERS[folder])
    while pending:
        name = pending.pop()
        if name not in below:
            below.add(name)
            pending += check_layers.LAYERS[name]
    return below


def is_registered(below: str, above: str, name: str) -> bool:
    """Whether `name` is an exception: hilo::Array::sum is registered as Array::sum."""
    return any(fnmatch.fnmatch("::" + name, "*::" + pattern) for pattern in DEFINED_ABOVE.get((below, above), ()))


def check_uses(defined: dict[str, str], undefined: dict[str, set[str]]) -> list[str]:
    violations = []
    for folder in sorted(undefined):
        below = may_use(folder)
        above = sorted(symbol for symbol in undefined[folder] if defined.get(symbol, folder) not in below)
        for symbol, name in names_of(above).items():
            if not is_registered(folder, defined[symbol], name):
                violations.append(f"src/hilo/{folder}: uses {name}, which {defined[symbol]} defines: that is above it. "
                                  "Hint: give it a table, or name it in DEFINED_ABOVE of tools/check_symbol_layers.py")
    return violations


def declared_in(text: str) -> tuple[set[str], set[str]]:
    """Returns the classes that a header defines and the functions that it declares, with their namespaces."""
    types, functions = set(), set()
    scopes, parentheses = [], 0  # a scope: its name, or None for bodies and other content of braces
    for token in TOKEN.finditer(text):
        if token["namespace"] or token["type"] or token[0].startswith("namespace"):
            kind = token["type"] and "type"
            scopes.append(token["namespace"] or token["type"] or None)
            if kind and None not in scopes:
                types.add("::".join(scopes))
        elif token["function"]:
            name = "::".join([*filter(None, scopes), token["function"].replace(" ", "")])
            if parentheses == 0 and None not in scopes:
                functions.add(name)
        elif token[0] == "{":
            scopes.append(None)
        elif token[0] == "}" and scopes:
            scopes.pop()
        elif token[0] in "()":
            parentheses += 1 if token[0] == "(" else -1
    return types, functions


def read_headers(root: pathlib.Path) -> dict[str, set[str]]:
    """Returns the folders whose headers define each class or declare each function."""
    homes = collections.defaultdict(set)
    for path in sources.code(root, "src"):
        folder = check_layers.folder_of(path.relative_to("src/hilo").as_posix())
        if path.suffix == ".h" and folder is not None:
            types, functions = declared_in((root / path).read_text())
            for name in types | functions:
                homes[name].add(folder)
    return homes


def check_declarations(root: pathlib.Path, defined: dict[str, str]) -> list[str]:
    homes = read_headers(root)
    ours = sorted(symbol for symbol in defined if re.match(r"_ZNK?[RO]?4hilo", symbol))
    violations = set()
    for symbol, name in names_of(ours).items():
        above = defined[symbol]
        declared = homes.get(name.rpartition("::")[0]) or homes.get(name) or {above}
        if declared <= may_use(above) - {above} and not any(is_registered(home, above, name) for home in declared):
            violations.add(f"src/hilo/{above}: defines {name}, which {' and '.join(sorted(declared))} declares. "
                           "Hint: declare it where it is defined, or name it in DEFINED_ABOVE of tools/check_symbol_layers.py")
    return sorted(violations)


def check_member_files(root: pathlib.Path) -> list[str]:
    """Checks the rule for members of Array: array/ defines them, or members.cc of another folder."""
    return [f"{path}: defines a member of Array; wanted a file of src/hilo/array, or members.cc"
            for path in sources.code(root, "src")
            if path.suffix == ".cc" and path.name != "members.cc" and not path.is_relative_to("src/hilo/array")
            and MEMBER_FILE.search((root / path).read_text())]


def check(root: pathlib.Path, build: pathlib.Path) -> list[str]:
    objects = objects_of(build)
    missing = [str(path) for _, path in objects if not path.exists()]
    if missing or not objects:
        return [f"{build}: objects are missing: {' '.join(missing[:3])}. Hint: make"]
    defined, undefined = read_symbols(objects)
    return check_uses(defined, undefined) + check_declarations(root, defined) + check_member_files(root)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    options = parser.parse_args()
    sys.exit(sources.finish(check(options.root, options.build)))
