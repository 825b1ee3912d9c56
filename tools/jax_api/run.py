#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts recorded calls of JAX to C++ on hilo, compiles and runs them, and counts. See docs/internal/jax_api.md.

    run.py --rows DIR [--build build] [--module jax.numpy] [--name jax.numpy.sum] [--verbose]

Prints a table by module; with --verbose each failure and its reason; finally "N passed, N failed, N skipped".
"""

import argparse
import collections
import dataclasses
import os
import pathlib
import queue
import subprocess
import sys
import threading

import compiling
import defaults
import records
import spelling

SECONDS_A_ROW = 60


@dataclasses.dataclass
class Outcome:
    row: records.Row
    passed: bool
    why: str | None = ""
    skipped: str = ""  # why the mode has nothing to do


def main() -> int:
    arguments = parsed()
    rows = [row for row in records.read_rows(arguments.rows) if is_wanted(row, arguments)]
    if arguments.defaults:
        rows = defaults.rows_with_defaults(rows)
    if not rows:
        print("no rows; wanted rows_*.jsonl.gz in --rows, and a --name or --module that some row has")
        return 2
    arguments.work.mkdir(parents=True, exist_ok=True)
    tools = compiling.Tools(arguments.build.resolve(), arguments.work.resolve(), arguments.compiler, arguments.jobs)
    outcomes = run(tools, rows, arguments.show, arguments.mode)
    return report(outcomes, arguments)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=pathlib.Path, required=True, help="the folder with rows_*.jsonl.gz")
    parser.add_argument("--build", type=pathlib.Path, default=compiling.ROOT / "build")
    parser.add_argument("--work", type=pathlib.Path, help="where generated files go; default BUILD/jax_api")
    parser.add_argument("--compiler", default=os.environ.get("CXX", "c++"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--module", action="append", default=[], help="only names of this module; may be given again")
    parser.add_argument("--name", action="append", default=[], help="only this name; may be given again")
    parser.add_argument("--id", action="append", default=[], help="only this row; may be given again")
    parser.add_argument("--defaults", action="store_true", help="instead of the rows: each argument of each name by itself, at its default")
    parser.add_argument("--mode", choices=["mapped", "transposed"], default="",
                        help="compare, instead of with JAX: vmap of each call with a loop; or reverse with forward mode")
    parser.add_argument("--verbose", action="store_true", help="print each failure and its reason")
    parser.add_argument("--show", action="store_true", help="print the C++ code of each row")
    arguments = parser.parse_args()
    arguments.work = arguments.work or arguments.build / "jax_api"
    return arguments


def is_wanted(row: records.Row, arguments) -> bool:
    if arguments.id and row.id not in arguments.id:
        return False
    if arguments.name and row.name not in arguments.name:
        return False
    return not arguments.module or module_of(row.name) in arguments.module


def module_of(name: str) -> str:
    """Returns the module under which a name is counted: the longest listed prefix."""
    if name.startswith("array."):
        return "array"
    parts = name.split(".")
    for count in (3, 2, 1):
        module = ".".join(parts[:count])
        if module in MODULES and count < len(parts):
            return module
    return ".".join(parts[:-1])


MODULES = frozenset("""jax.numpy jax.numpy.fft jax.numpy.linalg jax.lax jax.lax.linalg jax.random jax.nn
jax.nn.initializers jax.image jax.ops jax.scipy.cluster jax.scipy.fft jax.scipy.integrate jax.scipy.interpolate
jax.scipy.linalg jax.scipy.ndimage jax.scipy.optimize jax.scipy.signal jax.scipy.sparse jax.scipy.spatial
jax.scipy.special jax.scipy.stats optax optax.losses optax.schedules""".split())


# ---- from rows to outcomes ------------------------------------------------------------------------------------------
def run(tools: compiling.Tools, rows: list[records.Row], show: bool, mode: str) -> list[Outcome]:
    tell("precompiling hilo.h")
    compiling.precompile(tools)
    outcomes, calls = spelled(tools, rows)
    chosen, messages = compiling.chosen_forms(tools, [bodies for _, bodies in calls], tell)
    ready = []
    for (row, bodies), at, message in zip(calls, chosen, messages):
        if at is not None:
            ready.append((row, bodies[at]))
        elif row.fails:  # refused by the compiler, though the name is there
            outcomes.append(Outcome(row, True, skipped="the compiler refuses it, as it should" if mode else ""))
        else:
            outcomes.append(Outcome(row, False, f"does not compile: {message[:300]}\n    {bodies[0]}"))
    if show:
        for row, body in ready:
            print(f"{row.id} {row.name}\n    {body}")
    return outcomes + ran(tools, ready, mode) if ready else outcomes


def spelled(tools: compiling.Tools, rows: list[records.Row]) -> tuple[list[Outcome], list]:
    """Returns the results of rows that can't be written in C++, and the other rows with their candidates."""
    wanted = {name for row in rows for name in probed(row.name)}
    there = compiling.existing_names(tools, sorted(wanted))
    outcomes, calls = [], []
    for row in rows:
        names = probed(row.name)
        if names and not there.intersection(names):
            outcomes.append(Outcome(row, False, f"no such name: {names[0]}"))
            continue
        try:
            bodies = spelling.forms_of(row)
        except spelling.Unspelled as error:
            outcomes.append(Outcome(row, False, str(error)))
            continue
        calls.append((row, [body for body in bodies if uses_no_missing(body, names, there)] or bodies))
    return outcomes, calls


def probed(name: str) -> list[str]:
    """Returns the C++ names of which one must exist for a row of this name."""
    names = spelling.cpp_names(name.removesuffix(".__getitem__"))
    return spelling.cpp_names(name.rpartition(".")[0]) if spelling.is_ufunc_method(name) else names


def uses_no_missing(body: str, names: list[str], there: set[str]) -> bool:
    return not any(name + "(" in body for name in names if name not in there)


def ran(tools: compiling.Tools, ready: list, mode: str) -> list[Outcome]:
    forms = list(dict.fromkeys(body for _, body in ready))
    number = {body: i for i, body in enumerate(forms)}
    tell(f"building {len(forms)} forms")
    program = compiling.link(tools, forms)
    ready = sorted(ready, key=lambda pair: pair[0].data["x64"])
    tell(f"running {len(ready)} rows")
    parts = [ready[i::tools.jobs] for i in range(tools.jobs)]
    lines = [[records.line_of(row, number[body]) for row, body in part] for part in parts]
    verdicts: dict[str, Verdict] = {}
    command = [program, "", mode] if mode else [program, ""]
    for part in tools.in_parallel(lambda i: run_lines(command, tools.work / f"rows_{i}.txt", lines[i]), range(len(parts))):
        verdicts.update(part)
    return [outcome_of(row, body, *verdicts[row.id]) for row, body in ready]


Verdict = tuple[str, str]  # "passed", "failed" or "skipped", and why


def outcome_of(row: records.Row, body: str, word: str, why: str) -> Outcome:
    return Outcome(row, word == "passed", f"{why}\n    {body}", why if word == "skipped" else "")


def run_lines(command: list, path: pathlib.Path, lines: list[str]) -> dict[str, Verdict]:
    """Returns the result of each row. A row that crashes or hangs the program fails; the rest continues."""
    verdicts: dict[str, Verdict] = {}
    while lines:
        path.write_text("".join(lines))
        current = run_once([command[0], path, *command[2:]], verdicts)
        if current is None:
            break
        lines = lines[[line.split(" ", 1)[0] for line in lines].index(current) + 1:]
    return verdicts


def run_once(command: list, verdicts: dict[str, Verdict]) -> str | None:
    """Runs rows until the program ends. Returns the row at which it ended."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               errors="replace", env={**os.environ, "JAX_PLATFORM_NAME": "Host"})
    lines: queue.Queue = queue.Queue()
    threading.Thread(target=pump, args=(process.stdout, lines), daemon=True).start()
    current = None
    while True:
        try:
            line = lines.get(timeout=SECONDS_A_ROW)
        except queue.Empty:
            process.kill()
            process.wait()
            verdicts[current] = "failed", f"no result after {SECONDS_A_ROW} s"
            return current
        if line is None:
            break
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "begin":
            current = rest
        else:
            identity, _, why = rest.partition(" ")
            verdicts[identity] = word, why
            current = None
    process.wait()
    if current is not None:
        verdicts[current] = "failed", f"the program ended with status {process.returncode}"
    return current


def pump(stream, lines: queue.Queue) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


# ---- report ---------------------------------------------------------------------------------------------------------
def report(outcomes: list[Outcome], arguments) -> int:
    skipped = [outcome for outcome in outcomes if outcome.skipped]
    outcomes = sorted((outcome for outcome in outcomes if not outcome.skipped),
                      key=lambda outcome: (outcome.row.name, outcome.row.id))
    if arguments.verbose:
        for why in sorted({outcome.skipped for outcome in skipped}):
            names = [outcome.row.name for outcome in skipped if outcome.skipped == why]
            print(f"skipped {len(names)}: {why}: {', '.join(sorted(set(names)))}")
        for outcome in outcomes:
            if not outcome.passed:
                print(f"failed {outcome.row.name} {outcome.row.id}: {outcome.why}")
    counts = collections.defaultdict(lambda: [0, 0])
    names = collections.defaultdict(lambda: collections.defaultdict(lambda: True))
    for outcome in outcomes:
        module = module_of(outcome.row.name)
        counts[module][0 if outcome.passed else 1] += 1
        names[module][outcome.row.name] &= outcome.passed
    print(f"{'module':24} {'passed':>7} {'failed':>7} {'names':>7} {'whole':>7}")
    for module in sorted(counts):
        whole = sum(names[module].values())
        print(f"{module:24} {counts[module][0]:7} {counts[module][1]:7} {len(names[module]):7} {whole:7}")
    passed = sum(outcome.passed for outcome in outcomes)
    print(f"{passed} passed, {len(outcomes) - passed} failed, {len(skipped)} skipped")
    return 0 if passed == len(outcomes) else 1


def tell(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
