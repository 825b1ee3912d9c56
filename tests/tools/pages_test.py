# SPDX-License-Identifier: Apache-2.0
"""Checks that links between pages, and the files that contributors' pages name, exist."""

import pathlib
import re

import sources
from planted import ROOT, Planted

LINK = re.compile(r"\]\(([^)\s#:]+)(#[\w-]+)?\)")
FILE = re.compile(r"`([\w./-]+\.(?:cc|h|inc|py|txt|md|sh|cmake))`")
NEW_FILE = re.compile(r"^The new file `([^`]+)`:$", re.M)
# Pages that name sources, with as many of their folders as it takes.
OF_THE_HOUSE = ("docs/contributing/*.md", "docs/threads.md", "docs/memory.md")


def anchors(page: pathlib.Path) -> set[str]:
    """The anchors of a page's titles, as they are made for readers of Markdown."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {"#" + re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


def broken_links(root: pathlib.Path) -> list[str]:
    found = []
    for page in [*sorted(root.glob("*.md")), *sorted(root.glob("docs/**/*.md"))]:
        for name, anchor in LINK.findall(page.read_text()):
            target = page.parent / name
            if not target.exists():
                found.append(f"{page.relative_to(root)}: there is no {name}")
            elif anchor and anchor not in anchors(target):
                found.append(f"{page.relative_to(root)}: {name} has no title {anchor}")
    return found


def missing_files(root: pathlib.Path) -> list[str]:
    pages = {page.relative_to(root).as_posix(): page.read_text() for pattern in OF_THE_HOUSE
             for page in sorted(root.glob(pattern))}
    known = sources.ends_of_paths(root)
    return [f"{name}: there is no {file}"
            for name, text in pages.items()
            for file in sorted(set(FILE.findall(text)) - set(NEW_FILE.findall(text)) - known)]


class Pages(Planted):
    def test_links_lead_somewhere(self):
        self.assertEqual(broken_links(ROOT), [])

    def test_files_that_pages_name_are_there(self):
        self.assertEqual(missing_files(ROOT), [])

    def test_finds_links_to_nothing(self):
        self.plant("README.md", "[a](docs/a.md) [b](docs/b.md) [c](https://example.com/c.md)\n")
        self.plant("docs/a.md", "# A title, it is\n[here](a.md#a-title-it-is) [gone](a.md#gone)\n")
        self.assertEqual(broken_links(self.root), ["README.md: there is no docs/b.md", "docs/a.md: a.md has no title #gone"])

    def test_finds_files_that_are_gone(self):
        self.plant("docs/contributing/engine.md", "`hlo/a.cc` and `hlo/b.cc`\n\nThe new file `hlo/c.cc`:\n")
        self.plant("src/hilo/hlo/a.cc", "")
        self.assertEqual(missing_files(self.root), ["docs/contributing/engine.md: there is no hlo/b.cc"])
