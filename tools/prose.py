# SPDX-License-Identifier: Apache-2.0
"""prose.py -- extracts the sentences of a file: C++ and Python comments, Python docstrings and Markdown pages, without
code and headings."""

import ast
import io
import pathlib
import re
import tokenize
from typing import Iterator

CODE_SUFFIXES = (".cc", ".h", ".inc")
COMMENT = re.compile(r'^((?:[^"\'/]|/(?!/)|"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')*?)//+<? ?(.*)$')
RAW = re.compile(r'R"(\w*)\(.*?\)\1"', re.S)
APART = re.compile(r"^(SPDX|NOLINT|clang-format|----|IWYU|====)")
# What begins a paragraph of its own: a list's item, a label ("Errors    ..."), a row of a table, an indented or
# emphasised line.
ITEM = re.compile(r"^\s*(?:[-*+] |\d+[.)] |\||#+ |> |\w[\w<>:, ]* {3,}|\S+ +-- |\s{4,}\S)")
LABEL = re.compile(r"^\s*(?:[-*+] |\d+[.)] |#+ |> )?(?:\w+ {2,})?")
END = re.compile(r"(?<=[.!?;:])[)\"'*_]*\s+(?=[\"'(*_`\[]*\w)|(?<=\w)(?: \| | -- )")
SHORTENED = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|No|Fig|Eq|resp|al)\.$")
Line = tuple[int, str, bool]  # number, text, whether nothing else is in the line
Paragraph = tuple[int, str]  # first line, text


def paragraphs(path: pathlib.Path) -> list[Paragraph]:
    text = path.read_text()
    if path.suffix in CODE_SUFFIXES:
        return joined(comments_of_code(text))
    if path.suffix == ".py":
        return joined(comments_of_python(text))
    return joined(lines_of_page(text)) if path.suffix == ".md" else []


def joined(lines: Iterator[Line]) -> list[Paragraph]:
    """Joins consecutive lines to a paragraph, up to an empty line, a line of code or the next item."""
    found: list[list] = []
    last = -1
    for number, text, alone in lines:
        if found and alone and number == last + 1 and text.strip() and found[-1][1].strip() and not ITEM.match(text):
            found[-1][1] += " " + text.strip()
        else:
            found.append([number, text])
        last = number if alone else -1
    return [(number, text) for number, text in found if text.strip()]


def comments_of_code(text: str) -> Iterator[Line]:
    raw = raw_lines(text)
    for number, line in enumerate(text.splitlines(), 1):
        comment = COMMENT.match(line)
        if comment and number not in raw and not APART.match(comment[2]):
            yield number, comment[2], not comment[1].strip()


def raw_lines(text: str) -> set[int]:
    """Returns the numbers of the C++ lines that contain a part of a raw string."""
    return {line for match in RAW.finditer(text)
            for line in range(text.count("\n", 0, match.start()) + 1, text.count("\n", 0, match.end()) + 2)}


def text_lines(text: str) -> set[int]:
    """Returns the numbers of the Python lines that contain a part of a multi-line string, except docstrings."""
    strings = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type == tokenize.STRING]
    docstrings = {node.body[0].lineno for node in documented(ast.parse(text))}
    return {line for token in strings if token.start[0] < token.end[0] and token.start[0] not in docstrings
            for line in range(token.start[0], token.end[0] + 1)}


def documented(tree: ast.Module) -> list[ast.AST]:
    return [node for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and
            ast.get_docstring(node) is not None]


def comments_of_python(text: str) -> Iterator[Line]:
    lines = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not re.match(r"#(!| SPDX| noqa| ----)", token.string):
            lines.append((token.start[0], re.sub(r"^#+ ?|\s+# noqa.*$", "", token.string), token.line.lstrip().startswith("#")))
    for node in documented(ast.parse(text)):
        first = node.body[0].lineno
        lines += [(first + k, line, True) for k, line in enumerate(node.body[0].value.value.splitlines())]
    return iter(sorted(lines))


def lines_of_page(text: str) -> Iterator[Line]:
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            yield number, "", True
        elif not fenced and not re.match(r"\s*(<|!\[|\|[-: |]+\|$)", line):
            yield number, line, True


def plain(text: str) -> str:
    """Replaces code, links and quoted messages by a word."""
    text = re.sub(r"``.*?``|`[^`]*`", "CODE", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"https?://\S+", "URL", text)
    text = re.sub(r'"[^"]*"', "TEXT", text)
    return re.sub(r"(?:(?:CODE|TEXT|URL)[,/ ]+(?:and |or )?)+(?=CODE|TEXT|URL)", "", text)


def sentences(text: str) -> list[str]:
    """Returns the sentences of a paragraph. A clause after a semicolon or a colon counts as a sentence, and so does a
    cell of a table."""
    found = [""]
    for part in END.split(LABEL.sub("", plain(text), count=1).strip("| ")):
        found[-1] += part or ""
        if not SHORTENED.search(found[-1]):
            found.append("")
        else:
            found[-1] += " "
    return [sentence for sentence in found if sentence]


def words(sentence: str) -> int:
    return sum(bool(re.search(r"[A-Za-z]", word)) for word in sentence.split())
