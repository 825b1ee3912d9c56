# SPDX-License-Identifier: Apache-2.0
"""refusals.py -- the compiler's errors for programs that must not compile: for each case the first error and the number
of lines."""

import collections
import pathlib
import re
import subprocess
import tempfile

Refusal = collections.namedtuple("Refusal", "first lines text")
Message = collections.namedtuple("Message", "kind text lines")


def refusals(compiler: str, head: str, cases: dict[str, str], build: pathlib.Path,
             root: pathlib.Path) -> dict[str, Refusal]:
    """Returns them by case; cases that compile are missing. All cases are one program. If another case has already
    caused the error, in a template that both instantiate, the case is compiled again without the other."""
    found: dict[str, Refusal] = {}
    with tempfile.TemporaryDirectory(prefix="hilo_refused_") as folder:
        here = pathlib.Path(folder)
        (here / "case").mkdir()
        for case, code in cases.items():
            (here / "case" / case).write_text(function_of(case, code))
        while left := [case for case in cases if case not in found]:
            program = here / "refused.cc"
            program.write_text(head + "".join(f'#line 1 "case/{case}"\n{function_of(case, cases[case])}' for case in left))
            limit = "-fmax-errors=0" if "g++" == compiler else "-ferror-limit=0"
            done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", limit, "-Wno-unused-value", "-I", root / "src", "-I",
                                   build / "generated", program], capture_output=True, text=True, cwd=here)
            new = by_case(done.stderr)
            found.update(new)
            if not new.keys() & set(left):
                break
    return found


def function_of(case: str, code: str) -> str:
    return f"void {case}([[maybe_unused]] Array x) {{ {code} }}\n"


def by_case(text: str) -> dict[str, Refusal]:
    """Returns messages by the case that they name. "In file included from" is printed once for several messages of one
    header, and is counted for each, as a user would see it."""
    messages, before, chains = [], [], {}
    for line in text.splitlines():
        place = re.match(r"(\S+?):\d+(?::\d+)?: (?:fatal )?(error|warning|note): (.*)", line)
        if place is None:
            snippet = re.match(r"\s*\d* +\|", line) and messages
            (messages[-1].lines if snippet else before).append(line)
            continue
        if place[2] == "note" and messages:
            messages[-1].lines.extend([*before, line])
        elif place[2] != "note":
            chain = [one for one in before if re.match(r"In file included from|\s+from ", one)]
            chains[place[1]] = chain or chains.get(place[1], [])
            own = [*chains[place[1]], *(one for one in before if one not in chain), line]
            messages.append(Message(place[2], place[3], own))
        before = []
    found: dict[str, Refusal] = {}
    for message in messages:
        case = re.search(r"case/(\w+)", "\n".join(message.lines))
        if case is None or (message.kind == "warning" and case[1] not in found):
            continue
        first, lines, words = found.get(case[1], (message.text, 0, ""))
        found[case[1]] = Refusal(first, lines + len(message.lines), "\n".join([words, *message.lines]).strip())
    return found
