#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of the public headers' docstrings, `/// Example    EXPRESSION  // RESULT`.

Compiles them, and compares the output of `std::cout << (EXPRESSION)` with RESULT. With --write it puts the output into
the headers instead. Prints "passed CASE" or "failed CASE" for each header; tools/run_tests.py counts them.
"""

import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import ROOT  # noqa: E402

sys.path.insert(0, str(ROOT / "tools"))
import docstring_examples  # noqa: E402
import sources  # noqa: E402
from docstring_examples import Example  # noqa: E402

SOURCE = ROOT / "src"
UMBRELLA = "hilo/hilo.h"
REFERENCE = ROOT / "tools" / "api_reference.py"
# Namespaces that headers need and users don't, as in tools/api_reference.py.
INNER = re.compile(r"(^|::)(\w*detail|calls|flat_call|hlo|engine|cpu)(::|$)")
MOST_USED = 150  # functions of pages and examples, each of which has an example in its docstring
MAX_WITHOUT_EXAMPLE = 8  # of those: functions that read or write files, and the process's configuration
EXAMPLES_PER_PROGRAM = 100  # headers take longer to compile than 100 examples
CALL = re.compile(r"(?<!std::)(?<!\.)(?<!->)\b(\w\w+)(?=[(<])")
DECLARED = re.compile(r"\bauto&? (\w+) =|^(?:(?:inline|static) )*(?!return|else|throw)[\w:<>, ]+[ &*](\w+)\(.*[{,;]$", re.M)  # by a program itself
BEGIN, THROWN, END = "\x1d", "\x1c", "\x1e"  # around what a result line prints; an exception ends it early
Place = tuple[str, int]  # header below src, line


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--file", type=pathlib.Path, action="append", help="a header whose examples to run; default: all public headers")
    parser.add_argument("--write", action="store_true", help="put the printed results into the headers")
    parser.add_argument("--missing", action="store_true", help="list the most used functions without an example, most used first")
    arguments = parser.parse_args()
    if arguments.missing:
        print("\n".join(missing_examples(arguments.build.resolve())))
        return 0
    headers = [path.resolve() for path in arguments.file] if arguments.file else public_headers()
    examples = [example for header in headers for example in docstring_examples.examples_of(header)
                if not INNER.search(example.namespace)]
    problems = problems_of(examples, arguments.build.resolve(), arguments.jobs, arguments.write)
    for header in dict.fromkeys(name_of(example) for example in examples):
        report(header, problems[header])
    if not arguments.file:
        problems["coverage"] = without_example(arguments.build.resolve())
        report("the_most_used_functions_have_an_example", problems["coverage"])
    return 1 if any(problems.values()) else 0


def report(case: str, problems: list[str]) -> None:
    print("\n".join([*problems, f"{'failed' if problems else 'passed'} {case}"]), flush=True)


def name_of(example: Example) -> str:
    return example.header.relative_to(SOURCE).as_posix()


def public_headers() -> list[pathlib.Path]:
    """The headers that hilo.h reaches, each after those that it includes."""
    found: dict[pathlib.Path, None] = {}

    def visit(header: pathlib.Path) -> None:
        if header in found or not header.exists():
            return
        found[header] = None
        for _, _, name in sources.includes(header):
            if name.startswith("hilo/"):
                visit(SOURCE / name)

    visit(SOURCE / UMBRELLA)
    return sorted(found)


# ---- running --------------------------------------------------------------------------------------------------------
def problems_of(examples: list[Example], build: pathlib.Path, jobs: int, write: bool) -> dict[str, list[str]]:
    """What is wrong, by header."""
    problems = collections.defaultdict(list)
    programs = [examples[at:at + EXAMPLES_PER_PROGRAM] for at in range(0, len(examples), EXAMPLES_PER_PROGRAM)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        printed, errors = {}, {}
        for outputs, complaints in pool.map(lambda program: results_of(program, build), programs):
            printed |= outputs
            errors |= complaints
    for example in examples:
        error = errors.get(first_place(example))
        for line in example.results:
            place = (name_of(example), line.number)
            label = f"src/{place[0]}:{line.number}"
            if place not in printed:
                problems[place[0]].append(error or f"{label}: the program ended before it; wanted {line.result!r}")
                break
            elif write:
                put(example.header, line.number, printed[place])
            elif not same(printed[place], line.result):
                problems[place[0]].append(f"{label}: got {printed[place]!r}, wanted {line.result!r}")
    return problems


def results_of(examples: list[Example], build: pathlib.Path) -> tuple[dict[Place, str], dict[Place, str]]:
    """What each result line prints, and what the compiler or an exception says of an example, by its first line.
    Examples that don't compile are left out of a second program."""
    with tempfile.TemporaryDirectory(prefix="hilo_docstrings_") as folder:
        failure = compile_program(examples, build, pathlib.Path(folder))
        errors = {} if failure is None else compiler_errors(examples, failure)
        if failure is not None and not errors:
            return {}, {first_place(example): failure[-2000:] for example in examples}
        if errors:
            examples = [example for example in examples if first_place(example) not in errors]
            if not examples:
                return {}, errors
            if (failure := compile_program(examples, build, pathlib.Path(folder))) is not None:
                return {}, errors | {first_place(example): failure[-2000:] for example in examples}
        done = subprocess.run([f"{folder}/program"], stdout=subprocess.PIPE, text=True, cwd=folder,
                              env={**os.environ, "HILO_CACHE": "off", "HILO_PLATFORM": "Host"})
    printed = {}
    for header, line, text in re.findall(rf"{BEGIN}(\S+) (\d+) ([^{BEGIN}{THROWN}]*?){END}", done.stdout):
        printed[(header, int(line))] = " ".join(text.split())
    for header, first, line, text in re.findall(rf"{THROWN}(\S+) (\d+) (\d+) (.*?){END}", done.stdout, re.S):
        errors[(header, int(first))] = f"src/{header}:{line}: threw {text}"
    return printed, errors


def first_place(example: Example) -> Place:
    return name_of(example), example.lines[0].number


def compile_program(examples: list[Example], build: pathlib.Path, folder: pathlib.Path) -> str | None:
    """What the compiler says, if it fails."""
    source = folder / "program.cc"
    source.write_text(program_of(examples))
    done = subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-w", "-I", SOURCE, "-I", build / "generated", source,
                           "-o", folder / "program", "-L", build / "lib", "-lhilo", "-Wl,-rpath," + str(build / "lib")],
                          capture_output=True, text=True)
    return None if done.returncode == 0 else done.stderr


def program_of(examples: list[Example]) -> str:
    """A function for each example; `#line` makes the compiler name the header's lines."""
    text = f'#include <iostream>\n#include "{UMBRELLA}"\nstatic int at_line = 0;\n'
    for number, example in enumerate(examples):
        namespaces = "using namespace hilo; " + (f"using namespace {example.namespace}; " if example.namespace != "hilo" else "")
        text += f"static void example_{number}() {{ {namespaces}\n"
        text += "\n".join(statements(example)) + "\n}\n"
    text += "int main() {\nstd::cout << std::boolalpha;\n"
    for number, example in enumerate(examples):
        header, line = first_place(example)
        text += (f'try {{ example_{number}(); }} catch (const std::exception& error) {{\n'
                 f'std::cout << "{THROWN}{header} {line} " << at_line << " " << error.what() << "{END}" << std::flush;\n}}\n')
    return text + "}\n"


def statements(example: Example) -> list[str]:
    """The lines of the example; what gives a result is printed between marks."""
    lines, begun = [], []
    for line in example.lines:
        begun.append(line.code)
        if line.result is None and not (line.code.endswith(";") and is_closed("".join(begun))):
            continue
        if line.result is not None:
            begun[0] = f'std::cout << "{BEGIN}{name_of(example)} {line.number} " << ({begun[0]}'
            begun[-1] += f') << "{END}" << std::flush;'
        lines.append(f"at_line = {line.number};")
        lines += [f'#line {line.number - len(begun) + k} "example/{name_of(example)}"\n{code}' for k, code in enumerate(begun, 1)]
        begun = []
    return [*lines, *begun]


def is_closed(code: str) -> bool:
    return sum(map(code.count, "([{")) == sum(map(code.count, ")]}"))


def compiler_errors(examples: list[Example], text: str) -> dict[Place, str]:
    """The first error of each example whose lines the compiler names."""
    first = {(name_of(example), line.number): first_place(example) for example in examples for line in example.lines}
    found: dict[Place, str] = {}
    named = None
    for line in text.splitlines():
        if place := re.search(r"example/(\S+\.(?:h|inc)):(\d+):", line):
            named = (place[1], int(place[2]))
        if named in first and first[named] not in found and (error := re.search(r"error: (.*)", line)):
            found[first[named]] = f"src/{named[0]}:{named[1]}: {error[1]}"
    return found


def same(got: str, wanted: str) -> bool:
    """Words must be equal; numbers may differ in their last digits, because processors differ in vector width."""
    got_words, wanted_words = (re.findall(r"[\[\](){},]|[^\s\[\](){},]+", text) for text in (got, wanted))
    return len(got_words) == len(wanted_words) and all(map(same_word, got_words, wanted_words))


def same_word(a: str, b: str) -> bool:
    try:
        return a == b or abs(float(a) - float(b)) <= 1e-5
    except ValueError:
        return False


def put(header: pathlib.Path, number: int, result: str) -> None:
    lines = header.read_text().splitlines(keepends=True)
    lines[number - 1] = re.sub(r"(\S +// ).*", lambda match: match[1] + result, lines[number - 1])
    header.write_text("".join(lines))


# ---- which functions have an example -------------------------------------------------------------------------------
def without_example(build: pathlib.Path) -> list[str]:
    """The most used functions without an example, if there are more than allowed."""
    missing = missing_examples(build)
    return missing if len(missing) > MAX_WITHOUT_EXAMPLE else []


def missing_examples(build: pathlib.Path) -> list[str]:
    """The most used functions whose docstrings show no result, most used first."""
    done = subprocess.run([REFERENCE, "--examples", "--build", build], capture_output=True, text=True, check=True)
    shown, places = set(), collections.defaultdict(list)
    for line in done.stdout.splitlines():
        name, place, has = line.rsplit(" ", 2)
        places[name].append(place)
        if has == "shown":
            shown.add(name)
    names = most_used(set(places))
    missing = [f"{name} ({', '.join(places[name])}) has no example with its result" for name in names if name not in shown]
    print(f"{len(shown)} of {len(places)} public functions have an example with its result, "
          f"{len(names) - len(missing)} of the {len(names)} most used")
    return missing


def most_used(functions: set[str]) -> list[str]:
    """The functions that the programs of the tutorial, the reference pages, the guides for newcomers and examples/
    call most often, by name without namespace."""
    pages = [page for folder in ("tutorial", "reference", "coming_from") for page in sorted((ROOT / "docs" / folder).glob("*.md"))]
    texts = ["\n".join(re.findall(r"^```cpp\n(.*?)```$", page.read_text(), re.S | re.M)) for page in pages]
    programs = sorted((ROOT / "examples").rglob("*.cc"))
    support = "\n".join(path.read_text() for path in sorted((ROOT / "examples").rglob("*.h")))
    texts += [path.read_text() for path in programs]
    theirs = set(itertools.chain(*DECLARED.findall(support)))
    calls = collections.Counter(name for text in texts for name in CALL.findall(text)
                                if name in functions - theirs - set(itertools.chain(*DECLARED.findall(text))))
    return [name for name, _ in sorted(calls.items(), key=lambda call: (-call[1], call[0]))[:MOST_USED]]


if __name__ == "__main__":
    sys.exit(main())
