#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the structure of docs/ and of the API reference. `make docs` builds the site.

The site's menu, of at most 42 entries, lists every page for users, or the README.md that lists it. The README.md of
each other folder lists all pages of the folder. Every link has a target, no page for users tells history, and
CHANGELOG.md is short. Every public function has a docstring, and the API reference has every name of JAX that
docs/internal/numpy_coverage.md lists as present.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
PARTS = re.compile(r"^## (\S+)\n(.*?)(?=^## |\Z)", re.S | re.M)  # of docs/internal/numpy_coverage.md: module, what it says
SHELVES = ("contributing", "internal")  # not for users
LISTED = (*SHELVES, "reference", "coming_from")  # folders whose pages the README.md of the folder lists, not the menu
MAX_ENTRIES = 42  # of the menu, with that of the API reference
MAX_CHANGES = 60  # lines of a version in CHANGELOG.md
# What was and what became of it; a page for users says what is.
HISTORY = re.compile(r"\b(now(?!\()|formerly|no longer|used to|any ?more|a session before|since then|so far)\b|\b(before|since)(?= *[|.,;)]|$)"
                     r"|\b(was|were) (at )?\d[\d.]*( \S+)? (before|until)\b|\| before\b", re.I)
REFERENCE = ROOT / "tools" / "api_reference.py"
sys.path.insert(0, str(ROOT / "tools" / "jax_api"))
import spelling  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=1)
    build = parser.parse_args().build.resolve()
    failed = 0
    for case, problems in (("every_page_is_on_its_shelf", outside()), ("every_link_leads_to_a_page", dead_links()),
                           ("no_page_for_users_tells_history", history()),
                           ("a_version_has_at_most_60_lines_of_changes", long_versions()),
                           ("every_public_function_has_a_docstring", without_docstring(build)),
                           ("every_name_that_was_found_is_in_the_reference", not_in_the_reference(build)),
                           ("every_error_of_the_catalogue_is_one_of_the_code", wrong_errors())):
        failed += bool(problems)
        print("\n".join([*problems, f"failed site/{case}"]) if problems else f"passed site/{case}", flush=True)
    return 1 if failed else 0


def outside() -> list[str]:
    listed = re.findall(r"- (?:[\w ]+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    of_folders = {name for name in pages if name.startswith(tuple(f"{folder}/" for folder in LISTED))}
    of_folders -= {f"{folder}/README.md" for folder in LISTED if folder not in SHELVES}  # these are in the menu
    problems = [f"mkdocs.yml: docs/{name} is not there" for name in listed if name not in pages]
    problems += [f"mkdocs.yml: docs/{name} is missing" for name in sorted(pages - of_folders - {"tutorial/README.md"} - set(listed))]
    problems += [f"mkdocs.yml: {name} is there twice" for name in sorted({n for n in listed if listed.count(n) > 1})]
    if len(listed) + 1 > MAX_ENTRIES:
        problems.append(f"mkdocs.yml: {len(listed)} entries and the API reference; at most {MAX_ENTRIES}")
    for folder in LISTED:
        table = (DOCS / folder / "README.md").read_text()
        problems += [f"docs/{folder}/README.md: {name} is missing" for name in sorted(of_folders)
                     if name.startswith(f"{folder}/") and not name.endswith("README.md") and f"]({name.partition('/')[2]})" not in table]
    return problems


def history() -> list[str]:
    pages = [ROOT / "README.md", *(page for page in sorted(DOCS.rglob("*.md")) if page.relative_to(DOCS).parts[0] not in SHELVES)]
    return [f"{page.relative_to(ROOT)}:{number}: '{found[0]}' tells history, which is CHANGELOG.md's"
            for page in pages for number, line in enumerate(page.read_text().splitlines(),
                                                            1) if (found := HISTORY.search(line))]


def long_versions() -> list[str]:
    """Returns versions of CHANGELOG.md that are too long, or have no date or no heading."""
    versions = re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", (ROOT / "CHANGELOG.md").read_text(), re.S | re.M)
    problems = [f"CHANGELOG.md: {title} has {text.count(chr(10))} lines; at most {MAX_CHANGES}" for title, text in versions
                if text.count("\n") > MAX_CHANGES]
    problems += [f"CHANGELOG.md: {title}: a version has a date" for title, _ in versions if not re.search(r" - \d{4}-\d\d-\d\d$", title)]
    problems += [f"CHANGELOG.md: {title} isn't grouped by headings" for title, text in versions if "\n### " not in text]
    return problems if versions else ["CHANGELOG.md: no version was read"]


def dead_links() -> list[str]:
    problems = []
    for page in sorted(DOCS.rglob("*.md")):
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
            target = (page.parent / link).resolve()
            if "://" not in link and not (target.exists() and target.is_relative_to(DOCS)):
                problems.append(f"{page.relative_to(ROOT)}: {link} is no page or picture of docs/")
    return problems


def without_docstring(build: pathlib.Path) -> list[str]:
    done = reference("--check", build)
    return done.stdout.splitlines() + done.stderr.splitlines() if done.returncode != 0 else []


def not_in_the_reference(build: pathlib.Path) -> list[str]:
    done = reference("--names", build)
    there = set(done.stdout.splitlines())
    names = [f"{module}.{name}" for module, part in PARTS.findall((DOCS / "internal" / "numpy_coverage.md").read_text())
             for name in re.findall(r"`(\w+)`", part.partition("| missing |")[0])]
    problems = [f"{name} is not in the reference" for name in names if not there.intersection(spelling.cpp_names(name))]
    return problems + ([] if done.returncode == 0 and names else ["no names were read", done.stderr])


def wrong_errors() -> list[str]:
    """Returns codes that docs/errors.md lacks or invents, and its messages that no source file contains."""
    page = (DOCS / "errors.md").read_text()
    wanted = set(re.findall(r'"([A-Z_]+)"', (ROOT / "src/hilo/base/status.cc").read_text())) - {"OK"}
    listed = re.findall(r"^## ([A-Z_]+)$", page, re.M)
    problems = [f"docs/errors.md: {code} is missing" for code in sorted(wanted - set(listed))]
    problems += [f"docs/errors.md: {code} is no code, or twice there" for code in listed
                 if code not in wanted or listed.count(code) > 1]
    sources = "\n".join(re.sub(r'"\s*\n\s*"', "", path.read_text())  # texts over several lines are one
                        for path in (ROOT / "src" / "hilo").rglob("*") if path.suffix in (".cc", ".h"))
    messages = re.findall(r"^\| `([^`|]+)` \|", page, re.M)
    parts = [(message, part.strip(" '")) for message in messages for part in message.split("...")]
    problems += [f"docs/errors.md: no source says '{part}' of {message}" for message, part in parts if part not in sources]
    return problems if messages else ["docs/errors.md: no messages were read"]


def reference(option: str, build: pathlib.Path) -> subprocess.CompletedProcess:
    """Runs tools/api_reference.py, whose first line selects Debian's Python, which has libclang's module."""
    return subprocess.run([REFERENCE, option, "--build", build], capture_output=True, text=True)


if __name__ == "__main__":
    sys.exit(main())
