#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each function template and class template that hilo.h offers is instantiated by a test or an example: one that nobody
instantiates may not even compile. The templates are read from the headers; what is instantiated, from the symbols of the
programs that the build has made. Those that only refuse, in a static_assert that never holds, are left out; so are members
and the namespaces of details.

Prints "passed CASE" or "failed CASE" for each namespace; tools/run_tests.py counts them.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import ROOT  # noqa: E402

# Templates whose instances have no symbol: types, and what is computed while a program is compiled.
WITHOUT_SYMBOLS: dict[str, str] = {}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=1)
    build = parser.parse_args().build.resolve()
    programs = [p for folder in ("tests", "examples") for p in sorted((build / "bin" / folder).glob("*")) if p.is_file()]
    left = {template for header in public_headers() for template in templates_of(header.read_text())}
    count = len(left)
    for program in programs:
        symbols = subprocess.run(["nm", program], capture_output=True, text=True).stdout
        left = {template for template in left if mangled(template) not in symbols}
    failed = collections.defaultdict(list)
    for template in sorted(left - WITHOUT_SYMBOLS.keys()):
        failed[template.rpartition("::")[0]].append(template)
    for space, names in failed.items():
        print(f"instantiated nowhere: {' '.join(names)}\nfailed {space}")
    print(f"passed {count - len(left)} of {count} templates in {len(programs)} programs")
    return 1 if failed or count < 200 else 0


def public_headers() -> list[pathlib.Path]:
    """hilo.h and what it includes, all the way."""
    found, left = set(), [ROOT / "src" / "hilo" / "hilo.h"]
    while left:
        header = left.pop()
        if header not in found:
            found.add(header)
            left += [ROOT / "src" / name for name in re.findall(r'^#include "(hilo/.*)"$', header.read_text(), re.M)]
    return sorted(found)


def templates_of(text: str) -> set[str]:
    """Names, with their namespaces, of the function templates that stand in namespaces: their lines aren't indented."""
    names, spaces = set(), []
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if opened := re.match(r"namespace ([\w:]+) \{", line):
            spaces.append(opened[1])
        elif line.startswith("}  // namespace"):
            spaces.pop()
        elif line.startswith("template <") and not any("detail" in space for space in spaces):
            rest = "\n".join(lines[i:i + 12])
            declared = re.match(r"template <.*?>\n(?:  requires.*?\n)?(?!struct|class|using|concept|inline constexpr)[^(;{]*?"
                                r"\b([a-z]\w*)\(", rest, re.S)
            body = rest[:rest.find("\n}")]
            if declared and "kNever<" not in body and "static_assert(sizeof" not in body:
                names.add("::".join([*spaces, declared[1]]))
    return names


def mangled(template: str) -> str:
    """What the names of its instances have: 4hilo3lax4scanI."""
    return "".join(f"{len(part)}{part}" for part in template.split("::")) + "I"


if __name__ == "__main__":
    sys.exit(main())
