#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_spdx.py [ROOT] -- checks that each source file names its licence, and that each header has its path, its
purpose and a guard."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sources  # noqa: E402

LICENCE = "SPDX-License-Identifier: Apache-2.0"
SUFFIXES = (*sources.CODE, ".c", ".py", ".sh", ".cmake", ".map", ".pc.in", ".cmake.in")
NAMES = ("CMakeLists.txt", "Makefile", ".clang-tidy", ".clang-format", "run")


def check(root: pathlib.Path) -> list[str]:
    violations = []
    for path in sources.files(root):
        if path.name.endswith(SUFFIXES) or path.name in NAMES:
            head = (root / path).read_text().splitlines()[:6]
            violations += check_licence(path, head)
            if path.suffix == ".h":
                violations += check_header(path, head, (root / path).read_text())
    return violations


def check_licence(path: pathlib.Path, head: list[str]) -> list[str]:
    line = 1 if head and head[0].startswith("#!") else 0
    if len(head) > line and LICENCE in head[line]:
        return []
    return [f"{path}: line {line + 1} is not \"{LICENCE}\""]


def check_header(path: pathlib.Path, head: list[str], text: str) -> list[str]:
    violations = []
    name = path.relative_to("src/hilo") if path.is_relative_to("src/hilo") else path
    if len(head) < 2 or not head[1].startswith(f"// {name} -- "):
        violations.append(f"{path}: line 2 is not \"// {name} -- purpose\"")
    if "\n#pragma once\n" not in text:
        violations.append(f"{path}: no #pragma once")
    return violations


if __name__ == "__main__":
    sys.exit(sources.finish(check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))))
