#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the API reference: every public function, type and constant of hilo/hilo.h with its docstring, by namespace.
`make docs` creates pages of the site from it, which are not files of the repository (tools/site_pages.py).

    api_reference.py --check        lists names without a docstring; exit status 1 if there are any
    api_reference.py --names        lists all names, one per line
    api_reference.py --examples     lists all free functions: name, header:line, and "shown" if an example in its
                                    docstring has a result, else "bare"
    api_reference.py --out DIR      writes the pages as Markdown

libclang reads the headers, so declarations of macros and tables are included. The docstring of a declaration is the
comment behind it or above it. If both are missing, it is the docstring of another overload, or the comment above the
block of lines that contains the declaration. A struct of options needs no docstring: its page names the functions that
take it. This program needs Debian's python3, whose module `clang` is in python3-clang-19.
"""

import argparse
import collections
import dataclasses
import functools
import pathlib
import re
import sys

import clang.cindex as cindex

import docstring_examples

ROOT = pathlib.Path(__file__).resolve().parent.parent
UMBRELLA = "src/hilo/hilo.h"
# Namespaces that headers need and users don't: docs/stability.md.
INNER = re.compile(r"(^|::)(\w*detail|calls|flat_call|hlo|engine|cpu)(::|$)")
# Distributions and their like share the page of the namespace above.
SHARED_PAGES = ("scipy::stats", "scipy::spatial", "scipy::sparse", "scipy::cluster")
FIELD = re.compile(r"^(\w+) {2,}(.*)$")  # "Errors    ...", or of an argument: "mode       ..."

OP_ROW = re.compile(r'HILO_\w*ELEMENTWISE\w*\(\w+, "?([^",]+)"?, (?:\w+, )?\d, (\w+)')  # of hlo/ops/{elementwise,extensions}.inc
TIDYING = (  # how the compiler prints -> how people write
    (r"^((inline|static|extern|constexpr) )+", ""), (r"template <int = 0> ", ""), (r"\bhilo::", ""),
    (r"(, )?(const )?((numpy::)?Line|std::source_location)( &| )\w+ = (numpy::|std::)?(Line|source_location)::current\(\)", ""),
    (r" ([&*]+)(?=\w|\)|,|$|\.)", r"\1 "), (r" (?=[),])", ""),
)

Kind = cindex.CursorKind
FUNCTIONS = (Kind.FUNCTION_DECL, Kind.FUNCTION_TEMPLATE, Kind.CONVERSION_FUNCTION, Kind.CXX_METHOD, Kind.CONSTRUCTOR)
TYPES = (Kind.STRUCT_DECL, Kind.CLASS_DECL, Kind.CLASS_TEMPLATE, Kind.ENUM_DECL, Kind.TYPE_ALIAS_DECL,
         Kind.TYPE_ALIAS_TEMPLATE_DECL, Kind.CONCEPT_DECL)
VALUES = (Kind.VAR_DECL, Kind.FIELD_DECL, Kind.ENUM_CONSTANT_DECL)
ALIASES = (Kind.USING_DECLARATION, Kind.NAMESPACE_ALIAS)
RECORDS = (Kind.STRUCT_DECL, Kind.CLASS_DECL, Kind.CLASS_TEMPLATE)


@dataclasses.dataclass
class Member:
    name: str
    signature: str
    text: str


@dataclasses.dataclass
class Entry:
    namespace: str  # without hilo::
    name: str
    kind: str  # function, type, value
    header: str
    line: int
    signatures: list[str] = dataclasses.field(default_factory=list)
    texts: list[str] = dataclasses.field(default_factory=list)  # docstrings of its own
    block: str = ""  # the comment above the block that contains it
    members: list[Member] = dataclasses.field(default_factory=list)


class ReferenceError(Exception):
    """The headers can't be read."""


# ---- reading the headers --------------------------------------------------------------------------------------------
def entries_of(root: pathlib.Path, build: pathlib.Path) -> list[Entry]:
    unit = parsed(root, build)
    found: dict[tuple[str, str, str], Entry] = {}
    for namespace, cursor in declarations(unit.cursor, root / "src" / "hilo", ()):
        name, kind = cursor.spelling, kind_of(cursor)
        key = (namespace, name, kind)
        if key not in found:
            found[key] = Entry(namespace, name, kind, header_of(cursor, root), cursor.location.line)
        add(found[key], cursor)
    return list(found.values())


def parsed(root: pathlib.Path, build: pathlib.Path) -> cindex.TranslationUnit:
    arguments = ["-x", "c++", "-std=c++20", f"-I{root}/src", f"-I{build}/generated", "-fparse-all-comments"]
    unit = cindex.Index.create().parse(str(root / UMBRELLA), arguments,
                                       options=cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES)
    errors = [str(message) for message in unit.diagnostics if message.severity >= cindex.Diagnostic.Error]
    if errors:
        raise ReferenceError("\n".join(errors[:10]))
    return unit


def declarations(cursor: cindex.Cursor, folder: pathlib.Path, path: tuple[str, ...]):
    """Yields (namespace, cursor) of each public declaration."""
    for child in cursor.get_children():
        file = child.location.file
        if file is None or not pathlib.Path(file.name).is_relative_to(folder):
            continue
        if child.kind == Kind.NAMESPACE:
            inner = (*path, child.spelling)
            if child.spelling and not INNER.search("::".join(inner)):
                yield from declarations(child, folder, inner)
        elif path and child.kind in FUNCTIONS + TYPES + VALUES + ALIASES and is_public(child):
            yield "::".join(path[1:]), child


def is_public(cursor: cindex.Cursor) -> bool:
    """Excludes members defined outside of their class, forward declarations, and specialisations of std's templates."""
    if cursor.semantic_parent != cursor.lexical_parent:
        return False
    return cursor.kind not in RECORDS or cursor.is_definition()


def kind_of(cursor: cindex.Cursor) -> str:
    return "function" if cursor.kind in FUNCTIONS + ALIASES else "type" if cursor.kind in TYPES else "value"


def header_of(cursor: cindex.Cursor, root: pathlib.Path) -> str:
    return pathlib.Path(cursor.location.file.name).relative_to(root / "src").as_posix()


def add(entry: Entry, cursor: cindex.Cursor) -> None:
    signature = signature_of(cursor)
    if signature not in entry.signatures:
        entry.signatures.append(signature)
    text = own_comment(cursor)
    if text and text not in entry.texts:
        entry.texts.append(text)
    entry.block = entry.block or block_comment(cursor)
    if cursor.kind in RECORDS or cursor.kind == Kind.ENUM_DECL:
        entry.members += members_of(cursor)


def members_of(cursor: cindex.Cursor) -> list[Member]:
    hidden = (cindex.AccessSpecifier.PRIVATE, cindex.AccessSpecifier.PROTECTED)
    members = []
    for child in cursor.get_children():
        if child.kind in FUNCTIONS + VALUES and child.access_specifier not in hidden and is_for_users(child.spelling):
            members.append(Member(child.spelling, signature_of(child), own_comment(child)))
    return members


def is_for_users(member: str) -> bool:
    """Excludes the members that HILO_TREE declares, and the field that forces callers to name fields."""
    return not member.startswith("hilo_") and member != "named"


# ---- signatures -----------------------------------------------------------------------------------------------------
def signature_of(cursor: cindex.Cursor) -> str:
    """Returns the declaration as the compiler prints it, without bodies, values of constants and caller locations."""
    if cursor.kind in RECORDS or cursor.kind == Kind.ENUM_DECL:
        return type_head(cursor)
    if cursor.kind in ALIASES:
        return " ".join(token.spelling for token in cursor.get_tokens()).replace(" :: ", "::")
    text = printed(cursor).split("{\n")[0].strip()
    if cursor.kind == Kind.VAR_DECL:
        text = re.split(r" = |\{", text)[0]
    for pattern, wanted in TIDYING:
        text = re.sub(pattern, wanted, text)
    return text.strip()


def type_head(cursor: cindex.Cursor) -> str:
    word = {Kind.CLASS_DECL: "class", Kind.ENUM_DECL: "enum class"}.get(cursor.kind, "struct")
    return f"{word} {cursor.displayname or cursor.spelling}"


@functools.cache
def printer():
    """libclang's function that prints declarations, which Debian's module doesn't wrap."""
    library = cindex.conf.lib
    library.clang_getCursorPrintingPolicy.argtypes = [cindex.Cursor]
    library.clang_getCursorPrintingPolicy.restype = cindex.c_object_p
    library.clang_PrintingPolicy_setProperty.argtypes = [cindex.c_object_p, cindex.c_uint, cindex.c_uint]
    library.clang_getCursorPrettyPrinted.argtypes = [cindex.Cursor, cindex.c_object_p]
    library.clang_getCursorPrettyPrinted.restype = cindex._CXString
    library.clang_PrintingPolicy_dispose.argtypes = [cindex.c_object_p]
    return library


def printed(cursor: cindex.Cursor) -> str:
    library = printer()
    policy = library.clang_getCursorPrintingPolicy(cursor)
    terse, polished = 19, 20  # CXPrintingPolicy_TerseOutput, _PolishForDeclaration
    for option in (terse, polished):
        library.clang_PrintingPolicy_setProperty(policy, option, 1)
    text = cindex._CXString.from_result(library.clang_getCursorPrettyPrinted(cursor, policy))
    library.clang_PrintingPolicy_dispose(policy)
    return text if isinstance(text, str) else text.decode()


# ---- docstrings -----------------------------------------------------------------------------------------------------
@functools.cache
def lines_of(path: str) -> list[str]:
    return pathlib.Path(path).read_text().splitlines()


def own_comment(cursor: cindex.Cursor) -> str:
    """Returns the comment that belongs to this declaration only: behind it or above it."""
    line = lines_of(cursor.location.file.name)[cursor.location.line - 1]
    behind = re.search(r"[;),{}]\s*///?<? (?!NOLINT)(.*)$", line)
    above = plain(cursor.raw_comment.splitlines()) if cursor.raw_comment and "SPDX" not in cursor.raw_comment else ""
    if row := OP_ROW.match(line):
        return f"HLO's `{row[1]}`, element by element.\nTypes    {words_of(row[2])}"
    return "\n".join([behind[1], above]) if behind and behind[1] not in above else above


def words_of(constant: str) -> str:
    """kAnyArray -> any array"""
    return " ".join(re.findall(r"[A-Z][a-z]*", constant)).lower()


def block_comment(cursor: cindex.Cursor) -> str:
    """Returns the comment above the block that contains the declaration; a block has no empty line."""
    lines = lines_of(cursor.location.file.name)
    start = cursor.extent.start.line or cursor.location.line  # 0 for a template by `auto`
    at = min(cursor.location.line, start) - 1
    while at >= 0 and lines[at].strip() and not is_comment(lines[at]):
        at -= 1
    last = at
    while at >= 0 and is_comment(lines[at]):
        at -= 1
    return plain(lines[at + 1:last + 1])


def is_comment(line: str) -> bool:
    """Whether a line is only a comment, except headings and the first lines of a file."""
    return line.lstrip().startswith("//") and not re.match(r"\s*// (----|SPDX|clang-format|[\w/]+\.(h|inc) -- )", line)


def plain(comment: list[str]) -> str:
    return "\n".join(re.sub(r"^\s*//+<? ?", "", line).rstrip() for line in comment).strip()


def text_of(entry: Entry, entries: list[Entry]) -> str:
    """Returns the docstring. For a type without one it lists the functions that use the type; "" without any."""
    if entry.texts or (entry.block and entry.kind != "type"):
        return "\n\n".join(entry.texts) or entry.block
    word = re.compile(rf"\b{re.escape(entry.name)}\b")
    users = [other for other in entries if entry.kind == "type" and other is not entry and
             other.namespace == entry.namespace and any(map(word.search, signatures_in(other)))]
    names = list(dict.fromkeys(f"`{other.name}`" for other in users))
    again = [f"`{signature}`" for signature in entry.signatures if signature.startswith(("using ", "namespace "))]
    return f"Of {', '.join(names)}." if names else entry.block or ", ".join(again)


def signatures_in(entry: Entry) -> list[str]:
    return [*entry.signatures, *(member.signature for member in entry.members)]


# ---- pages ----------------------------------------------------------------------------------------------------------
def pages(entries: list[Entry]) -> dict[str, str]:
    """Markdown by file name, a page for each namespace; "hilo" first."""
    parts = collections.defaultdict(list)
    for entry in entries:
        parts[page_of(entry.namespace)].append(entry)
    return {file_name(page): page_text(page, parts[page], entries) for page in sorted(parts)}


def page_of(namespace: str) -> str:
    return next((shared for shared in SHARED_PAGES if (namespace + "::").startswith(shared + "::")), namespace)


def file_name(page: str) -> str:
    return ("_".join(["hilo", *page.split("::")]) if page else "hilo") + ".md"


def page_text(page: str, members: list[Entry], entries: list[Entry]) -> str:
    title = "hilo" + ("::" + page if page else "")
    lines = [f"# {title}", "", f"From the headers' docstrings. `#include \"hilo/hilo.h\"` brings all of it.", ""]
    for kind, heading in (("function", "Functions"), ("type", "Types"), ("value", "Constants")):
        chosen = sorted((entry for entry in members if entry.kind == kind),
                        key=lambda entry: (entry.namespace, entry.name.lower(), entry.name))
        if chosen:
            lines += [f"## {heading}", ""]
            for entry in chosen:
                lines += entry_lines(entry, page, entries)
    return "\n".join(lines)


def entry_lines(entry: Entry, page: str, entries: list[Entry]) -> list[str]:
    inner = entry.namespace.removeprefix(page).removeprefix("::") if page else entry.namespace
    name = f"{inner}::{entry.name}" if inner else entry.name
    lines = [f"### {escaped(name)}", "", "```cpp", *entry.signatures, "```", ""]
    lines += markdown(text_of(entry, entries))
    members = [f"| `{member.signature.replace('|', chr(92) + '|')}` | {escaped(' '.join(member.text.split()))} |"
               for member in entry.members]
    if members:
        lines += ["| member | |", "|---|---|", *members, ""]
    return [*lines, f"`{entry.header}`", ""]


def markdown(text: str) -> list[str]:
    """A docstring: sentences, then fields by their names; an example is code, whose further lines are indented."""
    lines, column = [], 0  # where the example's code begins; 0 outside of one
    for line in text.splitlines():
        if column and line.startswith("     "):
            lines.append(line[:column].lstrip() + line[column:])
            continue
        if column:
            lines += ["```", ""]
            column = 0
        if not (match := FIELD.match(line.strip())):
            lines.append(escaped(line.strip()))
        elif match[1] == "Example":
            column = match.start(2)
            lines += ["", "Example", "", "```cpp", match[2]]
        else:
            lines += ["", f"- **{match[1]}** {escaped(match[2])}"]
    return [*lines, "```", ""] if column else [*lines, ""]


def escaped(text: str) -> str:
    """Escapes the characters that Markdown interprets, except inside `code`."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") and len(part) > 1 else
                   re.sub(r"([\\*_\[\]#|`])", r"\\\1", part).replace("&", "&amp;").replace("<", "&lt;") for part in parts)


# ---- the command ----------------------------------------------------------------------------------------------------
def without_docstring(entries: list[Entry]) -> list[str]:
    return [f"src/{entry.header}:{entry.line}: {entry.namespace or 'hilo'}::{entry.name} has no docstring"
            for entry in entries if not text_of(entry, entries) and entry.kind != "value"]


def names_of(entry: Entry) -> list[str]:
    """Returns the names without hilo::, including the members of a type."""
    name = f"{entry.namespace}::{entry.name}".removeprefix("::")
    return [name, *(f"{name}::{member.name}" for member in entry.members)]


def functions_of(entries: list[Entry]) -> list[Entry]:
    """Returns free functions, except operators and functions declared by rows of a table: a row has no room for an
    example."""
    rows = {entry.name for entry in entries if entry.header.endswith(".inc")}
    return [entry for entry in entries
            if entry.kind == "function" and entry.name not in rows and not entry.name.startswith("operator")]


def shows_a_result(entry: Entry) -> bool:
    return any(map(docstring_examples.shows_a_result, entry.texts))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--examples", action="store_true")
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    entries = entries_of(arguments.root.resolve(), arguments.build.resolve())
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        for name, text in pages(entries).items():
            (arguments.out / name).write_text(text)
    if arguments.examples:
        print("\n".join(f"{entry.name} src/{entry.header}:{entry.line} {'shown' if shows_a_result(entry) else 'bare'}"
                        for entry in functions_of(entries)))
        return 0
    if arguments.names:
        print("\n".join(name for entry in entries for name in names_of(entry)))
        return 0
    problems = without_docstring(entries) if arguments.check else []
    print("\n".join([*problems, f"{len(entries)} names, {len(problems)} without a docstring"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
