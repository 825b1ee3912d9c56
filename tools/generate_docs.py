#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the generated pages; with --check lists those that are out of date instead.

The sources of these pages are tools/packages.txt, tools/seeds.txt, docs/figures, the tables that the command prints,
and the results of tests."""

import argparse
import dataclasses
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_layers  # noqa: E402
import coverage_page  # noqa: E402
import house_pictures  # noqa: E402
import jax_tests_page  # noqa: E402
import numerics_page  # noqa: E402
import performance_page  # noqa: E402
import status_page  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = {  # part of packages.txt -> what that means to a user of libhilo.so
    "inside": "static inside libhilo_codegen.so and libhilo_aarch64.so, its symbols hidden",
    "linked": "linked by libhilo.so",
    "opened": "opened at run time, when first needed",
    "headers": "headers, compiled in",
    "tool": "not in the product: it builds, tests or measures",
}
RELEASES = {"bookworm": "Debian 12", "trixie": "Debian 13", "noble": "Ubuntu 24.04"}  # that tools/setup.sh knows
ARCHITECTURE = "docs/contributing/architecture.md"
SEEDS = "tools/seeds.txt"
# Pages that the command prints from its own tables: page -> arguments of build/bin/hilo.
FROM_COMMAND = {"docs/flags.md": ("flags", "--markdown")}


@dataclasses.dataclass(frozen=True)
class Package:
    name: str
    group: str
    part: str
    licence: str
    size: str  # MB installed
    why: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    arguments = parser.parse_args()
    stale = [name for name, text in pages(arguments.root, arguments.build).items()
             if not up_to_date(arguments.root / name, text, arguments.check)]
    for name in stale:
        print(f"{name}: out of date. Hint: make docs" if arguments.check else f"wrote {name}")
    return 1 if arguments.check and stale else 0


def pages(root: pathlib.Path, build: pathlib.Path) -> dict[str, str]:
    listed = (root / "tools" / "packages.txt").read_text()
    packages = read_packages(listed)
    found = {"docs/contributing/dependencies.md": dependencies(packages, other_names(listed)), "THIRD_PARTY.md": third_party(packages)}
    if (root / ARCHITECTURE).exists():
        found[ARCHITECTURE] = performance_page.with_part((root / ARCHITECTURE).read_text(), "layers", layers())
        found |= house_pictures.pictures(found[ARCHITECTURE])
    if (root / SEEDS).exists():
        found["docs/internal/seeds.md"] = seeds(root)
    if (root / numerics_page.RECORDED).exists():
        found["docs/numerics.md"] = numerics_page.page(root)
    for name, arguments in FROM_COMMAND.items():
        done = subprocess.run([build / "bin" / "hilo", *arguments], stdout=subprocess.PIPE, text=True) \
            if (build / "bin" / "hilo").exists() and (root / name).exists() else None
        if done is not None and done.returncode == 0:
            found[name] = done.stdout
    return {**found, **performance_page.pages(root), **jax_tests_page.pages(root), **coverage_page.pages(root, build),
            **status_page.pages(build)}


def seeds(root: pathlib.Path) -> str:
    """Returns docs/internal/seeds.md. Exits on an empty cell, or if a named file or test doesn't exist."""
    rows = []
    for number, line in enumerate((root / SEEDS).read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            cells = [cell.strip() for cell in line.split(" | ")]
            problem = seed_problem(root, cells)
            if problem:
                sys.exit(f"{SEEDS}:{number}: {problem}")
            name, here, file, test = cells
            rows.append(f"| {name} | {here} | `{file}` | `{test.split(': ')[1]}` in `{test.split(': ')[0]}` |\n")
    return ("# The names of early JAX\n\n"
            f"Generated from `{SEEDS}` by `make docs`. Every name of early JAX's `xla_bridge.py` and local XLA client, its\n"
            "counterpart in hilo, and the test of that counterpart.\n\n"
            "| early JAX | hilo | file | test |\n|---|---|---|---|\n" + "".join(rows))


def seed_problem(root: pathlib.Path, cells: list[str]) -> str | None:
    if len(cells) != 4 or "" in cells:
        return f"got {len([cell for cell in cells if cell])} cells; wanted name | in hilo | file | test"
    _, here, file, test = cells
    test_file, _, test_name = test.partition(": ")
    if not (root / file).exists():
        return f"{file} doesn't exist"
    words = re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", here)))
    missing = [word for word in words if not re.search(rf"\b{word}\b", (root / file).read_text())]
    if missing:
        return f"{file} has no {missing[0]}"
    if not (root / test_file).exists() or not re.search(rf"\b{test_name}\b", (root / test_file).read_text()):
        return f"there is no test {test_name} in {test_file}"
    return None


def layers() -> str:
    rows = [f"| `{folder}` | {', '.join(f'`{name}`' for name in below) or 'the standard library, fmt'} |\n"
            for folder, below in check_layers.LAYERS.items()]
    return "| folder of src/hilo | may include |\n|---|---|\n" + "".join(rows)


def up_to_date(path: pathlib.Path, text: str, check_only: bool) -> bool:
    if path.exists() and path.read_text() == text:
        return True
    if not check_only:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return False


def read_packages(text: str) -> list[Package]:
    packages = []
    for number, line in enumerate(text.splitlines(), 1):
        if line and not line.startswith("#"):
            fields = [field.strip() for field in line.split("|")]
            if len(fields) == 3 and "" not in fields:  # another name
                continue
            if len(fields) != 6 or "" in fields or fields[2] not in PARTS:
                sys.exit(f"tools/packages.txt:{number}: got \"{line}\"; wanted package | group | part | licence | size | why")
            packages.append(Package(*fields))
    return packages


def other_names(text: str) -> list[tuple[str, list[str], str]]:
    """Returns (package, releases, name there)."""
    lines = [[field.strip() for field in line.split("|")] for line in text.splitlines() if not line.startswith("#")]
    return [(fields[0], fields[1].split(), fields[2]) for fields in lines if len(fields) == 3]


def dependencies(packages: list[Package], others: list[tuple[str, list[str], str]]) -> str:
    lines = ["# Dependencies", "",
             "Generated from `tools/packages.txt` by `make docs`. The build needs git, make and these packages, listed by their",
             "names in Debian 12; the last table has the names in other releases. Each `make` target installs its groups: every",
             "target needs `build`; `make test` also `test`; `make bench` `bench`; `make lint` `lint`; `make fuzz` `fuzz`; `make",
             "docs` `docs`. Sizes are in MB, installed, without dependencies.", ""]
    for group in dict.fromkeys(package.group for package in packages):
        lines += [f"## {group}", "", "| package | why | in the product | licence | MB |", "|---|---|---|---|---|"]
        lines += [f"| `{p.name}` | {p.why} | {PARTS[p.part]} | {p.licence} | {p.size} |"
                  for p in packages if p.group == group]
        lines.append("")
    lines += ["## Other names", "", "| package | release | name there |", "|---|---|---|"]
    lines += [f"| `{name}` | {', '.join(RELEASES[release] for release in releases)} | `{other}` |" for name, releases, other in others]
    return "\n".join(lines).rstrip() + "\n"


def third_party(packages: list[Package]) -> str:
    lines = ["# Third parties", "",
             "Generated from `tools/packages.txt` by `make docs`. What a built hilo contains or uses that others wrote.",
             "The full texts are in `/usr/share/doc/PACKAGE/copyright` of the Debian packages named. No source of theirs is",
             "in this repository.", "", "| package | licence | how |", "|---|---|---|"]
    lines += [f"| {p.name} | {p.licence} | {PARTS[p.part]} |" for p in packages if p.part != "tool"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
