#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_jax_tests.py [ROOT] -- checks the table of JAX's own tests of transformations.

Each test of JAX (tools/jax_tests/names.txt) has a test of hilo (tests.tsv) or a reason why it has none (reasons.tsv).
Tests named there must exist."""

import fnmatch
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sources  # noqa: E402

NAMES = "tools/jax_tests/names.txt"
TESTS = "tools/jax_tests/tests.tsv"
REASONS = "tools/jax_tests/reasons.tsv"
OUR_TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\((\w+), (\w+)\)", re.MULTILINE)


def read_names(root: pathlib.Path) -> list[str]:
    return (root / NAMES).read_text().split()


def read_rows(root: pathlib.Path, file: str) -> list[tuple[str, str]]:
    lines = (root / file).read_text().splitlines()
    return [tuple((line + "\t").split("\t")[:2]) for line in lines if line and not line.startswith("#")]


def our_tests(root: pathlib.Path) -> set[str]:
    """Returns Suite.Name of every C++ test, and tests/FOLDER/run.py of every script."""
    found = set()
    for path in sources.files(root):
        if path.parts[0] == "tests" and path.name.endswith("_test.cc"):
            found |= {f"{suite}.{name}" for suite, name in OUR_TEST.findall((root / path).read_text())}
        elif path.match("tests/*/run.py"):
            found.add(path.as_posix())
    return found


def reason_of(name: str, reasons: list[tuple[str, str]]) -> tuple[str, str] | None:
    return next((row for row in reasons if fnmatch.fnmatchcase(name, row[0])), None)


def check(root: pathlib.Path) -> list[str]:
    if not (root / NAMES).exists():
        return []
    names, rows, reasons = read_names(root), read_rows(root, TESTS), read_rows(root, REASONS)
    tests, ours = dict(rows), our_tests(root)
    violations = [f"{TESTS}: {name} isn't among JAX's tests" for name in tests if name not in set(names)]
    violations += [f"{TESTS}: {name} stands there twice" for name in tests if [row[0] for row in rows].count(name) > 1]
    for name, cell in tests.items():
        violations += [f"{TESTS}: {name}: there is no test {test}" for test in cell.split(", ") if test not in ours]
    used = set()
    for name in names:
        if name in tests:
            continue
        row = reason_of(name, reasons)
        if row is None or not row[1]:
            violations.append(f"{name} has neither a test nor a reason. Hint: a line in {TESTS} or {REASONS}")
        else:
            used.add(row)
    return violations + [f"{REASONS}: nothing needs {row[0]}" for row in reasons if row not in used]


if __name__ == "__main__":
    sys.exit(sources.finish(check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))))
