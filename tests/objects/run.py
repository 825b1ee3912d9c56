#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles programs with `hilo compile --to object`, links them with C and C++ programs, and runs these.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them. The programs are written by
tests/golden/record_objects.py.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from command import ROOT, holds, own_environment, run_cases  # noqa: E402
from texts import IN_RUNTIME, TEXTS  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = {path.stem: path for path in sorted((HERE / "programs").glob("*.jax"))}
# Programs that call libhilo_rt.a.
WITH_RUNTIME = {**{name: f"{name}.hlo" for name in IN_RUNTIME},
                **{path.stem: path for path in sorted((HERE / "with_runtime").glob("*.jax"))}}
STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic")
# What an object may refer to: the C library's memory functions, and libm's.
ALLOWED = {"memcpy", "memmove", "memset", "fma", "fmaf", "fmod", "fmodf", "acos", "acosh", "asin", "asinh", "atan",
           "atanh", "atan2", "cbrt", "cos", "cosh", "erf", "pow", "sin", "sinh", "tan"}
LEVELS = {"x86-64:v2": (), "x86-64:v3": ("avx2", "fma", "f16c", "bmi2"),
          "x86-64:v4": ("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd")}


def run(place, *command, **options):
    done = subprocess.run([str(part) for part in command], cwd=place.folder, capture_output=True, text=True,
                          timeout=300, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def runtime_library(place):
    return place.build / "lib" / "libhilo_rt.a"


def compile_object(place, name, *options, source=None):
    place.good("compile", source or PROGRAMS[name], "--to", "object", "-o", name, *options)
    return json.loads((place.folder / f"{name}.json").read_text())


def harness(place, name, manifest, *libraries):
    sizes = "".join(f"{array['bytes']}," for array in manifest["arguments"] + manifest["results"])
    run(place, "cc", "-std=c99", "-O1", f"-DMODEL={name}", f"-DPREFIX={name.upper()}", f'-DHEADER="{name}.h"',
        f"-DSIZES={sizes}", "-I.", HERE / "harness.c", f"{name}.o", *libraries, "-o", f"{name}_harness", "-lm", "-lpthread")
    lines = run(place, place.folder / f"{name}_harness").splitlines()
    return {key: float(value) for key, value in (line.split() for line in lines)}


def levels():
    flags = set(re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)[1].split())
    return [level for level, needed in LEVELS.items() if flags.issuperset(needed)]


def same_bits_as_jit(place):
    """The test that --test writes has the results of jit's code, for each level that this machine has."""
    for name in PROGRAMS:
        for level in levels():
            compile_object(place, name, "--target", level, "--test", "--random", "3")
            run(place, "cc", "-std=c99", *STRICT, f"{name}_test.c", f"{name}.o", "-o", "test", "-lm")
            run(place, "./test")


def test_notices_other_bits(place):
    compile_object(place, "rocket", "--test")
    source = place.folder / "rocket_test.c"
    text = source.read_text()
    changed = re.sub(r"(y0_wanted\[\] = \{\n  0x).", r"\g<1>0", text)
    assert changed != text
    source.write_text(changed)
    run(place, "cc", "rocket_test.c", "rocket.o", "-o", "test", "-lm")
    done = subprocess.run("./test", cwd=place.folder, capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == "rocket: y0 differs at element 0\n", done.stdout


def calls_keep_their_promises(place):
    """No allocation, bounded stack, faults as codes, threads with an arena each, parts in any order."""
    for name in PROGRAMS:
        manifest = compile_object(place, name)
        figures = harness(place, name, manifest)
        assert figures["allocations"] == 0, (name, figures)
        assert figures["repeatable"] == 1 and figures["parallel"] == 1, (name, figures)
        assert figures["faults"] == 0 and figures["threads"] == 0, (name, figures)
        # The harness's own frames and the switch of stacks need some, too.
        assert figures["stack"] <= manifest["stack_bytes"] + 1024, (name, figures, manifest["stack_bytes"])
        if name == "moments":
            assert figures["parts"] > 1, figures


def compile_checked(place, name, source, *options, shorter=0):
    """The program checked.c for an object of valgrind's highest level. Its arrays are some bytes too short."""
    manifest = compile_object(place, name, "--target", "x86-64:v3", *options, source=source)
    sizes = "".join(f"{array['bytes'] - shorter}," for array in manifest["arguments"] + manifest["results"])
    run(place, "cc", "-std=c11", "-O1", f"-DMODEL={name}", f"-DPREFIX={name.upper()}", f'-DHEADER="{name}.h"',
        f"-DSIZES={sizes}", "-I.", HERE / "checked.c", f"{name}.o", runtime_library(place), "-o", "checked", "-lm",
        "-lpthread")


def valgrind_finds_nothing(place):
    """16 threads with an arena each: no access outside of arrays, no use of what isn't set, no race."""
    programs = {name: (path, ()) for name, path in PROGRAMS.items()}
    programs |= {name: (source, ("--runtime", "rt")) for name, source in WITH_RUNTIME.items()}
    for name, (source, options) in programs.items():
        compile_checked(place, name, source, *options)
        run(place, "valgrind", "-q", "--error-exitcode=9", "./checked")
        if name in ("rollout", "cnn", "sort_in_loop"):
            run(place, "valgrind", "-q", "--error-exitcode=9", "--tool=helgrind", "./checked")


def valgrind_notices_short_arrays(place):
    compile_checked(place, "policy", PROGRAMS["policy"], shorter=4)
    done = subprocess.run(["valgrind", "-q", "--error-exitcode=9", "./checked"], cwd=place.folder, capture_output=True,
                          text=True)
    assert done.returncode == 9 and "Invalid read" in done.stderr, done.stderr


def only_the_c_library_is_undefined(place):
    for name in PROGRAMS:
        for level in LEVELS:
            manifest = compile_object(place, name, "--target", level)
            undefined = {line.split()[-1] for line in run(place, "nm", "-u", f"{name}.o").splitlines()}
            assert undefined == set(manifest["undefined"]) and undefined <= ALLOWED, (name, undefined)
            visible = {line.split()[-1] for line in run(place, "nm", "-g", "--defined-only", f"{name}.o").splitlines()}
            assert visible == {name, f"{name}_call"}, (name, visible)
            assert manifest["text_bytes"] <= 100_000, (name, manifest["text_bytes"])


def an_object_chooses_its_level(place):
    """Code of several levels has the bits of the highest that the machine has; one that it lacks is never called."""
    for name in ("rocket", "rollout", "moments", "root"):
        for target in ("x86-64:v2,v3", "x86-64:v2,v3,v4"):
            manifest = compile_object(place, name, "--target", target, "--test")
            assert manifest["target"] == target
            run(place, "cc", "-std=c99", *STRICT, f"{name}_test.c", f"{name}.o", "-o", "test", "-lm")
            run(place, "./test")
        figures = harness(place, name, manifest)
        assert figures["allocations"] == 0 and figures["faults"] == 0 and figures["threads"] == 0, (name, figures)
        assert figures["stack"] <= manifest["stack_bytes"] + 1024, (name, figures, manifest["stack_bytes"])
        visible = {line.split()[-1] for line in run(place, "nm", "-g", "--defined-only", f"{name}.o").splitlines()}
        assert visible == {name, f"{name}_call"} and set(manifest["undefined"]) <= ALLOWED, (name, visible)


def header_is_c_and_cxx(place):
    for name in PROGRAMS:
        compile_object(place, name)
    place.good("compile", "types.hlo", "--to", "object", "-o", "types")
    all_of_them = "".join(f'#include "{name}.h"\n' for name in (*PROGRAMS, "types")) * 2
    (place.folder / "all.c").write_text(all_of_them + "int main(void) { return HILO_OK; }\n")
    shutil.copy(place.folder / "all.c", place.folder / "all.cc")
    run(place, "cc", "-std=c99", *STRICT, "-fsyntax-only", "all.c")
    for standard in ("c++98", "c++20"):
        run(place, "c++", f"-std={standard}", "-Wno-long-long", "-Wno-variadic-macros", *STRICT, "-fsyntax-only", "all.cc")


def header_names_what_it_takes(place):
    compile_object(place, "policy")
    header = " ".join((place.folder / "policy.h").read_text().split())
    holds(header, "int policy(const float x0_0_0[12 * 64], const float x0_0_1[64], const float x0_1_0[64 * 64], "
                  "const float x0_1_1[64], const float x0_2_0[64 * 4], const float x0_2_1[4], const float x1[12], "
                  "float y[4], void* arena);", "args[0][2][1]", "float32[64,4]", "POLICY_X0_0_0_BYTES = 3072")
    place.good("compile", "types.hlo", "--to", "object", "-o", "types", "--name", "many")
    header = " ".join((place.folder / "types.h").read_text().split())
    holds(header, "int many(const uint16_t a[2 * 2], const uint8_t class_2[5], const float c[3 * 2], const float* none, "
                  "const uint8_t n[1], float y0[2 * 2], uint8_t y1[5], float y2[3 * 2], float* y3, uint8_t y4[1], "
                  "void* arena);", "bfloat16[2,2]", "bool[5]", "complex64[3]", "are pairs", "are their bits")


def casadi_figures(place, name, source):
    place.good("compile", source, "--to", "object", "-o", name, "--abi", "casadi")
    run(place, "cc", "-std=c99", *STRICT, f"-DMODEL={name}", HERE / "casadi.c", f"{name}.o", "-o", f"{name}_casadi", "-lm")
    figures = {key: float(value) for key, value in map(str.split, run(place, f"./{name}_casadi").splitlines())}
    assert figures["first"] < 1e-6 and figures["second"] < 1e-5 and figures["null"] == 1, (name, figures)
    return figures


def casadi_calls_value_and_derivatives(place):
    """Jacobians have the slopes of the functions, in column-major order, and only entries that may be nonzero."""
    matrix = casadi_figures(place, "matrix", "matrix.hlo")
    assert matrix["in"] == 2 and matrix["out"] == 4 and matrix["elements"] == 14 * 9, matrix
    # A y: 3 of A and 3 of x in each row; y: 2, 1 and 1; the elements of A; the clipped ones.
    assert matrix["entries"] == 2 * 6 + 4 + 6 + 3, matrix
    choice = casadi_figures(place, "choice", "choice.hlo")
    assert choice["entries"] == choice["elements"] == 4, choice
    for name in ("rocket", "arm", "filter"):
        figures = casadi_figures(place, name, PROGRAMS[name])
        assert figures["entries"] <= figures["elements"], figures
    undefined = {line.split()[-1] for line in run(place, "nm", "-u", "arm.o").splitlines()}
    assert undefined == set(json.loads((place.folder / "arm.json").read_text())["undefined"]) <= ALLOWED, undefined


def casadi_second_derivatives_may_be_left_out(place):
    """Those of the filter exceed a limit."""
    done = place.run("compile", PROGRAMS["filter"], "--to", "object", "-o", "filter", "--abi", "casadi",
                     "--hilo_max_instructions", "1000")
    assert done.returncode == 0, done.stderr
    holds(done.stderr, "warning: RESOURCE_EXHAUSTED: left out: jac_jac_filter: ", "too many instructions")
    visible = {line.split()[-1] for line in run(place, "nm", "-g", "--defined-only", "filter.o").splitlines()}
    assert {"filter", "jac_filter", "jac_filter_sparsity_out"} <= visible and "jac_jac_filter" not in visible, visible


def casadi_takes_doubles_only(place):
    holds(place.bad(1, "compile", "types.hlo", "--to", "object", "-o", "t", "--abi", "casadi"), "'a' is bf16[2,2]",
          "wanted float64 of at most 2 dimensions")
    holds(place.bad(1, "compile", "square.hlo", "-o", "s", "--abi", "casadi"), "wanted --to object with it")


def casadi_itself(place):
    """Value, Jacobian and Hessian times vector in CasADi, next to the same function written in CasADi."""
    place.good("compile", "matrix.hlo", "--to", "object", "-o", "matrix", "--abi", "casadi")
    run(place, "cc", "-shared", "matrix.o", "-o", "matrix.so", "-lm")
    (place.folder / "main.py").write_text("""
import casadi as ca
A, x, v = ca.MX.sym("A", 2, 3), ca.MX.sym("x", 3), ca.MX.sym("v", 3)
y = ca.vertcat(x[0] * x[1], x[1] ** 2, ca.sin(x[2]))
own = ca.Function("own", [A, x], [A @ y, y, ca.reshape(A.T, 2, 3).T, ca.fmax(x, 0.5)])
f = ca.external("matrix", "./matrix.so")
assert f.size_in(0) == (2, 3) and f.name_in() == ["A", "x"], f
def results(g):
    outs = g(A, x)
    energy = ca.sumsqr(outs[0]) + ca.sum1(outs[1])
    slope = ca.gradient(energy, x)
    more = [ca.jacobian(outs[1], x), ca.jacobian(outs[0], A), ca.jacobian(outs[2], A), slope, ca.jtimes(slope, x, v)]
    return ca.Function("g", [A, x, v], [*outs, *more])
at = (ca.DM([[1, 2, 3], [-4, 5, 0.5]]), ca.DM([0.3, 0.7, -1.2]), ca.DM([1, -2, 0.5]))
for a, b in zip(results(own)(*at), results(f)(*at)):
    assert a.shape == b.shape and ca.norm_inf(ca.vec(ca.densify(a - b))) < 1e-12, (a, b)
assert results(f).sparsity_out(4).nnz() == 4, results(f).sparsity_out(4)
print("right")
""")
    assert run(place, sys.executable, "main.py").endswith("right\n")


def page_runs_in_casadi(place):
    (place.folder / "model.jax").write_text(TEXTS["choice.hlo"])
    run(place, "sh", "-ec", page("sh")[2], env=page_environment(place))
    (place.folder / "main.py").write_text(f"""
import casadi
x = casadi.MX.sym("x", 2)
{page("python")[1]}
print(casadi.Function("slopes", [x], [jacobian])([1, -2]))
""")
    assert run(place, sys.executable, "main.py").split() == ["[[1,", "0],", "[1,", "0]]"]


def page_links_lapack(place):
    """The command of docs/ahead_of_time.md."""
    [command] = page("text")
    shutil.copy(HERE / "page" / "pendulum.jax", place.folder)
    (place.folder / "main.c").write_text(page("c")[1])
    compile_object(place, "pendulum", "--runtime", "rt", source="pendulum.jax")
    run(place, "sh", "-ec", command, env=page_environment(place))
    assert run(place, "./main") == "after 1 s: angle -0.210\n"


def two_models_in_one_program(place):
    compile_object(place, "square", source="square.hlo")
    place.good("compile", "square.hlo", "--to", "object", "-o", "other", "--grad", "0")
    (place.folder / "both.cc").write_text("""
#include "square.h"
#include "other.h"
int main() {
  const double x[3] = {1, 2, 3}, k[3] = {1, 10, 100};
  double s[1], t[1], slope[3];
  static_assert(SQUARE_ARENA_BYTES == 0 && OTHER_GRAD_X_BYTES == 24, "");
  if (square(x, k, s, nullptr) != HILO_OK || other(x, k, t, slope, nullptr) != HILO_OK) return 1;
  return s[0] == 941 && t[0] == 941 && slope[0] == 2 && slope[1] == 40 && slope[2] == 600 ? 0 : 2;
}
""")
    run(place, "c++", "-std=c++11", *STRICT, "both.cc", "square.o", "other.o", "-o", "both", "-lm")
    run(place, "./both")


def tests_are_named_like_their_files(place):
    """The function, and CasADi's, may have another name than the files."""
    for options in (("--name", "other"), ("--abi", "casadi")):
        compile_object(place, "rocket", "--test", *options)
        run(place, "cc", "-std=c99", *STRICT, "rocket_test.c", "rocket.o", "-o", "test", "-lm")
        run(place, "./test")


def gradients_of_programs_with_several_results(place):
    """The other results, which aren't differentiated, add no arguments."""
    text = (place.folder / "square.hlo").read_text()
    (place.folder / "square.hlo").write_text(text.replace("  ROOT s = f64[] reduce(", "  s = f64[] reduce(").replace(
        "to_apply=add\n", "to_apply=add\n  ROOT r = (f64[], f64[3]) tuple(s, y)\n"))
    manifest = compile_object(place, "square", "--grad", "0", "--test", source="square.hlo")
    assert len(manifest["arguments"]) == 2 and len(manifest["results"]) == 3, manifest
    run(place, "cc", "-std=c99", *STRICT, "square_test.c", "square.o", "-o", "test", "-lm")
    run(place, "./test")


def leaves_have_any_names(place):
    """Names of C's library, of the test program and of types don't clash with parameters."""
    for new, old in (("memory", "x"), ("int32_t", "k"), ("compare", "y")):
        text = (place.folder / "square.hlo").read_text()
        (place.folder / "square.hlo").write_text(re.sub(rf"\b{old}\b", new, text))
    compile_object(place, "square", "--test", source="square.hlo")
    run(place, "cc", "-std=c99", *STRICT, "square_test.c", "square.o", "-o", "test", "-lm")
    run(place, "./test")


def vmap_adds_a_dimension(place):
    place.good("compile", "square.hlo", "--to", "object", "-o", "square", "--vmap", "5", "--grad", "0,1", "--test")
    holds((place.folder / "square.h").read_text(), "const double x[5 * 3]", "double grad_k[5 * 3]")
    run(place, "cc", "-std=c99", *STRICT, "square_test.c", "square.o", "-o", "test", "-lm")
    run(place, "./test")


def refusals_name_op_and_line(place):
    holds(place.bad(1, "compile", "sorted.hlo", "--to", "object", "-o", "s"), "sort 's' (lib/rank.py:12)", "'sort' of hilo's library",
          "Hint: --runtime rt")
    holds(place.bad(1, "compile", "complex.hlo", "--to", "object", "-o", "s"), "tan 'y' (turn.py:3) of c64")
    holds(place.bad(1, "compile", "pivoted.hlo", "--to", "object", "-o", "s", "--runtime", "rt"), "custom-call 'f'",
          "'lapack_sgeqp3_ffi' of hilo's library")
    holds(place.bad(1, "compile", "summed.hlo", "--to", "object", "-o", "s"), "all-reduce 'y'", "the other replicas of 2")
    holds(place.bad(1, "compile", "unbounded.hlo", "--to", "object", "-o", "s", "--realtime"), "while 'w' (halve.py:7)",
          "turns")
    place.good("compile", "unbounded.hlo", "--to", "object", "-o", "s")


def lines_need_no_guard(place):
    """A program whose straight line has a guard becomes one without, if the code behind the guard can't be an object."""
    manifest = compile_object(place, "spread", "--test", source="spread.hlo")
    assert manifest["runtime"] == "none" and manifest["library_calls"] == 0
    run(place, "cc", "-std=c99", *STRICT, "spread_test.c", "spread.o", "-o", "test", "-lm")
    run(place, "./test")


def wrong_options(place):
    good = ("compile", "square.hlo", "--to", "object", "-o", "s")
    holds(place.bad(1, *good, "--name", "2x"), "isn't an identifier of C", "'2x'")
    holds(place.bad(1, *good, "--name", "while"), "isn't an identifier of C")
    holds(place.bad(1, *good, "--target", "x86-64:v5"), "'x86-64:v5'",
          "x86-64:v4, several of these levels in order, such as x86-64:v2,v4, or aarch64")
    holds(place.bad(1, *good, "--grad", "2"), "argument 2 of 2 doesn't exist")
    holds(place.bad(1, "compile", "types.hlo", "--to", "object", "-o", "s", "--grad", "0"), "wanted a scalar of a float")
    holds(place.bad(1, "compile", "square.hlo", "-o", "s", "--grad", "0"), "wanted --to object with it")
    assert not (place.folder / "s.o").exists()


def realtime_prints_the_work(place):
    out = place.good("compile", PROGRAMS["rocket"], "--to", "object", "-o", "rocket", "--realtime")
    assert re.fullmatch(r"rocket: \d+ operations, \d+ bytes read and written, \d+ kernels, 0 loops, 0 library calls, "
                        r"\d+ bytes of arena, at most \d+ of stack\n", out), out
    compile_object(place, "rollout", "--realtime")


def runtime_has_the_bits_of_jit(place):
    """Each function of libhilo_rt.a, linked by a C compiler: bits, levels, no allocation, a bounded stack."""
    called = set()
    for name, source in WITH_RUNTIME.items():
        options = "--runtime", "rt", "--test", "--random", "5"
        for level in levels():
            manifest = compile_object(place, name, "--target", level, *options, source=source)
            run(place, "cc", "-std=c99", *STRICT, f"{name}_test.c", f"{name}.o", runtime_library(place), "-o", "test",
                "-lm")
            run(place, "./test")
        assert manifest["runtime"] == "rt"
        called |= {function for function in manifest["undefined"] if function.startswith("hilo_rt_")}
        figures = harness(place, name, manifest, runtime_library(place))
        assert figures["allocations"] == 0 and figures["repeatable"] == 1, (name, figures)
        assert figures["faults"] == 0 and figures["threads"] == 0, (name, figures)
        assert figures["stack"] <= manifest["stack_bytes"] + 1024, (name, figures, manifest["stack_bytes"])
    table = (ROOT / "src/hilo/backend/cpu/runtime/functions.inc").read_text()
    functions = {f"hilo_rt_{function}" for function in re.findall(r"^HILO_RUNTIME\(\w+, (\w+)\)", table, re.M)}
    assert functions <= called, functions - called


def runtime_needs_nothing(place):
    """libhilo_rt.a defines each function once, has no variables, and refers to the C library and libm only."""
    symbols = [line.split() for line in run(place, "nm", "-P", "-g", runtime_library(place)).splitlines()]
    kinds = {(line[0], line[1]) for line in symbols if len(line) > 1}
    defined = {name for name, kind in kinds if kind in "TW"}
    undefined = {name for name, kind in kinds if kind in "Uw"} - defined
    assert not {kind for _, kind in kinds} - set("TWUwVR"), kinds  # V and R: constants
    assert all(name.startswith(("hilo_rt_", "_Z")) for name in defined), defined
    linked = re.compile(r"[sdcz](gemm|trsm|potrf|getrf|geqrf|orgqr|ungqr|syevd|heevd|gesdd)_")  # if they are there
    undefined -= {name for name, kind in kinds if kind == "w" and linked.fullmatch(name)}
    allowed = re.compile(r"mem(cpy|move|set|cmp)|_GLOBAL_OFFSET_TABLE_|__(mul|div)[sd]c3|"
                         r"c?(a?(cos|sin|tan)h?|atan2|exp|expm1|log|log1p|pow|sqrt|hypot|sincos|abs|arg|cbrt)f?")
    assert all(allowed.fullmatch(name) for name in undefined), undefined


def recorded(place, name):
    """The results in a test program."""
    return re.findall(r"(\w+_wanted)\[\] = \{(.*?)\};", (place.folder / f"{name}_test.c").read_text(), re.S)


def exact_has_the_same_bits(place):
    """With --exact, objects of all levels of this machine, and one that has all of them, return the same bits."""
    programs = {name: (source, ()) for name, source in PROGRAMS.items()}
    programs |= {name: (source, ("--runtime", "rt")) for name, source in WITH_RUNTIME.items()}
    for name, (source, options) in programs.items():
        results = []
        for target in (*levels(), "x86-64:v2,v3,v4"):
            manifest = compile_object(place, name, "--target", target, "--exact", "--test", "--random", "3", *options,
                                      source=source)
            assert manifest["exact"] and manifest["target"] == target, manifest
            results.append(recorded(place, name))
        assert all(other == results[0] for other in results), name
        run(place, "cc", "-std=c99", *STRICT, f"{name}_test.c", f"{name}.o", runtime_library(place), "-o", "test", "-lm")
        run(place, "./test")
    assert not compile_object(place, "rocket")["exact"]


def page(language):
    """The blocks of docs/ahead_of_time.md in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / "docs/ahead_of_time.md").read_text(), re.M | re.S)


def page_environment(place):
    path = f"{place.build / 'bin'}:{pathlib.Path(sys.executable).parent}:/usr/bin:/bin"
    return {**own_environment(), "PATH": path, "LIBRARY_PATH": str(place.build / "lib")}


def page_leads_to_a_running_program(place):
    """All lines of docs/ahead_of_time.md. Without JAX, the file that its script writes is the recorded one."""
    declaration, program = page("c")
    (place.folder / "main.c").write_text(program)
    (place.folder / "export.py").write_text(page("python")[0])
    shutil.copy(HERE / "page" / "pendulum.jax", place.folder)
    has_jax = subprocess.run([sys.executable, "-c", "import jax.export"], capture_output=True).returncode == 0
    commands = page("sh")[0] if has_jax else page("sh")[0].replace("python3 export.py\n", "")
    for block in (commands, page("sh")[1]):
        out = run(place, "sh", "-ec", block, env=page_environment(place))
        assert out == "after 1 s: angle -0.210\n", out
    header = " ".join((place.folder / "pendulum.h").read_text().split())
    holds(header, " ".join(declaration.split()))
    run(place, "cc", "-std=c99", *STRICT, "main.c", "pendulum.o", "-o", "main", "-lm")


def cmake_adds_a_model(place):
    shutil.copy(HERE / "page" / "pendulum.jax", place.folder)
    (place.folder / "main.c").write_text(page("c")[1])
    (place.folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(model C CXX)\n" +
                                                 page("cmake")[0])
    run(place, "cmake", "-S", ".", "-B", "out", f"-Dhilo_DIR={place.build}", env=own_environment())
    run(place, "cmake", "--build", "out", env=own_environment())
    assert run(place, "out/main") == "after 1 s: angle -0.210\n"


def cmake_links_the_runtime(place):
    (place.folder / "main.c").write_text("""
#include "sort.h"
int main(void) {
  static float x[3 * 700], y[3 * 700];
  _Alignas(64) static char arena[SORT_ARENA_BYTES + 1];
  x[0] = 1;
  return sort(x, y, arena) != HILO_OK || y[699] != 1;
}
""")
    (place.folder / "CMakeLists.txt").write_text("""cmake_minimum_required(VERSION 3.25)
project(model C CXX)
find_package(hilo REQUIRED)
hilo_add_model(sort sort.hlo OPTIONS --runtime rt)
add_executable(main main.c)
target_link_libraries(main sort)
""")
    run(place, "cmake", "-S", ".", "-B", "out", f"-Dhilo_DIR={place.build}", env=own_environment())
    run(place, "cmake", "--build", "out", env=own_environment())
    run(place, "out/main")


CASES = (page_leads_to_a_running_program, cmake_adds_a_model, cmake_links_the_runtime, same_bits_as_jit,
         test_notices_other_bits, calls_keep_their_promises, only_the_c_library_is_undefined,
         an_object_chooses_its_level, header_is_c_and_cxx, header_names_what_it_takes, two_models_in_one_program,
         tests_are_named_like_their_files, gradients_of_programs_with_several_results, leaves_have_any_names,
         vmap_adds_a_dimension, refusals_name_op_and_line, lines_need_no_guard, wrong_options,
         realtime_prints_the_work, runtime_has_the_bits_of_jit, runtime_needs_nothing,
         exact_has_the_same_bits,
         casadi_calls_value_and_derivatives, casadi_second_derivatives_may_be_left_out, casadi_takes_doubles_only)
# What a system may lack isn't counted there.
if subprocess.run([sys.executable, "-c", "import casadi"], capture_output=True).returncode == 0:
    CASES += (casadi_itself, page_runs_in_casadi)
if os.path.isabs(subprocess.run(["cc", "-print-file-name=libopenblas.so"], capture_output=True, text=True).stdout):
    CASES += (page_links_lapack,)
if shutil.which("valgrind") and "x86-64:v3" in levels():
    CASES += (valgrind_finds_nothing, valgrind_notices_short_arrays)

if __name__ == "__main__":
    sys.exit(run_cases(__doc__, CASES, TEXTS))
