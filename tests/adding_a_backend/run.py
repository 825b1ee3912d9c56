#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares docs/contributing/adding_a_backend.md with the interfaces of device/ and with its example,
tests/support/fake_client.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them. Builds nothing: tests/device tests the
example.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import ROOT, argument_parser, run_each  # noqa: E402

PAGE = "docs/contributing/adding_a_backend.md"
INTERFACES = ("Client", "Device", "Buffer", "Executable")
EXAMPLE = ("tests/support/fake_client.h", "tests/support/fake_client.cc")

CLASS = re.compile(r"^class (\w+)(?: final)?(?: : public ([\w:<>]+))? \{\n(.*?)^\};", re.S | re.M)
VIRTUAL = re.compile(r"\bvirtual\s+[^;{]*?(~?\w+)\([^;{}]*\)\s*(?:const\s*)?(= 0;|= default;|;|\{)")
OVERRIDE = re.compile(r"\b(\w+)\([^;{}]*\)\s*(?:const\s*)?override\b")
LISTED = re.compile(r"^\| `(\w+::\w+)` \|", re.M)
BLOCK = re.compile(r"^```cpp\n(.*?)^```$", re.S | re.M)
PATH = re.compile(r"`((?:src|tests|tools|docs)/[\w/.]+)`")


def main() -> int:
    parser = argument_parser(__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    root = parser.parse_args().root
    return run_each((the_page_lists_the_pure_virtual_functions, the_page_lists_the_functions_with_a_default,
                     the_example_overrides_every_pure_virtual_function, the_code_of_the_page_is_in_the_example,
                     the_files_that_the_page_names_are_there), lambda case: case(root))


def the_page_lists_the_pure_virtual_functions(root):
    assert_same(listed(root, "These functions are pure virtual"), virtual_functions(root, pure=True))


def the_page_lists_the_functions_with_a_default(root):
    assert_same(listed(root, "These functions have a default"), virtual_functions(root, pure=False))


def the_example_overrides_every_pure_virtual_function(root):
    classes = classes_of("".join((root / name).read_text() for name in EXAMPLE))
    overridden = {f"{base}::{name}" for _, base, body in classes for name in OVERRIDE.findall(body)}
    missing = virtual_functions(root, pure=True) - overridden
    assert not missing, f"{EXAMPLE[1]} doesn't override {sorted(missing)}"


def the_code_of_the_page_is_in_the_example(root):
    """Word for word; indentation and line ends may differ."""
    example = [" ".join((root / name).read_text().split()) for name in EXAMPLE]
    blocks = BLOCK.findall((root / PAGE).read_text())
    assert blocks, f"{PAGE}: there is no code"
    for block in blocks:
        words = " ".join(block.split())
        assert words and any(words in text for text in example), f"{PAGE}: this is not in the example:\n{block}"


def the_files_that_the_page_names_are_there(root):
    names = set(PATH.findall((root / PAGE).read_text()))
    assert set(EXAMPLE[:1]) <= names, f"{PAGE} doesn't name its example, {EXAMPLE[0]}"
    missing = sorted(name for name in names if not (root / name).exists())
    assert not missing, f"{PAGE} names {missing}, which aren't there"


def listed(root, introduction) -> set[str]:
    """The functions of the table after the sentence that begins so."""
    page = (root / PAGE).read_text()
    assert page.count(introduction) == 1, f"{PAGE}: {page.count(introduction)} sentences begin '{introduction}'; wanted one"
    table = page.split(introduction)[1].split("\n\n")[1]
    names = LISTED.findall(table)
    assert len(names) == len(set(names)) == len(table.splitlines()) - 2, f"{PAGE}: rows of no or of one function:\n{table}"
    return set(names)


def virtual_functions(root, pure) -> set[str]:
    """Interface::function of the interfaces' headers, without destructors."""
    found = set()
    for interface in INTERFACES:
        header = root / "src" / "hilo" / "device" / f"{interface.lower()}.h"
        bodies = [body for name, _, body in classes_of(header.read_text()) if name == interface]
        assert len(bodies) == 1, f"{header} declares {len(bodies)} classes {interface}; wanted one"
        functions = [(name, end) for name, end in VIRTUAL.findall(bodies[0]) if not name.startswith("~")]
        count = len(re.findall(r"\bvirtual\b", bodies[0])) - 1  # less the destructor
        assert count == len(functions), f"{header}: {count} virtual functions, of which {functions} were understood"
        found |= {f"{interface}::{name}" for name, end in functions if (end == "= 0;") == pure}
    return found


def classes_of(text) -> list[tuple[str, str, str]]:
    """(name, base, body without comments) of each class at the beginning of a line."""
    return [(name, base, re.sub(r"//[^\n]*", "", body)) for name, base, body in CLASS.findall(text)]


def assert_same(got, wanted):
    missing, more = sorted(wanted - got), sorted(got - wanted)
    assert got == wanted and got, f"{PAGE}: its table lacks {missing} and lists {more}, which device/ doesn't declare so"


if __name__ == "__main__":
    sys.exit(main())
