# SPDX-License-Identifier: Apache-2.0
"""docstring_examples.py -- reads the examples with a result in docstrings: `/// Example    EXPRESSION  // RESULT`.

An example may have more lines, which are indented. Lines that end in `;` are statements for the expressions after them.
Each line `EXPRESSION  // RESULT` is one result. An example without a result only shows a call.
"""

import dataclasses
import pathlib
import re

FIRST = re.compile(r"^\s*///? ?Example {2,}(.*)$")
NEXT = re.compile(r"^\s*///? {6,}(.*)$")
RESULT = re.compile(r"^(.*\S) +// (.*\S)$")
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{$")
NAMESPACE_END = re.compile(r"^\}  // namespace ([\w:]+)$")


@dataclasses.dataclass(frozen=True)
class Line:
    number: int  # of the header
    code: str
    result: str | None  # None: a part of a statement or of an expression over several lines


@dataclasses.dataclass(frozen=True)
class Example:
    header: pathlib.Path
    namespace: str  # in which the header declares what the docstring belongs to
    lines: tuple[Line, ...]

    @property
    def results(self) -> list[Line]:
        return [line for line in self.lines if line.result is not None]


def examples_of(header: pathlib.Path) -> list[Example]:
    """Returns the examples of a header that have a result, in order."""
    found, namespaces, open_lines = [], [], None
    for number, line in enumerate([*header.read_text().splitlines(), ""], 1):
        first, more = FIRST.match(line), NEXT.match(line)
        if open_lines and not more:
            found.append(Example(header, "::".join(namespaces), tuple(open_lines)))
            open_lines = None
        if first:
            open_lines = [line_of(number, first[1])]
        elif more and open_lines:
            open_lines.append(line_of(number, more[1]))
        if begin := NAMESPACE.match(line):
            namespaces.append(begin[1])
        elif NAMESPACE_END.match(line):
            namespaces.pop()
    return [example for example in found if example.results]


def line_of(number: int, text: str) -> Line:
    shown = RESULT.match(text)
    return Line(number, shown[1], shown[2]) if shown else Line(number, text, None)


def shows_a_result(docstring: str) -> bool:
    """Whether an example in a docstring (without its slashes) has a result."""
    inside = False
    for line in docstring.splitlines():
        inside = line.startswith("Example  ") or (inside and line.startswith("     "))
        if inside and RESULT.match(line):
            return True
    return False
