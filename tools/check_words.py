#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_words.py [ROOT] -- no promises in the code, no tests that do not run, no tests that wait."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sources  # noqa: E402

PROMISES = re.compile(r"\b(TODO|FIXME|XXX|HACK|placeholder|stub)\b", re.IGNORECASE)
IDLE_TESTS = re.compile(r"\b(GTEST_SKIP|DISABLED_\w*|sleep_for|sleep_until|usleep|nanosleep)\b")


def check(root: pathlib.Path) -> list[str]:
    violations = []
    for path in sources.code(root, "src", "tools", "examples", "bench", "tests"):
        for number, line in enumerate((root / path).read_text().splitlines(), 1):
            pattern = IDLE_TESTS if path.parts[0] == "tests" else PROMISES
            if match := pattern.search(line):
                violations.append(f"{path}:{number}: \"{match[0]}\"")
    return violations


if __name__ == "__main__":
    sys.exit(sources.finish(check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))))
