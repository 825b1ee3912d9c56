# SPDX-License-Identifier: Apache-2.0
"""Writes docs/internal/numpy_coverage.md: the public names of jax and optax that hilo has.

They are found by compiling hilo.h. The list of names is recorded in tools/jax_api/names.tsv; tools/jax_api/reasons.tsv
has the reasons of missing names, tools/jax_api/since.tsv the names that later versions add."""

import collections
import fnmatch
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "jax_api"))
import compiling  # noqa: E402
import signatures  # noqa: E402
import spelling  # noqa: E402

PAGE = "docs/internal/numpy_coverage.md"
NAMES = "tools/jax_api/names.tsv"
REASONS = "tools/jax_api/reasons.tsv"
SINCE = "tools/jax_api/since.tsv"
HEAD = """# What hilo has of JAX's names

Every public name of jax 0.10.2 (`jax.numpy`, `lax`, `random`, `nn`, `scipy`, `image`, `ops`) and optax 0.2.8, by module.
`make docs` writes this page: the names that hilo has are found by compiling `using` declarations against `hilo/hilo.h`. A listed name
may lack some arguments; [recorded calls of JAX](jax_api.md) test those.
"""


def pages(root: pathlib.Path, build: pathlib.Path) -> dict[str, str]:
    if not (root / NAMES).exists() or not (root / PAGE).exists():
        return {}
    names = public_names(list(signatures.entries()))
    text = page(names, present(names, build), read_reasons((root / REASONS).read_text()))
    return {PAGE: text + new_names(read_reasons((root / SINCE).read_text()), lambda found: declared(found, build))}


def public_names(recorded: list[str]) -> list[str]:
    """Returns names except members of arrays and lax's primitives, which aren't functions."""
    return [name for name in recorded if not name.startswith("array.") and not (
        name.startswith("jax.lax") and name.endswith("_p")) and ".typing." not in name]


def present(names: list[str], build: pathlib.Path) -> set[str]:
    """Returns the names that hilo.h declares."""
    spellings = {name: spelling.cpp_names(name) for name in names}
    there = declared({text for texts in spellings.values() for text in texts}, build)
    return {name for name, texts in spellings.items() if there.intersection(texts)}


def declared(names: set[str], build: pathlib.Path) -> set[str]:
    """Returns the C++ names (without hilo::) that hilo.h declares."""
    with tempfile.TemporaryDirectory(prefix="hilo_coverage_") as folder:
        tools = compiling.Tools(build.resolve(), pathlib.Path(folder), os.environ.get("CXX", "c++"), 1)
        return compiling.existing_names(tools, sorted(names))


def new_names(rows: list[tuple[str, ...]], declared_of) -> str:
    """Returns the table of names that versions after 0.10.0 add. A row that names what hilo.h lacks is an error."""
    rows = [(*row, "", "")[:4] for row in rows]
    wanted = {row[2] for row in rows if row[2]}
    if lacking := wanted - declared_of(wanted):
        sys.exit(f"{SINCE}: hilo.h doesn't declare {', '.join(sorted(lacking))}")
    lines = ["\n## New in JAX 0.10.1 to 0.12\n\n| since | name in JAX | in hilo |\n|---|---|---|\n"]
    for version, name, here, remark in rows:
        text = f"`{here}`" + (f": {remark}" if remark else "") if here else f"no: {remark}"
        lines.append(f"| {version} | `{name}` | {text} |\n")
    return "".join(lines)


def read_reasons(text: str) -> list[tuple[str, str]]:
    return [tuple(line.split("\t")) for line in text.splitlines() if line and not line.startswith("#")]


def reason_of(name: str, reasons: list[tuple[str, str]]) -> str:
    return next((why for pattern, why in reasons if fnmatch.fnmatchcase(name, pattern)), "not in this version")


def page(names: list[str], there: set[str], reasons: list[tuple[str, str]]) -> str:
    modules = collections.defaultdict(list)
    for name in sorted(names):
        modules[name.rpartition(".")[0]].append(name)
    lines = [HEAD, "| module | has | of |\n|---|---|---|\n"]
    for module, members in modules.items():
        lines.append(f"| `{module}` | {sum(name in there for name in members)} | {len(members)} |\n")
    lines.append(f"| all | {sum(name in there for name in names)} | {len(names)} |\n")
    for module, members in modules.items():
        lines.append(module_text(module, members, there, reasons))
    return "".join(lines)


def module_text(module: str, members: list[str], there: set[str], reasons: list[tuple[str, str]]) -> str:
    has = [name.rpartition(".")[2] for name in members if name in there]
    lacks = [name for name in members if name not in there]
    parts = [f"\n## {module}\n"]
    if has:
        parts.append("\n" + wrapped(has) + "\n")
    if lacks:
        parts.append("\n| missing | reason and replacement |\n|---|---|\n")
        parts += [f"| `{name.rpartition('.')[2]}` | {reason_of(name, reasons)} |\n" for name in lacks]
    return "".join(parts)


def wrapped(names: list[str]) -> str:
    lines, line = [], ""
    for name in names:
        word = f"`{name}`"
        if line and len(line) + len(word) + 1 > 118:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    return "\n".join([*lines, line])
