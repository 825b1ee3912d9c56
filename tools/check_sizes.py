#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_sizes.py [ROOT] -- checks that no source file has more than 800 lines, except those in
tools/size_allowlist.txt."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sources  # noqa: E402

WALL = 800  # lines
SUFFIXES = (*sources.CODE, ".py", ".sh", ".cmake")
ALLOW_LIST = "tools/size_allowlist.txt"


def check(root: pathlib.Path) -> list[str]:
    allowed, violations = read_allow_list(root / ALLOW_LIST)
    for path in sources.files(root):
        if path.suffix not in SUFFIXES and path.name != "CMakeLists.txt":
            continue
        lines = len((root / path).read_text().splitlines())
        reason = allowed.pop(path.as_posix(), None)
        if lines > WALL and reason is None:
            violations.append(f"{path}: {lines} lines; wanted at most {WALL}. Hint: split it by family")
        elif lines <= WALL and reason is not None:
            violations.append(f"{ALLOW_LIST}: {path} has {lines} lines and needs no entry")
    violations += [f"{ALLOW_LIST}: {name} does not exist" for name in allowed]
    return violations


def read_allow_list(path: pathlib.Path) -> tuple[dict[str, str], list[str]]:
    """Lines "path | reason"; an entry without a reason is a violation."""
    allowed, violations = {}, []
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.strip() and not line.startswith("#"):
            name, _, reason = (part.strip() for part in line.partition("|"))
            allowed[name] = reason
            if not reason:
                violations.append(f"{ALLOW_LIST}: {name} has no reason")
    return allowed, violations


if __name__ == "__main__":
    sys.exit(sources.finish(check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))))
