#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_comments.py [ROOT] -- checks that every source file named in a comment exists.

A comment names a file as `name.cc`, `name.h` or `name.inc`, with any number of its folders. A name with a line, such as
"train.cc:41", is a user's file; a name in <> belongs to another project."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sources  # noqa: E402

COMMENT = re.compile(r'^(?:[^"\']|"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')*?//(.*)')
NAME = re.compile(r"(?<![\w*./<])[\w./]*\w\.(?:cc|h|inc)\b(?!:\d|>|\w)")


def check(root: pathlib.Path) -> list[str]:
    known = sources.ends_of_paths(root)
    violations = []
    for path in sources.code(root, "src", "tests", "tools", "bench", "examples"):
        for number, line in enumerate((root / path).read_text().splitlines(), 1):
            comment = COMMENT.match(line)
            for name in NAME.findall(comment[1]) if comment else ():
                if name not in known:
                    violations.append(f"{path}:{number}: a comment names {name}, which is no file")
    return violations


if __name__ == "__main__":
    sys.exit(sources.finish(check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))))
