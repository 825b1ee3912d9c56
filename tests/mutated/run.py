#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`hilo run` on HLO texts with seeded mistakes: an error, or what the reference evaluator gives too; never a crash,
more than a second of processor time without an end, or more than 256 MiB.
    HILO_MUTATED_PROGRAMS   how many (default 120)
    HILO_MUTATED_SEED       the first seed (default 0)"""

import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tools")]
import command  # noqa: E402
import npy  # noqa: E402

TEXTS = sorted(path for folder in ("tests/hlo/passes", "tests/fuzz/hlo_text") for path in (ROOT / folder).rglob("*.hlo"))
MEGABYTES = 256
SECONDS = 1  # of processor time; the command then ends with an error by itself, in time that a limit of 3 s leaves it
STOPPED = 130
TYPES = ("pred", "s2", "s4", "s8", "s32", "s64", "u4", "u8", "u64", "f16", "bf16", "f32", "f64", "c64", "c128", "f8e5m2",
         "f8e8m0fnu", "f4e2m1fn", "token", "()")
NUMBERS = ("0", "1", "-1", "2", "7", "64", "255", "65537", "2147483647", "2147483648", "-9223372036854775808",
           "9223372036854775807", "99999999999999999999", "nan", "-inf", "1e400", "")
TOLERANCES = {"f2": 2e-2, "f4": 1e-4, "f8": 1e-10, "c8": 1e-4, "c16": 1e-10}


def mutated(random_: random.Random) -> str:
    text = read(random_.choice(TEXTS))
    other = read(random_.choice(TEXTS))
    for _ in range(random_.choice((1, 1, 1, 2, 3))):
        text = random_.choice(MUTATIONS)(random_, text, other) or text
    return text


def read(path: pathlib.Path) -> str:
    """Without the comments that golden tests are."""
    return "".join(line for line in path.read_text(errors="replace").splitlines(True) if not line.startswith("//"))


def replace_match(random_, text, pattern, choices):
    found = list(re.finditer(pattern, text))
    if not found:
        return text
    match = random_.choice(found)
    return text[: match.start()] + random_.choice(choices) + text[match.end() :]


def number(random_, text, _):
    return replace_match(random_, text, r"(?<![\w.%-])-?\d+(?![\w.])", NUMBERS)


def element_type(random_, text, _):
    return replace_match(random_, text, r"\b(pred|[sufc]\d+|bf16)\b(?=\[)", TYPES)


def opcode(random_, text, other):
    opcodes = re.findall(r"(?<=\s)[a-z][a-z0-9-]*(?=\()", text + other)
    return replace_match(random_, text, r"(?<=\s)[a-z][a-z0-9-]*(?=\()", opcodes or ["add"])


def operand(random_, text, _):
    names = re.findall(r"%[\w.-]+", text)
    return replace_match(random_, text, r"%[\w.-]+", names or ["%x"])


def line(random_, text, other):
    lines, others = text.splitlines(True), other.splitlines(True)
    at = random_.randrange(len(lines) or 1)
    change = random_.choice(("drop", "double", "swap", "foreign"))
    if change == "drop":
        del lines[at : at + 1]
    elif change == "double":
        lines[at:at] = lines[at : at + 1]
    elif change == "swap" and at + 1 < len(lines):
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
    elif others:
        lines.insert(at, random_.choice(others))
    return "".join(lines)


def attribute(random_, text, other):
    attributes = re.findall(r", [a-z_]+=(?:\{[^{}]*\}|[\w.%]+)", text + other)
    if not attributes:
        return text
    if random_.random() < 0.5:
        return replace_match(random_, text, r", [a-z_]+=(?:\{[^{}]*\}|[\w.%]+)", attributes + [""])
    return replace_match(random_, text, r"\)(?=\n|,)", [")" + random_.choice(attributes)])


def character(random_, text, _):
    at = random_.randrange(len(text) or 1)
    change = random_.choice(("drop", "insert", "cut"))
    if change == "drop":
        return text[:at] + text[at + 1 :]
    return text[:at] + (random_.choice("{}()[],=%\"x0-:*/\0") + text[at:] if change == "insert" else "")


MUTATIONS = (number, number, element_type, element_type, opcode, opcode, operand, line, attribute, attribute, character)


def limits():
    resource.setrlimit(resource.RLIMIT_DATA, (MEGABYTES << 20, MEGABYTES << 20))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 2))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(place, engine: str) -> subprocess.CompletedProcess:
    return subprocess.run([place.command, "run", "program.hlo", "--random", "1", "--engine", engine, "--output-dir", engine],
                          cwd=place.folder, capture_output=True, text=True, errors="replace", preexec_fn=limits,
                          stdin=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})


def problem_of(place, text: str) -> tuple[str, bool]:
    """What is wrong, or "", and whether the program ran."""
    (place.folder / "program.hlo").write_text(text)
    for engine in ("cpu", "reference"):
        for file in (place.folder / engine).glob("*"):
            file.unlink()
    done = run(place, "cpu")
    if done.returncode != 0:
        stopped = done.returncode == STOPPED and "CANCELLED" in done.stderr
        polite = done.returncode > 0 and done.returncode != STOPPED and "hilo: " in done.stderr
        return ("" if stopped or polite else f"exit status {done.returncode}: {done.stderr[-300:]}"), False
    wanted = run(place, "reference")
    if wanted.returncode != 0:  # slower, or without code of its own for a custom call: it must say so
        return ("" if "hilo: " in wanted.stderr else f"reference: exit status {wanted.returncode}"), True
    return results_differ(place.folder), True


def results_differ(folder: pathlib.Path) -> str:
    for wanted in sorted((folder / "reference").glob("*.npy")):
        got = folder / "cpu" / wanted.name
        if got.read_bytes() == wanted.read_bytes():
            continue
        try:
            kind = npy.read(wanted)[0]
        except (ValueError, KeyError):
            return f"{wanted.name}: other bytes of a narrow type"
        tolerance = TOLERANCES.get(kind, 0)
        if problem := npy.difference(got, wanted, kind, tolerance, tolerance):
            return problem
    return ""


def mutated_programs_end_in_an_error_or_the_right_answer(place):
    count, begin = (int(os.environ.get(name, default)) for name, default in
                    (("HILO_MUTATED_PROGRAMS", 120), ("HILO_MUTATED_SEED", 0)))
    assert len(TEXTS) >= 40, "the texts to change are not where they were"
    ran, problems = 0, []
    for seed in range(begin, begin + count):
        text = mutated(random.Random(seed))
        problem, did_run = problem_of(place, text)
        ran += did_run
        if problem:
            problems.append(f"seed {seed}: {problem}")
            print(f"{problems[-1]}\n{text}", flush=True)
    print(f"{count} programs, {ran} of them ran")
    assert not problems, f"{len(problems)} of {count}: {problems[:5]}"
    assert ran >= count // 20, "next to none of the programs runs"


def a_planted_hang_is_stopped_with_an_error(place):
    (place.folder / "program.hlo").write_text(ENDLESS)
    done = run(place, "cpu")
    assert done.returncode == STOPPED and "CANCELLED" in done.stderr, f"{done.returncode} {done.stderr}"


def more_memory_than_there_is_is_an_error(place):
    (place.folder / "program.hlo").write_text(HUGE)
    done = run(place, "cpu")
    assert done.returncode not in (0, STOPPED) and "RESOURCE_EXHAUSTED" in done.stderr, f"{done.returncode} {done.stderr}"


ENDLESS = """HloModule endless
condition { c = s32[] parameter(0)
  ROOT p = pred[] compare(c, c), direction=EQ }
body { c = s32[] parameter(0)
  ROOT n = s32[] add(c, c) }
ENTRY e { x = s32[] parameter(0)
  ROOT w = s32[] while(x), condition=condition, body=body }
"""
HUGE = """HloModule huge
ENTRY e { x = f32[] parameter(0)
  b = f32[200000000] broadcast(x), dimensions={}
  ROOT r = f32[200000000] sine(b) }
"""

if __name__ == "__main__":
    sys.exit(command.run_cases(__doc__, (mutated_programs_end_in_an_error_or_the_right_answer,
                                         a_planted_hang_is_stopped_with_an_error,
                                         more_memory_than_there_is_is_an_error), {}))
