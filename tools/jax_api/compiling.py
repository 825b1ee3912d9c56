# SPDX-License-Identifier: Apache-2.0
"""Compiles candidate forms: finds the names that exist, then for each call the first candidate that compiles."""

import concurrent.futures
import dataclasses
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RUNTIME = HERE / "runtime"
FLAGS = ["-std=c++20", "-O0", "-fmax-errors=0", "-fno-diagnostics-show-caret", "-fdiagnostics-color=never"]
FORMS_A_FILE = 250
FILE_HEAD = '#include "support.h"\nusing namespace hilo;\nusing namespace hilo::jax_api;\nnamespace forms {\n'
ERROR = re.compile(r"^(.*?):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$")
REQUIRED = re.compile(r"^form/(\d+):\d+:\d+:   (?:recursively )?required from")


class BuildError(Exception):
    """The compiler failed for a reason other than the forms."""


@dataclasses.dataclass
class Tools:
    build: pathlib.Path  # hilo's build tree
    work: pathlib.Path   # what is generated
    compiler: str
    jobs: int

    def flags(self) -> list[str]:
        return [*FLAGS, "-DFMT_SHARED", f"-I{self.work}", f"-I{ROOT}/src", f"-I{self.build}/generated", f"-I{RUNTIME}"]

    def run(self, arguments: list) -> subprocess.CompletedProcess:
        return subprocess.run([self.compiler, *self.flags(), *map(str, arguments)], capture_output=True, text=True,
                              errors="replace")

    def in_parallel(self, function, items: list) -> list:
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(function, items))


def precompile(tools: Tools) -> None:
    done = tools.run(["-x", "c++-header", RUNTIME / "support.h", "-o", tools.work / "support.h.gch"])
    if done.returncode != 0:
        raise BuildError(f"support.h doesn't compile:\n{done.stderr[:2000]}")


# ---- names ----------------------------------------------------------------------------------------------------------
def existing_names(tools: Tools, names: list[str]) -> set[str]:
    """Returns the C++ names (without hilo::) that hilo's headers declare."""
    path = tools.work / "names.cc"
    lines = [f"namespace name_{i} {{ using hilo::{name}; }}" for i, name in enumerate(names)]
    path.write_text('#include "support.h"\n' + "\n".join(lines) + "\n")
    missing = set()
    for line in tools.run(["-fsyntax-only", path]).stderr.splitlines():
        found = ERROR.match(line)
        if found and found[1].endswith("names.cc") and not is_a_member(found[3]):
            missing.add(int(found[2]) - 2)
    return {name for i, name in enumerate(names) if i not in missing}


def is_a_member(message: str) -> bool:
    """Whether a compiler message reports a static member, which `using` can't name outside of a class."""
    return "using-declaration for member at non-class scope" in message


# ---- forms ----------------------------------------------------------------------------------------------------------
def chosen_forms(tools: Tools, candidates: list[list[str]], tell) -> tuple[list[int | None], list[str]]:
    """Returns for each call the number of its first candidate that compiles, and the first message of its first
    candidate."""
    at = [0] * len(candidates)
    messages = [""] * len(candidates)
    good: dict[str, bool] = {}
    first_message: dict[str, str] = {}
    left = list(range(len(candidates)))
    while left:
        bodies = list(dict.fromkeys(candidates[i][at[i]] for i in left if candidates[i][at[i]] not in good))
        tell(f"compiling {len(bodies)} forms of {len(left)} calls")
        failed = failing(tools, bodies)
        first_message.update(failed)
        good.update({body: body not in failed for body in bodies})
        left = advance(left, at, candidates, good, messages, first_message)
    return [i if i < len(candidates[k]) else None for k, i in enumerate(at)], messages


def advance(left: list[int], at: list[int], candidates: list[list[str]], good: dict, messages: list,
            first: dict) -> list:
    """Moves each call to its next candidate that may compile. Returns the calls that are still open."""
    still = []
    for i in left:
        while at[i] < len(candidates[i]) and good.get(candidates[i][at[i]]) is False:
            messages[i] = messages[i] or first[candidates[i][at[i]]]
            at[i] += 1
        if at[i] < len(candidates[i]) and candidates[i][at[i]] not in good:
            still.append(i)
    return still


def failing(tools: Tools, bodies: list[str]) -> dict[str, str]:
    """Returns the bodies that don't compile, each with the compiler's first message."""
    chunks = [list(range(start, min(start + FORMS_A_FILE, len(bodies))))
              for start in range(0, len(bodies), FORMS_A_FILE)]

    def check(chunk: list[int]) -> dict[int, str]:
        found: dict[int, str] = {}
        while True:  # an error inside of a template is reported once, so the rest is compiled again
            path = tools.work / f"check_{chunk[0]}.cc"
            path.write_text(source_of([(i, bodies[i]) for i in chunk if i not in found]))
            more = errors_of(tools.run(["-fsyntax-only", path]))
            if not more:
                return found
            found.update(more)

    found = {}
    for part in tools.in_parallel(check, chunks):
        found.update(part)
    return {bodies[i]: message for i, message in found.items()}


def source_of(forms: list[tuple[int, str]]) -> str:
    parts = [f'#line 1 "form/{i}"\nValue form_{i}([[maybe_unused]] const Inputs& in) {{\n  {body}\n}}\n'
             for i, body in forms]
    return FILE_HEAD + "".join(parts) + "}\n"


def errors_of(done: subprocess.CompletedProcess) -> dict[int, str]:
    """Returns the first message of each failed form. An error in a header belongs to the form that required it."""
    found: dict[int, str] = {}
    form = None
    for line in done.stderr.splitlines():
        required = REQUIRED.match(line)
        if required:
            form = int(required[1])
        error = ERROR.match(line)
        if error:
            if error[1].startswith("form/"):
                form = int(error[1][5:])
            if form is None:
                raise BuildError(line)
            found.setdefault(form, error[3])
    if done.returncode != 0 and not found:
        raise BuildError(done.stderr[-2000:])
    return found


# ---- the program ----------------------------------------------------------------------------------------------------
def link(tools: Tools, forms: list[str]) -> pathlib.Path:
    """Links a program that runs rows by the number of their form."""
    sources = [RUNTIME / name for name in ("main.cc", "values.cc", "compare.cc")]
    for start in range(0, len(forms), FORMS_A_FILE):
        path = tools.work / f"forms_{start}.cc"
        path.write_text(source_of(list(enumerate(forms))[start:start + FORMS_A_FILE]))
        sources.append(path)
    table = tools.work / "table.cc"
    table.write_text(table_of(len(forms)))
    objects = tools.in_parallel(lambda source: compiled(tools, source), [*sources, table])
    program = tools.work / "rows"
    done = tools.run([*objects, "-o", program, f"-L{tools.build}/lib", "-lhilo", f"-Wl,-rpath,{tools.build}/lib"])
    if done.returncode != 0:
        raise BuildError(done.stderr[-3000:])
    return program


def compiled(tools: Tools, source: pathlib.Path) -> pathlib.Path:
    target = tools.work / (source.stem + ".o")
    done = tools.run(["-c", source, "-o", target])
    if done.returncode != 0:
        raise BuildError(f"{source.name}: {done.stderr[:3000]}")
    return target


def table_of(count: int) -> str:
    declared = "".join(f"Value form_{i}(const Inputs&);\n" for i in range(count))
    listed = "".join(f"form_{i}, " for i in range(count))
    return (f'#include "support.h"\nusing namespace hilo::jax_api;\nnamespace forms {{\n{declared}}}\n'
            f"namespace hilo::jax_api {{\nusing namespace forms;\nstatic const Form kForms[] = {{{listed}nullptr}};\n"
            "Form form_of(int64_t number) { return kForms[number]; }\n}\n")
