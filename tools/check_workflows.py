#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_workflows.py [ROOT] -- checks the workflows of .github. They run targets that the Makefile has, their jobs have a
limit of time, and their tokens may only read unless a job says otherwise. Also: CITATION.cff has the project's version."""

import pathlib
import re
import sys


def check(root: pathlib.Path) -> list[str]:
    targets = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(), re.M))
    violations = []
    for path in sorted((root / ".github" / "workflows").glob("*.yml")):
        violations += [f"{path.relative_to(root)}: {text}" for text in of_workflow(path.read_text(), targets)]
    version = re.search(r"project\(hilo VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text())[1]
    if f"version: {version}\n" not in (root / "CITATION.cff").read_text():
        violations.append(f"CITATION.cff: wanted version: {version}")
    return violations


def of_workflow(text: str, targets: set[str]) -> list[str]:
    violations = []
    for target in made(text) - targets:
        violations.append(f"make {target}: the Makefile has no such target")
    if not re.search(r"^permissions:\n  contents: read$", text, re.M):
        violations.append("wanted permissions: contents: read")
    jobs = text.partition("\njobs:\n")[2]
    for name, body in re.findall(r"^  (\w+):\n((?:    .*\n|\n)+)", jobs, re.M):
        if "timeout-minutes:" not in body:
            violations.append(f"job {name}: wanted timeout-minutes")
    return violations


def made(text: str) -> set[str]:
    """The targets that steps make. A matrix's are strings: make ${{ matrix.target }}."""
    targets = set(re.findall(r"run: make ([a-z-]+)", text))
    for row in re.findall(r"target: \[(.*)\]", text):
        targets |= set(re.findall(r'"([a-z-]+)', row))
    return targets


def main() -> int:
    violations = check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    print("\n".join(violations), end="\n" if violations else "")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
