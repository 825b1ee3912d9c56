#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_instances.py [--build TREE] [--table] -- limits the code that each transformed function adds to a user's object
file.

Measures bytes at -O0: only a wrapper should be added, because the library has the common code. Bytes are the same on
every machine, and compile time is proportional to them. Also checks that the headers alone create no code. --table
measures each transformation and its compile time.
"""

import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
F = "[](Array x) { return x; }"
USES = {  # and how many bytes of code one more adds, at most
    "jit": (f"a = jit({F})(a);", 4000),
    "grad": (f"a = grad({F})(a);", 4000),
    "jit(grad(f))": (f"a = jit(grad({F}))(a);", 7500),
    "value_and_grad": (f"a = value_and_grad({F})(a).second;", 4500),
    "vmap": (f"a = vmap({F})(a);", 4500),
    "cond": (f"a = lax::cond(true, {F}, {F}, a);", 4000),
    "while_loop": (f"a = lax::while_loop({F}, {F}, a);", 4000),
    "fori_loop": ("a = lax::fori_loop(0, 3, [](Array, Array x) { return x; }, a);", 3000),
    "fori_loop of unknown bounds": ("a = lax::fori_loop(a, a, [](Array, Array x) { return x; }, a);", 3000),
    "scan": ("a = lax::scan([](Array c, Array x) { return std::pair(c, x); }, a, a).first;", 3000),
    "jvp": (f"a = jvp({F}, std::tuple(a), std::tuple(a)).second;", 6000),
    "vjp": (f"a = vjp({F}, a).first;", 6000),
    "checkpoint": (f"a = checkpoint({F})(a);", 4000),
    "custom_vjp": (f"{{ auto f = custom_vjp({F}); a = f.defvjp([](Array x) {{ return std::pair(x, x); }}, "
                   "[](Array r, Array g) { return std::tuple(g * r); })(a); }", 20500),
    "custom_jvp": (f"a = custom_jvp({F}).defjvps([](Array t, Array, Array) {{ return t; }})(a);", 15000),
}
MORE = 4  # functions in addition to the first


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.table:
            print_table(pathlib.Path(folder), arguments.build)
            return 0
        return check(pathlib.Path(folder), arguments.build)


def check(folder: pathlib.Path, build: pathlib.Path) -> int:
    compile_text(folder, build, '#include "hilo/hilo.h"\nint main() {}\n')
    made = left_in(folder / "one.o")
    for name in made:
        print(f"a file that includes hilo.h and no more has in its object: {name}")
    uses = [use for use, _ in USES.values()]
    limit = sum(most for _, most in USES.values())
    added = (bytes_of(folder, build, uses * (1 + MORE)) - bytes_of(folder, build, uses)) / MORE
    if added > limit:
        print(f"one more of each transformation adds {added:.0f} bytes to an object; wanted at most {limit}. "
              "Which: tools/check_instances.py --table")
    return 1 if made or added > limit else 0


def left_in(compiled: pathlib.Path) -> list[str]:
    """Returns what an object defines in addition to main and constants."""
    names = subprocess.run(["nm", "-C", compiled], capture_output=True, text=True).stdout
    return [line[19:] for line in names.splitlines() if line[17] in "tTWVuBbDd" and not line.endswith(" main")]


def print_table(folder: pathlib.Path, build: pathlib.Path) -> None:
    print(f"{'one more':28} {'bytes':>7} {'at most':>8} {'ms -O0':>7} {'ms -O2':>7}")
    for name, (use, most) in USES.items():
        added = (bytes_of(folder, build, [use] * (1 + MORE)) - bytes_of(folder, build, [use])) / MORE
        times = [milliseconds(folder, build, use, level) for level in ("-O0", "-O2")]
        print(f"{name:28} {added:7.0f} {most:8} {times[0]:7.1f} {times[1]:7.1f}")


def milliseconds(folder: pathlib.Path, build: pathlib.Path, use: str, level: str) -> float:
    """The minimum of three runs, because other programs may run."""
    costs = []
    for uses in ([use], [use] * (1 + MORE)):
        costs.append(min(compile_text(folder, build, text_of(uses), level) for _ in range(3)))
    return (costs[1] - costs[0]) / MORE * 1000


def bytes_of(folder: pathlib.Path, build: pathlib.Path, uses: list[str]) -> int:
    compile_text(folder, build, text_of(uses))
    return int(subprocess.run(["size", folder / "one.o"], capture_output=True, text=True).stdout.split()[6])


def text_of(uses: list[str]) -> str:
    functions = [f"Array f{i}(Array a) {{ {use} return a; }}\n" for i, use in enumerate(uses)]
    return '#include "hilo/core.h"\nusing namespace hilo;\n' + "".join(functions)


def compile_text(folder: pathlib.Path, build: pathlib.Path, text: str, level: str = "-O0") -> float:
    """Returns the processor seconds of the compiler."""
    started = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["g++", "-std=c++20", level, f"-I{ROOT}/src", f"-I{build}/generated", "-c", "-xc++", "-", "-o",
                           folder / "one.o"], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"does not compile:\n{done.stderr}")
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime - started.ru_utime - started.ru_stime


if __name__ == "__main__":
    sys.exit(main())
