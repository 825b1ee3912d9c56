#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unity.py ROOT OUT FILE... -- writes files that each include up to twelve of these sources, so that shared headers are
compiled once.

Sources are included by their names below ROOT. Sources of one such file are in one folder, and a name that one of them
defines for itself isn't used in another. Prints the path of each written file. CMake runs it for each target
(cmake/unity.cmake)."""

import pathlib
import re
import sys
from collections.abc import Iterable

MAX_FILES = 12  # more save little, and one edit compiles all of them
# Definitions at the beginning of a line: types, aliases, macros, functions, constants.
DEFINITION = re.compile(
    r"^(?:(?:class|struct|union|enum(?: class)?) (?:\[\[\w+\]\] )?(\w+)\b(?!;)"
    r"|using (\w+) ="
    r"|(?!return|using|namespace|template|#)[A-Za-z_][\w:<>,&*\[\]. ]*?[ &*](\w+)(?:\(|\[\w*\]| ?[={;]))", re.M)
DIRECTIVE = re.compile(r"^using (?:namespace|enum) [^;]*;", re.M)  # holds for all files behind it
UMBRELLA = re.compile(r'^#include "hilo/\w+\.h"', re.M)  # names types for users otherwise than the library does
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.M | re.S)
MACRO = re.compile(r"^ *#define (\w+)", re.M)
ALIAS = re.compile(r"^using (\w+) = (.*;)$", re.M)
TEXT = re.compile(r'//(?! namespace$).*|R"(\w*)\((?:.|\n)*?\)\1"', re.M)  # comments, raw strings
# Types, constants and calls; no member, no qualified name. A variable hides what others define.
WORD = re.compile(r"(?<![\w.:>])(?:[A-Z]\w*|k[A-Z]\w*|[a-z_]\w*(?=[(<]))")


def main() -> int:
    root, out, *files = map(pathlib.Path, sys.argv[1:])
    for folder, members in by_folder(files).items():
        for number, batch in enumerate(batches(members)):
            text = "".join(f'#include "{file.relative_to(root).as_posix()}"\n' for file in batch)
            path = out / folder.relative_to(root) / f"{number}.cc"
            write_if_new(path, text)
            print(path)
    return 0


def by_folder(files: list[pathlib.Path]) -> dict[pathlib.Path, list[pathlib.Path]]:
    folders = {}
    for file in sorted(files):
        folders.setdefault(file.parent, []).append(file)
    return folders


def batches(files: list[pathlib.Path]) -> list[list[pathlib.Path]]:
    """Adds each source to the first batch with room and the same using-directives, if neither uses a name of the
    other."""
    texts = {file: TEXT.sub("", file.read_text()) for file in files}
    same = same_aliases(texts.values())
    made = []  # (files, names that they define for themselves, words, directives)
    for file, text in texts.items():
        directives = {*DIRECTIVE.findall(text), UMBRELLA.search(text) is not None}
        names = own_names(text) - same
        words = names | set(WORD.findall(text))
        fits = next((batch for batch in made if len(batch[0]) < MAX_FILES and not names & batch[2]
                     and not batch[1] & words
                     and batch[3] == directives), None)
        if fits is None:
            made.append(([file], names, words, directives))
        else:
            fits[0].append(file)
            fits[1].update(names)
            fits[2].update(words)
    return [batch[0] for batch in made]


def own_names(text: str) -> set[str]:
    """Returns names in unnamed namespaces, and macros."""
    unnamed = "".join(UNNAMED.findall(text))
    return {name for groups in DEFINITION.findall(unnamed) for name in groups if name} | set(MACRO.findall(text))


def same_aliases(texts: Iterable[str]) -> set[str]:
    """Returns names that are aliases of the same type in all these files, which may be defined repeatedly."""
    meanings = {}
    for text in texts:
        aliases = dict(ALIAS.findall(text))
        for name, meaning in aliases.items():
            meanings.setdefault(name, set()).add(meaning)
        for name in own_names(text) - aliases.keys():  # a type or function of that name
            meanings.setdefault(name, set()).add("")
    return {name for name, found in meanings.items() if len(found) == 1 and "" not in found}


def write_if_new(path: pathlib.Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    sys.exit(main())
