# SPDX-License-Identifier: Apache-2.0
"""docs/threads.md: every sentence is in a table next to a test that exists."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TITLES = ("| sentence | test |", "|---|---|")


def problems(page: str, tests: set[str]) -> list[str]:
    """What is wrong with the text of a page."""
    found = []
    body = page.split("\n\n", 2)[2]  # after the title and the paragraph that says what the page is
    for line in filter(None, body.splitlines()):
        if line.startswith("#") or line in TITLES:
            continue
        row = re.fullmatch(r"\| (.+) \| (.*) \|", line)
        if not row:
            found.append(f"a sentence outside of the tables: {line}")
            continue
        names = re.findall(r"`([^`]+)`", row[2])
        if not names:
            found.append(f"no test: {row[1]}")
        found += [f"there is no test {name}: {row[1]}" for name in names if name not in tests]
    return found


def existing_tests() -> set[str]:
    """Suite.Name of every GoogleTest case, and the cases of the scripts tests/NAME/run.py."""
    names = set()
    for path in ROOT.glob("tests/**/*_test.cc"):
        names |= {f"{suite}.{name}" for suite, name in re.findall(r"^TEST(?:_F)?\((\w+), (\w+)\)", path.read_text(), re.M)}
    for path in ROOT.glob("tests/*/run.py"):
        names |= set(re.findall(r"^def (\w+)\(place\)", path.read_text(), re.M))
    return names


class ThreadsPage(unittest.TestCase):
    def test_every_sentence_has_a_test(self):
        self.assertEqual(problems((ROOT / "docs" / "threads.md").read_text(), existing_tests()), [])

    def test_sees_a_sentence_without_a_test_one_with_a_wrong_name_and_one_outside(self):
        page = "# T\n\nIntroduction.\n\n| sentence | test |\n|---|---|\n| Good. | `A.B` |\n| Bare. |  |\n| Wrong. | `A.C` |\n\nLoose.\n"
        self.assertEqual(problems(page, {"A.B"}),
                         ["no test: Bare.", "there is no test A.C: Wrong.", "a sentence outside of the tables: Loose."])


if __name__ == "__main__":
    unittest.main()
