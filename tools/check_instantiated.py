#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_instantiated.py [--build TREE] -- lists function templates of hilo.h that no test and no example instantiates.

Such a template may not even compile. Templates are read from the headers, instances from the symbols of the programs of
a whole build. Not checked: templates that only reject arguments, members, further overloads of an instantiated
template, and detail namespaces.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NO_NAMES = {"operator", "requires", "nodiscard", "size_t", "get"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    build = parser.parse_args().build.resolve()
    programs = [p for folder in ("tests", "examples") for p in sorted((build / "bin" / folder).glob("*")) if p.is_file()]
    left = {template for header in public_headers() for template in templates_of(header.read_text())}
    for program in programs:
        symbols = subprocess.run(["nm", program], capture_output=True, text=True).stdout
        left = {template for template in left if mangled(template) not in symbols}
    for template in sorted(left):
        print(f"{template}: no test instantiates it; it may not even compile")
    return 1 if left or not programs else 0


def public_headers() -> list[pathlib.Path]:
    """Returns hilo.h and all headers that it includes, transitively."""
    found, left = set(), [ROOT / "src" / "hilo" / "hilo.h"]
    while left:
        header = left.pop()
        if header not in found:
            found.add(header)
            left += [ROOT / "src" / name for name in re.findall(r'^#include "(hilo/.*)"$', header.read_text(), re.M)]
    return sorted(found)


def templates_of(text: str) -> set[str]:
    """Returns the qualified names of the function templates in namespaces: their lines aren't indented."""
    names, spaces = set(), []
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if opened := re.match(r"namespace ([\w:]+) \{", line):
            spaces.append(opened[1])
        elif line.startswith("}  // namespace"):
            spaces.pop()
        elif line.startswith("template <") and not any("detail" in space or space == "flat_call" for space in "::".join(spaces).split("::")):
            rest = "\n".join(lines[i:i + 12])
            declared = re.match(r"template <[^\n]*>\n(?:  requires.*?\n)?(?!struct|class|using|concept|inline constexpr)[^(;{]*?"
                                r"\b(?<!::)([a-z]\w*)\(", rest, re.S)
            refuses = "Doesn't compile" in comment_above(lines, i)
            if declared and declared[1] not in NO_NAMES and not refuses:
                names.add("::".join([*spaces, declared[1]]))
    return names


def comment_above(lines: list[str], i: int) -> str:
    first = i
    while first > 0 and lines[first - 1].startswith("///"):
        first -= 1
    return "\n".join(lines[first:i])


def mangled(template: str) -> str:
    """Returns the part that the symbols of all its instances contain: 4hilo3lax4scanI."""
    return "".join(f"{len(part)}{part}" for part in template.split("::")) + "I"


if __name__ == "__main__":
    sys.exit(main())
