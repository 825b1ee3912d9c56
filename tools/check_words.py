#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_words.py [ROOT] -- plain English, short lines, no promises in the code, no tests that do not run or that wait.

Comments, docstrings and pages have no phrase of PHRASES and no sentence of more than MAX_WORDS words. A line of code
has at most MAX_COLUMNS columns, unless what is too long is a string or a URL. Prints a count for each folder at the
end.
"""

import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import prose  # noqa: E402
import sources  # noqa: E402

MAX_WORDS = 30
MAX_COLUMNS = 120
CODE = (*sources.CODE, ".py", ".sh")
PROMISES = re.compile(r"\b(TODO|FIXME|XXX|HACK|placeholder|stub)\b", re.IGNORECASE)
IDLE_TESTS = re.compile(r"\b(GTEST_SKIP|DISABLED_\w*|sleep_for|sleep_until|usleep|nanosleep)\b")
NAMES = re.compile(r"\bk(Most|Least|Longest|Fewest)[A-Z]\w*")  # kMax, kMin
PHRASES = {  # a riddle -> what to write
    r"stands? in\b(?! for)": "is defined in, is in",
    r"stands? (?:at|beside|behind)\b": "is at, is next to, follows",
    r"(?:no|some|any|every)body\b": "unused, no caller, another thread, all processes",
    r"so many\b(?! that)": "n, the given number of",
    r"as often as not|(?:if|where) need be\b": "(delete)",
    r"go(?:es)? away\b(?! from)|(?:is|are) gone\b": "is removed",
    r"hand(?:s|ed|ing)? (?:on|over)\b": "passes, forwards",
    r"anew\b": "again; deal anew: reshard",
    r"there (?:is|are) none\b|there (?:aren't|isn't)(?= or\b|[.,;:]|$)": "does not exist, missing",
    r"as (?:it|they) comes?\b": "unchanged",
    r"(?:for|by|of|to|from|with|than|as) who\b|by whom\b|whoever\b": "the caller, the function that",
    r"an own\b": "its own, a separate",
    r"becomes? of\b": "is lowered to, is replaced by",
    r"givers?\b": "alias source",
    r"what it meets\b": "the other operand",
    r"worth it\b": "pays off above N",
    r"beside\b": "next to, compared with",
    r"(?:is|are|was|were) told\b(?! apart)": "receives, is set",
    r"(?<!\|)(?<!; )wanted\b(?!:)": "requested, expected",
    r"goes by\b": "uses, follows",
    r"save (?:that|for|under|where)\b": "except",
}
BANNED = re.compile("|".join(rf"\b(?:{phrase})" for phrase in PHRASES), re.IGNORECASE)
WHO = re.compile(r"(?:^|[.;:] )who\b(?!\.)(?![^.]*\?)", re.IGNORECASE)  # "Who reads it waits": the reader
LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')


def check(root: pathlib.Path) -> list[str]:
    violations = []
    for path in sources.files(root):
        if path.parts[0] in ("src", "tools", "examples", "bench", "tests"):
            if path.suffix in sources.CODE:
                violations += unkept_promises(root, path)
            if path.suffix in CODE:
                violations += long_lines(root, path)
        if path.suffix in (*sources.CODE, ".py", ".md"):
            violations += unclear_text(root, path)
    return violations


def unkept_promises(root: pathlib.Path, path: pathlib.Path) -> list[str]:
    pattern = IDLE_TESTS if path.parts[0] == "tests" else PROMISES
    return [f"{path}:{number}: \"{match[0]}\"" for number, line in enumerate((root / path).read_text().splitlines(), 1)
            if (match := pattern.search(line) or NAMES.search(line))]


def long_lines(root: pathlib.Path, path: pathlib.Path) -> list[str]:
    text = (root / path).read_text()
    raw = prose.raw_lines(text) if path.suffix in sources.CODE else prose.text_lines(text) if path.suffix == ".py" else ()
    return [f"{path}:{number}: {len(line)} columns, at most {MAX_COLUMNS}" for number, line in enumerate(text.splitlines(), 1)
            if len(line) > MAX_COLUMNS and number not in raw and "://" not in line and not is_long_by_a_literal(line, path.suffix)]


def is_long_by_a_literal(line: str, suffix: str) -> bool:
    """Whether only a string makes the line too long. A row of a table (.inc) may be longer, its comment not."""
    comment = prose.COMMENT.match(line) if suffix in sources.CODE else None
    if comment:
        return False
    return suffix == ".inc" or '"""' in line or len(LITERAL.sub('""', line)) <= MAX_COLUMNS


def unclear_text(root: pathlib.Path, path: pathlib.Path) -> list[str]:
    found = []
    for number, text in prose.paragraphs(root / path):
        plain = prose.plain(text)
        for match in (match for pattern in (BANNED, WHO) for match in pattern.finditer(plain)
                      if not match[0].isupper()):
            found.append(
                f"{path}:{number}: \"{match[0].strip()}\" in: {plain[max(0, match.start() - 40):match.end() + 40]}")
        for sentence in prose.sentences(text):
            if prose.words(sentence) > MAX_WORDS:
                found.append(
                    f"{path}:{number}: a sentence of {prose.words(sentence)} words, at most {MAX_WORDS}: {sentence[:80]}")
    return found


def counts(violations: list[str]) -> str:
    """"src 12, docs 3", the largest first."""
    folders = collections.Counter(re.split("[/:]", violation)[0] for violation in violations)
    return ", ".join(f"{folder} {count}" for folder, count in folders.most_common())


if __name__ == "__main__":
    complaints = check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    sys.exit(sources.finish([*complaints, *([counts(complaints)] if complaints else [])]))
