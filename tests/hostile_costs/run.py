#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small programs that mean large ones, through every door of the command: an end, or RESOURCE_EXHAUSTED before memory
is spent.
    HILO_FANS=all   chains of many lengths, through all doors (make fuzz); without it, one length and the main doors"""

import functools
import os
import pathlib
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "support")]
import command  # noqa: E402
import fans  # noqa: E402

BYTES = 768 << 20  # of data, with all that the process has
SECONDS = 20  # of processor time: what takes longer doesn't end
ALL = os.environ.get("HILO_FANS") == "all"
PASSES = ("optimize_remat,lower_extensions,inline_calls,lower_windows,lower_small_linalg,simplify,simplify_conditional,"
          "hoist_invariants,simplify_while,simplify,sink_reductions,turn_products,fold_constants,cse,dce,raise_while,raise_linalg")
DOORS = {"run": ("run", "--random", "1"), "opt": ("opt", f"--passes={PASSES}"), "stablehlo": ("convert", "--to", "stablehlo"),
         "html": ("convert", "--to", "html")}
MORE_DOORS = {"plan": ("plan",), "compile": ("compile", "-o", "program.hilo"), "explain": ("run", "--random", "1", "--explain"),
              "reference": ("run", "--random", "1", "--engine", "reference", "--timeout", "1"),
              **{form: ("convert", "--to", form) for form in ("hlo", "proto", "bytecode", "dot", "svg")}}


def limits():
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(place, arguments, file) -> subprocess.CompletedProcess:
    environment = {**command.own_environment(), "HILO_CACHE": "off", "JAX_PLATFORM_NAME": "Host", "OMP_NUM_THREADS": "1"}
    return subprocess.run([place.command, *arguments, file], cwd=place.folder, capture_output=True, text=True,
                          errors="replace", env=environment, preexec_fn=limits, stdin=subprocess.DEVNULL)


def problem_of(done: subprocess.CompletedProcess) -> str:
    if done.returncode < 0 or done.returncode > 1:
        return f"exit status {done.returncode}: {done.stderr[-200:]}"
    return done.stderr[-200:] if "out of memory" in done.stderr else ""


def chains_end_through_every_door(place, kind):
    file = "fan.mlir" if "functions" in kind else "fan.hlo"
    problems = []
    for levels in (12, 16, 25, 40, 120) if ALL else (40,):
        (place.folder / file).write_text(fans.FANS[kind](levels))
        for name, arguments in {**DOORS, **(MORE_DOORS if ALL else {})}.items():
            if problem := problem_of(run(place, arguments, file)):
                problems.append(f"{levels} levels, {name}: {problem}")
    assert not problems, "\n".join(problems)


def short_chains_run(place):
    """What is rejected is their length, not their form."""
    failed = []
    for kind, text in fans.FANS.items():
        file = "fan.mlir" if "functions" in kind else "fan.hlo"
        (place.folder / file).write_text(text(2))
        done = run(place, ("run", "--random", "1"), file)
        if done.returncode != 0 and kind not in NOT_RUN:
            failed.append(f"{kind}: {done.stderr[-200:]}")
    assert not failed, "\n".join(failed)


def the_reason_has_numbers(place):
    (place.folder / "fan.hlo").write_text(fans.calls(40))
    done = run(place, ("run", "--random", "1"), "fan.hlo")
    assert done.returncode == 1 and "RESOURCE_EXHAUSTED" in done.stderr, done.stderr
    assert "wanted at most 31744 for a program of 124. Hint: " in done.stderr, done.stderr


def a_long_chain_on_the_reference_ends_with_its_time(place):
    (place.folder / "fan.hlo").write_text(fans.calls(40))
    done = run(place, ("run", "--random", "1", "--engine", "reference", "--timeout", "0.2"), "fan.hlo")
    assert done.returncode == 1 and "DEADLINE_EXCEEDED" in done.stderr, f"{done.returncode} {done.stderr}"


NOT_RUN = {"unknown_functions"}  # sizes that nothing says


def case_of(kind):
    case = functools.partial(chains_end_through_every_door, kind=kind)
    case.__name__ = f"{kind}_end_through_every_door"
    return case


if __name__ == "__main__":
    sys.exit(command.run_cases(__doc__, (*map(case_of, fans.FANS), short_chains_run, the_reason_has_numbers,
                                         a_long_chain_on_the_reference_ends_with_its_time), {}))
