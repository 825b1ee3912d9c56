#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds mkdocs.yml to docs/: every page is in the site, every line of the site is a page, every link between pages leads to
one. `make docs` builds the site.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.parse_args()
    failed = 0
    for case, problems in (("every_page_is_in_the_site", outside()), ("every_link_leads_to_a_page", dead_links())):
        failed += bool(problems)
        print("\n".join([*problems, f"failed site/{case}"]) if problems else f"passed site/{case}", flush=True)
    return 1 if failed else 0


def outside() -> list[str]:
    listed = re.findall(r"- (?:[\w ]+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    problems = [f"mkdocs.yml: docs/{name} is not there" for name in listed if name not in pages]
    problems += [f"mkdocs.yml: docs/{name} is missing" for name in sorted(pages - set(listed))]
    return problems + [f"mkdocs.yml: {name} is there twice" for name in sorted({n for n in listed if listed.count(n) > 1})]


def dead_links() -> list[str]:
    problems = []
    for page in sorted(DOCS.rglob("*.md")):
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
            target = (page.parent / link).resolve()
            if "://" not in link and not (target.exists() and target.is_relative_to(DOCS)):
                problems.append(f"{page.relative_to(ROOT)}: {link} is no page or picture of docs/")
    return problems


if __name__ == "__main__":
    sys.exit(main())
