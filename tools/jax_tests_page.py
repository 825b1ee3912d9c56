# SPDX-License-Identifier: Apache-2.0
"""Writes docs/internal/jax_tests.md: JAX's own tests of transformations, each with the tests of hilo that check the
same behaviour, or with a reason. Its source is tools/jax_tests, which tools/check_jax_tests.py compares with the
existing tests."""

import collections
import pathlib

import check_jax_tests

PAGE = "docs/internal/jax_tests.md"
HEAD = """# JAX's tests, and ours

Every test of `api_test`, `lax_control_flow_test`, `custom_api_test`, `custom_root_test`, `custom_linear_solve_test`,
`checkify_test`, `jet_test`, `tree_util_test`, `debug_nans_test` and `key_reuse_test` of JAX 0.10.2, by name, with the tests
of hilo that check the same behaviour. A test without one has a reason: it doesn't apply to C++, or hilo lacks the behaviour. `make docs`
writes this page from `tools/jax_tests`. `make test` fails if a name has neither, or a listed test doesn't exist. Expected values are
JAX's or computed by hand; nothing of JAX's tests is copied.

A reason that begins with "missing" names behaviour that C++ users could need and that hilo lacks. The other reasons name parts of
JAX or Python that C++ doesn't have.
"""
MISSING = "missing: "


def pages(root: pathlib.Path) -> dict[str, str]:
    return {PAGE: page(root)} if (root / check_jax_tests.NAMES).exists() else {}


def page(root: pathlib.Path) -> str:
    tests = dict(check_jax_tests.read_rows(root, check_jax_tests.TESTS))
    reasons = check_jax_tests.read_rows(root, check_jax_tests.REASONS)
    files = collections.defaultdict(list)
    for name in check_jax_tests.read_names(root):
        file, _, short = name.partition(".")
        row = check_jax_tests.reason_of(name, reasons)
        files[file].append((short, tests.get(name), row[1] if row else ""))
    return HEAD + counts(files) + "".join(section(file, rows) for file, rows in files.items())


def counts(files: dict[str, list]) -> str:
    lines = ["| file of JAX | tests | with a test here | not for C++ | missing | of those for C++ |\n|---|---|---|---|---|---|\n"]
    every = [row for rows in files.values() for row in rows]
    for name, rows in [*files.items(), ("all", every)]:
        here = sum(row[1] is not None for row in rows)
        missing = sum(row[1] is None and row[2].startswith(MISSING) for row in rows)
        share = 100 * here // max(1, here + missing)
        shown = name if name == "all" else f"`{name}`"
        lines.append(f"| {shown} | {len(rows)} | {here} | {len(rows) - here - missing} | {missing} | {share} % |\n")
    return "".join(lines)


def section(file: str, rows: list) -> str:
    lines = [f"\n## {file}\n\n| test of JAX | here |\n|---|---|\n"]
    for name, ours, why in rows:
        cell = ", ".join(f"`{test}`" for test in ours.split(", ")) if ours else why
        lines.append(f"| `{name}` | {cell} |\n")
    return "".join(lines)
