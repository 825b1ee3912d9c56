#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles programs with `hilo compile --to object --target aarch64`, links them with aarch64-linux-gnu-gcc, runs them
under qemu-aarch64, and compares the results with those of x86-64.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
sys.path.insert(0, str(HERE))
import modules  # noqa: E402
from command import ROOT, holds, own_environment, run_cases  # noqa: E402

RECORDED = sorted((HERE.parent / "objects" / "programs").glob("*.jax"))
HARNESS = HERE.parent / "objects" / "harness.c"
LIBRARIES = "/usr/aarch64-linux-gnu"
GCC, STRICT = "aarch64-linux-gnu-gcc", ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic")
WORKERS = 2


def run(place, *command):
    done = subprocess.run([str(part) for part in command], cwd=place.folder, capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def compile_object(place, name, options, target="aarch64", *more):
    place.good("compile", *options, "--to", "object", "--target", target, "-o", name, "--test", *more)
    return (place.folder / f"{name}_test.c").read_text()


def wanted(test):
    """The recorded results in a test program."""
    return re.findall(r"static const uint\d+_t (\w+_wanted)\[\] = \{(.*?)\};", test, re.S)


def run_together(place, names):
    """Links all objects with their test programs to one program, and runs it. Returns its output."""
    calls = "".join(f"  if ({name}_main() != 0) ++failed;\n" for name in names)
    declarations = "".join(f"int {name}_main(void);\n" for name in names)
    (place.folder / "all.c").write_text(f"{declarations}int main(void) {{\n  int failed = 0;\n{calls}  return failed != 0;\n}}\n")

    def compiled(name):
        run(place, GCC, *STRICT, "-O0", f"-Dmain={name}_main", "-Wno-missing-prototypes", "-c", f"{name}_test.c", "-o",
            f"{name}_test.o")

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(compiled, names))
    run(place, GCC, "-static", "all.c", *(f"{name}{end}" for name in names for end in (".o", "_test.o")), "-o", "all", "-lm")
    return run(place, "qemu-aarch64", "./all")


def check(place, programs):
    """Runs the programs on AArch64. Results of elementwise ones have the bits of jit on x86-64:v3."""
    arrays = 0

    def one(program):
        options = program.write(place.folder)
        test = compile_object(place, program.name, options)
        if program.elementwise:
            assert wanted(test) == wanted(compile_object(place, f"{program.name}_v3", options, "x86-64:v3")), program.name
        return len(wanted(test))

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        arrays = sum(pool.map(one, programs))
    run_together(place, [program.name for program in programs])
    print(f"{len(programs)} functions with {arrays} results ran under qemu-aarch64")


def recorded_programs(place):
    for path in RECORDED:
        compile_object(place, path.stem, [path, "--random", "3"])
        holds((place.folder / f"{path.stem}.json").read_text(), '"target": "aarch64"')
    names = [path.stem for path in RECORDED]
    run_together(place, names)
    for name in names:  # a position-independent program, with the C library as a shared one
        run(place, GCC, "-pie", "-fPIE", f"{name}_test.c", f"{name}.o", "-o", name, "-lm")
        run(place, "qemu-aarch64", "-L", LIBRARIES, f"./{name}")
    print(f"{len(names)} functions of files of jax.export ran under qemu-aarch64")


def calls_keep_their_promises(place):
    """No allocation, bounded stack, faults as codes, threads with an arena each, parts in any order."""
    for path in RECORDED:
        name = path.stem
        compile_object(place, name, [path])
        manifest = json.loads((place.folder / f"{name}.json").read_text())
        sizes = "".join(f"{array['bytes']}," for array in manifest["arguments"] + manifest["results"])
        run(place, GCC, "-std=c99", "-O1", f"-DMODEL={name}", f"-DPREFIX={name.upper()}", f'-DHEADER="{name}.h"',
            f"-DSIZES={sizes}", "-I.", HARNESS, f"{name}.o", "-o", "harness", "-lm", "-lpthread")
        lines = run(place, "qemu-aarch64", "-L", LIBRARIES, "./harness").splitlines()
        figures = {key: float(value) for key, value in (line.split() for line in lines)}
        assert figures["allocations"] == 0, (name, figures)
        assert figures["repeatable"] == 1 and figures["parallel"] == 1, (name, figures)
        assert figures["faults"] == 0 and figures["threads"] == 0, (name, figures)
        assert figures["stack"] <= manifest["stack_bytes"] + 1024, (name, figures, manifest["stack_bytes"])


def page_runs(place):
    """The commands of docs/ahead_of_time.md."""
    shutil.copy(HERE.parent / "objects/page/pendulum.jax", place.folder)
    [commands] = re.findall(r"^```sh\n(hilo compile [^\n]*aarch64.*?)^```$", (ROOT / "docs/ahead_of_time.md").read_text(), re.M | re.S)
    environment = {**own_environment(), "PATH": f"{place.build / 'bin'}:/usr/bin:/bin"}
    done = subprocess.run(["sh", "-ec", commands], cwd=place.folder, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def operations_of_all_types(place):
    check(place, [modules.operations(kind) for kind in modules.FLOATS + modules.INTEGERS] +
          [modules.complexes(kind) for kind in ("c64", "c128")])


def conversions_between_all_types(place):
    check(place, [modules.conversions(kind) for kind in modules.EVERY])


def sums_products_and_movements(place):
    check(place, [modules.reductions(kind) for kind in modules.FLOATS + ("s8", "s32", "u64")] +
          [modules.movements(kind) for kind in ("f32", "f64", "bf16", "s8", "pred", "s64")] +
          [modules.products(kind) for kind in ("f32", "f64", "bf16", "s32")])


def loops_and_branches(place):
    check(place, [modules.loop(kind, turns) for kind in ("f32", "f64", "s32") for turns in ("known", "unknown")] +
          [modules.scalar_loop(kind) for kind in ("f32", "f64")] + [modules.branches(kind) for kind in ("f32", "s16")])


def random_programs(place):
    check(place, [modules.random_program(seed) for seed in range(40)])


def exact_bits(place):
    """With --exact, all results have the bits of all levels of x86-64, sums and NaNs too."""
    programs = [modules.reductions(kind) for kind in modules.FLOATS]
    programs += [modules.products(kind) for kind in ("f32", "f64", "bf16")]
    programs += [modules.operations(kind) for kind in modules.FLOATS]
    programs += [modules.complexes(kind) for kind in ("c64", "c128")]
    programs += [modules.random_program(seed) for seed in range(100, 110)]
    sources = [(program.name, program.write(place.folder)) for program in programs]
    sources += [(path.stem, [path, "--random", "3"]) for path in RECORDED]
    # The bits of x86-64:v2 are those of the code whose results the test for AArch64 has.
    for name, options in sources:
        test = compile_object(place, name, options, "aarch64", "--exact")
        assert wanted(test) == wanted(compile_object(place, f"{name}_v3", options, "x86-64:v3", "--exact")), name
    run_together(place, [name for name, _ in sources])
    print(f"{len(sources)} functions had the bits of x86-64 under qemu-aarch64")


def test_notices_other_bits(place):
    test = compile_object(place, "rocket", [HERE.parent / "objects/programs/rocket.jax"])
    changed = re.sub(r"(y0_wanted\[\] = \{\n  0x).", r"\g<1>0", test)
    assert changed != test
    (place.folder / "rocket_test.c").write_text(changed)
    run(place, GCC, "-static", *STRICT, "rocket_test.c", "rocket.o", "-o", "test", "-lm")
    done = subprocess.run(["qemu-aarch64", "./test"], cwd=place.folder, capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == "rocket: y0 differs at element 0\n", done


def refusals(place):
    good = ("compile", RECORDED[0], "--to", "object", "-o", "s")
    for target in ("aarch64,x86-64:v3", "x86-64:v3,aarch64", "aarch64:v8", "arm64"):
        holds(place.bad(1, *good, "--target", target), f"'{target}'", "or aarch64")
    assert not (place.folder / "s.o").exists()


CASES = (recorded_programs, calls_keep_their_promises, page_runs, operations_of_all_types,
         conversions_between_all_types, sums_products_and_movements, loops_and_branches, random_programs, exact_bits,
         test_notices_other_bits, refusals)

if __name__ == "__main__":
    sys.exit(run_cases(__doc__, CASES, {}))
