#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs build/bin/hilo: each subcommand's good path, its errors, exit codes, files, dumps and Ctrl-C.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import html.parser
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import ROOT, holds, run_cases  # noqa: E402

PROGRAM = """HloModule axpy

ENTRY main {
  x = f32[4] parameter(0)
  n = s32[3] parameter(1)
  p = pred[8] parameter(2)
  negated = f32[4] negate(x)
  unused = f32[4] add(x, x)
  y = f32[4] negate(negated)
  ROOT r = (f32[4], s32[3], pred[8]) tuple(y, n, p)
}
"""
FOREVER = """HloModule forever

body {
  ROOT i = s32[] parameter(0)
}

condition {
  i = s32[] parameter(0)
  zero = s32[] constant(0)
  ROOT c = pred[] compare(i, zero), direction=GE
}

ENTRY main {
  i = s32[] parameter(0)
  ROOT w = s32[] while(i), condition=condition, body=body
}
"""

SHARED = """module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%a: tensor<512x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
                  %b: tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
      -> (tensor<512x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<512x256xf32>, tensor<256x128xf32>) -> tensor<512x128xf32>
    return %0 : tensor<512x128xf32>
  }
}
"""
ALL_REDUCE = """HloModule sum

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[4] parameter(0)
  total = f32[4] all-reduce(x), replica_groups={}, to_apply=add
  ROOT r = (f32[4], f32[4]) tuple(total, x)
}
"""

DENORMAL = """HloModule denormal

ENTRY main {
  x = f32[] parameter(0)
  half = f32[] constant(0.5)
  ROOT y = f32[] multiply(x, half)
}
"""

NARROW = """HloModule narrow

ENTRY main {
  codes = u8[4] parameter(0)
  x = f8e4m3fn[4] bitcast-convert(codes)
  ROOT y = f8e4m3fn[4] negate(x)
}
"""


def version_and_info_say_what_this_is(place):
    text = place.good("--version")
    holds(text, "hilo ", "CPU ", "ISA ", "threads ", "LLVM ")
    info = place.good("info", "--jax_platform_name=Host", "--jax_replica_count=2")
    assert info.startswith(text)
    holds(info, "BLAS ", "device   Host:0 x86-64", "device   Host:1 ", "memories: device; ")


def isa_that_is_asked_for_is_shown(place):
    holds(place.good("info", "--jax_platform_name=Host", environment={"HILO_ISA": "sse2"}), "ISA      sse2")


def fake_plugin(place, name):
    """A plugin with the reference evaluator behind it, as a package would bring it."""
    path = place.folder / name / "jax_plugins" / "fake" / "plugin.so"
    path.parent.mkdir(parents=True)
    shutil.copy(place.build / "bin" / "tests" / "libfake_plugin.so", path)
    return path


def plugins_of_a_folder_are_listed_with_their_flag(place):
    path = fake_plugin(place, "packages")
    flag = f"--hilo_pjrt_plugins=fake:{path}"
    text = place.good("plugins", place.folder / "packages")
    holds(text, str(path), "PJRT 0.114", "stablehlo_current_version 1.13.0", "fake:0 fake", flag)
    holds(place.good("plugins", place.folder / "packages", environment={"HILO_FAKE_PLUGIN": "none"}), "PJRT 0.114", "has no device here", flag)
    holds(place.good("plugins", place.folder / "packages", environment={"HILO_FAKE_PLUGIN": "abort"}), "ends the process", flag)
    info = place.good("info", flag, "--jax_platform_name=fake")
    holds(info, "BLAS ", "device   fake:0 fake; memories: device; ", "device   fake:1 fake; memories: device; ")
    here = place.good("run", "axpy.hlo", "--random", "1", "--jax_platform_name=Reference").splitlines()
    there = place.good("run", "axpy.hlo", "--random", "1", flag, "--jax_platform_name=fake").splitlines()
    results = [line for line in here if line.startswith("out")]
    assert results and results == [line for line in there if line.startswith("out")], there


def programs_of_a_plugin_are_kept_for_its_file_only(place):
    first, other = (f"--hilo_pjrt_plugins=fake:{fake_plugin(place, name)}" for name in ("first", "other"))
    run = ("run", "axpy.hlo", "--random", "1", "--jax_platform_name=fake")
    cache = {"HILO_CACHE": str(place.folder / "kept")}
    text = place.good(*run, first, environment=cache)
    results = [line for line in text.splitlines() if line.startswith("out")]
    without_compiler = {**cache, "HILO_FAKE_PLUGIN": "throw"}
    again = place.good(*run, first, environment=without_compiler)
    assert results == [line for line in again.splitlines() if line.startswith("out")], again
    holds(place.bad(1, *run, other, environment=without_compiler), "threw: fake plugin: thrown")


def programs_under_test_run_on_the_devices_that_a_plugin_has(place):
    flag = f"--hilo_pjrt_plugins=fake:{fake_plugin(place, 'packages')}"
    text = place.good("check", ROOT / "tests" / "stablehlo" / "checks" / "forms.mlir", flag, "--jax_platform_name=fake")
    holds(text, "6 passed, 0 failed, 0 skipped")


def help_is_there_for_each_subcommand(place):
    holds(place.good("--help"), "run", "opt", "convert", "info", "Exit codes")
    holds(place.good("run", "--help"), "--input", "--random", "--timeout", "--max-memory", "--max-instructions", "jax_enable_x64", "jax_platform_name")
    holds(place.good("opt", "--help"), "--passes", "simplify")
    holds(place.good("bisect", "--help"), "--input", "--random", "--function", "--output", "Exit code 0")
    for name in ("convert", "info", "flags"):
        holds(place.good(name, "--help"), "Usage")


def run_shows_shapes_values_and_time(place):
    holds(place.good("run", "axpy.hlo", "--random", "1"), "out0 = f32[4] {", "out1 = s32[3] {", "out2 = pred[8] {",
          "axpy on Host: compiled in ", "ran in ")
    holds(place.good("run", "axpy.hlo", "--random", "1", "--repeat", "3"), "ran 3 times, fastest ")


def sizes_that_a_program_leaves_open_are_said(place):
    (place.folder / "open.mlir").write_text(
        "func.func @main(%x: tensor<?x2xf32>, %y: tensor<2xf32>) -> tensor<?x2xf32> {\n"
        "  %0 = stablehlo.negate %x : tensor<?x2xf32>\n  return %0 : tensor<?x2xf32>\n}\n")
    holds(place.good("run", "open.mlir", "--random", "1", "--shape", "f32[3,2]"), "out0 = f32[3,2] {")
    holds(place.good("convert", "open.mlir", "--to", "hlo", "--shape", "f32[7,2]"), "f32[7,2]{1,0} negate(")
    holds(place.good("opt", "open.mlir", "--shape", "f32[7,2]"), "f32[7,2]{1,0} negate(")
    place.good("compile", "open.mlir", "-o", "open.hilo", "--shape", "f32[5,2]")
    holds(place.good("run", "open.hilo", "--random", "1"), "out0 = f32[5,2] {")
    hint = "argument 0 has type tensor<?x2xf32> with unknown sizes. Hint: --input a.npy or --shape f32[7]"
    holds(place.bad(1, "run", "open.mlir", "--random", "1"), hint)
    holds(place.bad(1, "plan", "open.mlir"), hint)
    holds(place.bad(1, "run", "open.mlir", "--random", "1", "--shape", "f32[3,4]"), "argument 0: got f32[3,4], wanted tensor<?x2xf32>")
    holds(place.bad(1, "run", "open.mlir", "--random", "1", *("--shape", "f32[2]") * 3), "got 3 arguments; wanted 2")


def run_says_how_much_the_evaluator_runs(place):
    (place.folder / "narrow.hlo").write_text(
        "HloModule narrow\n\nENTRY main {\n  x = s4[8,2] parameter(0)\n  ROOT y = s8[8] bitcast-convert(x)\n}\n")
    holds(place.good("run", "narrow.hlo", "--random", "1"), " ms, instructions run by the reference evaluator: 1\n")
    assert "evaluator" not in place.good("run", "axpy.hlo", "--random", "1")


def random_values_are_the_same_everywhere(place):
    # What the recipe in tools/hilo/random_input.h gives, worked out by a separate program.
    wanted = ["out0 = f32[4] {0.4430163, 0.29940856, 0.098748565, 0.20846951}", "out1 = s32[3] {6, 1, 7}",
              "out2 = pred[8] {true, false, false, false, true, true, true, false}"]
    for engine in ("cpu", "reference"):
        lines = place.good("run", "axpy.hlo", "--random", "7", "--engine", engine).splitlines()
        assert lines[:3] == wanted, lines


def results_of_both_engines_are_equal(place):
    first, second = (place.good("run", "axpy.hlo", "--random", "3", "--engine", engine).splitlines()[:3]
                     for engine in ("cpu", "reference"))
    assert first == second, (first, second)


def denormals_are_kept_unless_flushing_is_asked_for(place):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (), }".ljust(117).encode() + b"\n"
    least = struct.pack("<f", 2.0**-126)
    (place.folder / "least.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + least)
    command = ("run", "denormal.hlo", "--input", "least.npy")
    holds(place.good(*command), "5.877472e-39")
    holds(place.good(*command, environment={"HILO_DENORMALS": "flush"}), "f32[] 0")
    wrong = place.run(*command, environment={"HILO_DENORMALS": "fast"})
    holds(wrong.stdout, "5.877472e-39")
    holds(wrong.stderr, "HILO_DENORMALS: got 'fast'; wanted keep or flush; ignored")


def flushing_leaves_the_denormals_of_narrow_types(place):
    for engine in ("cpu", "reference"):
        text = place.good("run", "narrow.hlo", "--random", "5", "--engine", engine, environment={"HILO_DENORMALS": "flush"})
        holds(text, "f8e4m3fn[4] {-0.017578125, -0.001953125, -0.001953125, -0.00390625}")


def outputs_are_inputs_of_the_next_run(place):
    place.good("run", "axpy.hlo", "--random", "2", "--output-dir", "a/b")
    assert place.files("a/b") == ["out0.npy", "out1.npy", "out2.npy"]
    inputs = [part for i in range(3) for part in ("--input", f"a/b/out{i}.npy")]
    place.good("run", "axpy.hlo", *inputs, "--output-dir", "back")
    place.good("run", "axpy.hlo", *[p.replace("a/b", "back") for p in inputs], "--output-dir", "again")
    for i in range(3):
        assert (place.folder / f"a/b/out{i}.npy").read_bytes() == (place.folder / f"again/out{i}.npy").read_bytes()


def grad_gives_values_and_gradients_of_floating_inputs(place):
    place.good("run", "axpy.hlo", "--random", "2", "--output-dir", "given")
    inputs = [part for i in range(3) for part in ("--input", f"given/out{i}.npy")]
    text = place.good("grad", "axpy.hlo", *inputs, "--output-dir", "gradients")
    holds(text, "out1 = s32[3] {", "grad0 = f32[4] {1, 1, 1, 1}")
    assert place.files("gradients") == ["grad0.npy", "out0.npy", "out1.npy", "out2.npy"]
    holds(place.bad(1, "grad", "axpy.hlo"), "got 0 arrays; wanted 3 arrays")


def bisect_counts_the_ops_on_which_engines_agree(place):
    before = place.files(".")
    assert place.good("bisect", "axpy.hlo", "--random", "3", "--output", "small.hlo") == "engines agree on 3 ops\n"
    assert place.files(".") == before  # there is nothing to write
    place.good("run", "axpy.hlo", "--random", "2", "--output-dir", "given")
    inputs = [part for i in range(3) for part in ("--input", f"given/out{i}.npy")]
    place.good("convert", "--to", "bytecode", "axpy.hlo", "-o", "axpy.mlirbc")
    for program in ("axpy.hlo", "axpy.mlirbc"):
        holds(place.good("bisect", program, *inputs), "engines agree on ")
    holds(place.good("bisect", "axpy.mlirbc", "--function", "main", "--random", "1"), "engines agree on ")
    holds(place.good("bisect", "narrow.hlo", "--random", "1"), "engines agree on 2 ops")


def bisect_goes_into_no_op_with_effects(place):
    (place.folder / "sum.hlo").write_text(ALL_REDUCE)
    assert place.good("bisect", "sum.hlo", "--random", "1") == \
        "engines agree on 0 ops; not compared, because of effects or without arrays: 1\n"


def bisect_refuses_what_it_can_not_run(place):
    holds(place.bad(1, "bisect", "axpy.hlo"), "INVALID_ARGUMENT: axpy: got 0 arguments; wanted 3. Hint: --input")
    place.good("run", "axpy.hlo", "--random", "2", "--output-dir", "out")
    holds(place.bad(1, "bisect", "axpy.hlo", "--input", "out/out1.npy", "--random", "1"),
          "INVALID_ARGUMENT: axpy: argument 0; got s32[3]; wanted f32[4]")
    holds(place.bad(1, "bisect", "nowhere.hlo"), "NOT_FOUND", "nowhere.hlo")
    (place.folder / "bad.hlo").write_text("HloModule m\n\nENTRY main {\n  x = f32[4] paramter(0)\n}\n")
    holds(place.bad(1, "bisect", "bad.hlo"), "bad.hlo:4:")
    holds(place.bad(1, "bisect", "axpy.hlo", "--function", "g", "--random", "1"), "INVALID_ARGUMENT")
    holds(place.bad(2, "bisect", "axpy.hlo", "--ouptut", "x"), "did you mean '--output'?")
    holds(place.bad(2, "bisect", "axpy.hlo", "--random", "x"), "--random")
    place.bad(2, "bisect")


def interrupt_ends_a_bisection_with_130(place):
    os.mkfifo(place.folder / "zero.npy")  # opens when the command reads it, so it is running
    child = subprocess.Popen([place.command, "bisect", "forever.hlo", "--input", "zero.npy"], cwd=place.folder,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    header = "{'descr': '<i4', 'fortran_order': False, 'shape': (), }".ljust(117).encode() + b"\n"
    with open(place.folder / "zero.npy", "wb") as pipe:
        pipe.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<i", 0))
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 130 and out == b"", (child.returncode, out)


def missing_arguments_fail(place):
    holds(place.bad(1, "run", "axpy.hlo"), "INVALID_ARGUMENT: axpy: got 0 arguments; wanted 3. Hint: --input")


def wrong_argument_shape_fails(place):
    place.good("run", "axpy.hlo", "--random", "2", "--output-dir", "out")
    holds(place.bad(1, "run", "axpy.hlo", "--input", "out/out1.npy", "--random", "1"), "INVALID_ARGUMENT", "s32[3]", "f32[4]")


def missing_file_fails(place):
    for command in (("run",), ("opt",), ("convert", "--to", "hlo")):
        holds(place.bad(1, *command, "nowhere.hlo"), "NOT_FOUND", "nowhere.hlo", "No such file")


def text_that_is_no_hlo_fails_with_its_line(place):
    (place.folder / "bad.hlo").write_text("HloModule m\n\nENTRY main {\n  x = f32[4] paramter(0)\n}\n")
    holds(place.bad(1, "opt", "bad.hlo"), "bad.hlo:4:")


def unknown_names_are_wrong_usage_with_the_nearest_name(place):
    holds(place.bad(2, "rnu", "axpy.hlo"), "unknown subcommand: got 'rnu'", "did you mean 'run'?")
    holds(place.bad(2, "run", "axpy.hlo", "--repaet", "2"), "unknown flag: got '--repaet'", "did you mean '--repeat'?")
    holds(place.bad(2, "run", "axpy.hlo", "--jax_enable_x46"), "did you mean '--jax_enable_x64'?")
    holds(place.bad(2, "opt", "axpy.hlo", "--pases=dce"), "did you mean '--passes'?")


def missing_and_wrong_values_are_wrong_usage(place):
    place.bad(2)
    place.bad(2, "run")
    place.bad(2, "run", "axpy.hlo", "--repeat", "0")
    place.bad(2, "run", "axpy.hlo", "--random", "x")
    place.bad(2, "run", "axpy.hlo", "--engine", "gpu")
    place.bad(2, "convert", "axpy.hlo")
    holds(place.bad(2, "run", "axpy.hlo", "--jax_replica_count=zero"), "jax_replica_count")


def what_is_not_there_is_unimplemented(place):
    holds(place.bad(1, "run", "axpy.hlo", "--random", "1", "--jax_xla_backend=xrt"), "UNIMPLEMENTED")


def profile_goes_to_stderr_and_to_files(place):
    done = place.run("run", "axpy.hlo", "--random", "1", "--repeat", "3", "--jax_hlo_profile",
                     environment={"HILO_PROFILE_DIR": "profile"})
    assert done.returncode == 0, done.stderr
    holds(done.stderr, "profile of axpy: ", "GFLOP/s", "pass simplify")
    assert "profile" not in done.stdout, done.stdout
    assert place.files("profile") == ["flame.svg", "profile.json", "profile.txt", "stacks.folded", "trace.json"]
    profile, = json.loads((place.folder / "profile/profile.json").read_text())
    assert profile["module"] == "axpy" and profile["rows"][0]["calls"] == profile["runs"] >= 3, profile
    events = json.loads((place.folder / "profile/trace.json").read_text())["traceEvents"]
    assert len(events) == 1 + len(profile["rows"]) * profile["runs"], events
    assert "profile" not in place.run("run", "axpy.hlo", "--random", "1").stderr


def profile_of_the_reference_has_a_row_for_each_op(place):
    done = place.run("run", "axpy.hlo", "--random", "1", "--engine", "reference", "--jax_hlo_profile")
    assert done.returncode == 0, done.stderr
    holds(done.stderr, "profile of axpy: 1 runs", "negate negated", "negate 'y'")


def replicas_meet_and_show_their_results(place):
    (place.folder / "sum.hlo").write_text(ALL_REDUCE)
    lines = place.good("run", "sum.hlo", "--random", "5", "--jax_replica_count=3").splitlines()
    names = [f"replica{r}.out{i}" for r in range(3) for i in range(2)]
    assert [line.split(" = ")[0] for line in lines[:-1]] == names, lines
    values = dict(line.split(" = ") for line in lines[:-1])
    own = [values[f"replica{r}.out1"] for r in range(3)]
    # Replica r has the arguments of seed 5 + r, and every replica the sum of all.
    for r in range(3):
        alone = place.good("run", "sum.hlo", "--random", str(5 + r)).splitlines()
        assert alone[1] == f"out1 = {own[r]}", (alone, own)
        assert values[f"replica{r}.out0"] == values["replica0.out0"], values
    assert len(set(own)) == 3, own
    place.good("run", "sum.hlo", "--random", "5", "--jax_replica_count=2", "--output-dir", "replicas")
    assert place.files("replicas") == [f"replica{r}.out{i}.npy" for r in range(2) for i in range(2)]
    # A file is every replica's argument.
    lines = place.good("run", "sum.hlo", "--input", "replicas/replica0.out1.npy", "--jax_replica_count=2",
                       "--engine", "reference").splitlines()
    assert lines[1].split(" = ")[1] == lines[3].split(" = ")[1], lines


def a_stated_replica_count_that_nobody_asks_for_runs_one_replica(place):
    text = ALL_REDUCE.replace("HloModule sum", "HloModule sum, replica_count=4")
    for groups in ("{}", "{{0,1},{2,3}}", "mesh['r'=2,'c'=2] {'c'}"):
        (place.folder / "sum.hlo").write_text(text.replace("replica_groups={}", f"replica_groups={groups}"))
        done = place.run("run", "sum.hlo", "--random", "5")
        assert done.returncode == 0, done.stderr
        holds(done.stderr, "sum.hlo: replica_count=4; running one of them", "Hint: --jax_replica_count=4")
        lines = done.stdout.splitlines()
        assert lines[0].split(" = ")[1] == lines[1].split(" = ")[1], lines
        assert len(place.good("run", "sum.hlo", "--random", "5", "--jax_replica_count=4").splitlines()) == 9


def partitions_that_meet_nowhere_run_as_one_program(place):
    text = ALL_REDUCE.replace("HloModule sum", "HloModule sum, num_partitions=2")
    (place.folder / "sum.hlo").write_text(text)
    place.good("run", "sum.hlo", "--random", "5")
    (place.folder / "parts.hlo").write_text(text.replace("replica_groups={}", "replica_groups={}, channel_id=1"))
    holds(place.bad(1, "run", "parts.hlo", "--random", "5"), "UNIMPLEMENTED", "num_partitions=2",
          "all-reduce 'total' communicates between partitions")


def messages_whose_names_begin_as_a_text_does_are_messages(place):
    for length in (9, 10, 13, 32, 33, 34, 35, 47):  # blanks, and what MLIR's texts begin with
        name = "n" * length
        (place.folder / "named.hlo").write_text(f"HloModule {name}\nENTRY main {{\n  ROOT x = f32[3] parameter(0)\n}}\n")
        place.good("convert", "--to", "proto", "named.hlo", "-o", "named.pb")
        holds(place.good("convert", "--to", "hlo", "named.pb"), f"HloModule {name}")


def platform_flag_chooses_the_engine(place):
    holds(place.good("run", "axpy.hlo", "--random", "1", "--jax_platform_name=Reference"), "axpy on Reference")
    holds(place.good("run", "axpy.hlo", "--random", "1", environment={"JAX_PLATFORM_NAME": "Reference"}), "on Reference")
    holds(place.bad(1, "run", "axpy.hlo", "--random", "1", "--jax_platform_name", "Abacus"), "NOT_FOUND", "Host")


def opt_runs_the_passes_named(place):
    holds(place.good("opt", "axpy.hlo", "--passes=lower_extensions"), "unused")
    assert "unused" not in place.good("opt", "axpy.hlo", "--passes=cse,dce")
    assert "unused" not in place.good("opt", "axpy.hlo")
    holds(place.bad(1, "opt", "axpy.hlo", "--passes=dec"), "NOT_FOUND", "did you mean 'dce'?")


def convert_prints_what_reads_back(place):
    text = place.good("convert", "--to", "hlo", "axpy.hlo")
    place.good("convert", "--to", "hlo", "axpy.hlo", "-o", "copy.hlo")
    assert (place.folder / "copy.hlo").read_text() == text
    assert place.good("convert", "--to", "hlo", "copy.hlo") == text


def convert_writes_protos_that_every_subcommand_reads(place):
    text = place.good("convert", "--to", "hlo", "axpy.hlo")
    place.good("convert", "--to", "proto", "axpy.hlo", "-o", "axpy.data")  # known by its content, not its name
    assert place.good("convert", "--to", "hlo", "axpy.data").split("\n\n")[1] == text.split("\n\n")[1]
    assert place.good("opt", "axpy.data").split("\n\n")[1] == place.good("opt", "axpy.hlo").split("\n\n")[1]
    results = [place.good("run", "--random", "1", name).rsplit(" on ", 1)[0] for name in ("axpy.hlo", "axpy.data")]
    assert results[0] == results[1]
    (place.folder / "cut.pb").write_bytes((place.folder / "axpy.data").read_bytes()[:-5])
    assert "cut.pb: HloModuleProto: field" in place.bad(1, "convert", "--to", "hlo", "cut.pb")


def convert_draws(place):
    holds(place.good("convert", "--to", "dot", "axpy.hlo"), "digraph")
    page = place.good("convert", "--to", "html", "axpy.hlo")
    assert len(program_of(page)["computations"][0]["nodes"]) == 7
    holds(place.good("convert", "--to", "svg", "axpy.hlo"), "<svg ", "</svg>")


def convert_draws_what_the_engine_fuses(place):
    assert "kernel" not in place.good("convert", "--to", "dot", "axpy.hlo")
    holds(place.good("convert", "--to", "dot", "--compiled", "axpy.hlo"), 'label="map kernel ')
    regions = [sheet for sheet in program_of(place.good("convert", "--to", "html", "--compiled", "axpy.hlo"))["computations"]
               if sheet["region"]]
    assert len(regions) == 1 and regions[0]["name"].startswith("map kernel "), regions
    assert "unused" not in place.good("convert", "--to", "hlo", "--compiled", "axpy.hlo")


def pictures_of_large_programs_hold_every_node(place):
    count = 10_000
    lines = [f"  v{i} = f32[4] add(v{i - 1}, v{max(0, i - 7)})" for i in range(1, count)]
    text = "HloModule large\n\nENTRY main {\n  v0 = f32[4] parameter(0)\n" + "\n".join(lines) + "\n}\n"
    (place.folder / "large.hlo").write_text(text)
    page = place.good("convert", "--to", "html", "large.hlo")
    assert len(program_of(page)["computations"][0]["nodes"]) == count
    assert page.count("<") < 200  # nodes are data; the script draws those in view


def program_of(page: str) -> dict:
    """The data of a picture, whose tags must be balanced."""
    class Reader(html.parser.HTMLParser):
        def __init__(self):
            super().__init__()
            self.open, self.data = [], ""

        def handle_starttag(self, tag, attributes):
            if tag not in ("meta", "input"):
                self.open.append((tag, dict(attributes).get("type")))

        def handle_endtag(self, tag):
            assert self.open.pop()[0] == tag, tag

        def handle_data(self, data):
            if self.open and self.open[-1] == ("script", "application/json"):
                self.data += data

    assert "http" not in page
    reader = Reader()
    reader.feed(page)
    assert reader.open == [], reader.open
    return json.loads(reader.data)


def flags_page_is_the_table(place):
    assert place.good("flags", "--markdown") == (ROOT / "docs" / "flags.md").read_text()


def dumps_are_numbered_and_never_overwritten(place):
    flags = [f"--jax_dump_hlo_{kind}=d" for kind in ("unoptimized", "optimized", "per_pass")]
    for _ in range(2):
        place.good("run", "axpy.hlo", "--random", "1", *flags)
    for stage in ("unoptimized", "optimized"):
        wanted = [f"{number}.axpy.{stage}.{form}" for number in ("0000", "0001") for form in ("hlo", "hlo.pb")]
        assert place.files(f"d/hlo_{stage}") == wanted
    assert len(place.files("d/hlo_per_pass")) >= 6  # text, message and page of each
    assert "index.html" in place.files("d/hlo_per_pass")
    holds((place.folder / "d/hlo_unoptimized/0000.axpy.unoptimized.hlo").read_text(), "unused")
    assert "unused" not in (place.folder / "d/hlo_optimized/0000.axpy.optimized.hlo").read_text()
    text = place.good("opt", "d/hlo_optimized/0000.axpy.optimized.hlo")
    assert place.good("opt", "d/hlo_optimized/0000.axpy.optimized.hlo.pb").split("ENTRY")[1] == text.split("ENTRY")[1]


def dump_folder_that_cannot_be_made_is_a_warning(place):
    done = place.run("run", "axpy.hlo", "--random", "1", "--jax_dump_hlo_per_pass=axpy.hlo")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("dumps to axpy.hlo/hlo_per_pass are off") == 1, done.stderr


def unwritable_output_fails(place):
    holds(place.bad(1, "convert", "--to", "hlo", "axpy.hlo", "-o", "nowhere/x.hlo"), "nowhere/x.hlo")


def interrupted(place, program: str, kind: str, stage: str):
    """Starts the program, sends SIGINT once the dump of that kind and stage is there; it must end with 130 and leave no
    result. The program never ends by itself."""
    child = subprocess.Popen([place.command, "run", program, "--random", "1", "--output-dir", "out",
                              f"--jax_dump_hlo_{kind}=d"], cwd=place.folder, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    while not list((place.folder / "d" / f"hlo_{kind}").glob(f"*.{stage}.hlo")):
        assert child.poll() is None, child.communicate()
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 130, child.returncode
    assert out == b"" and not (place.folder / "out").exists(), out
    for dump in place.folder.glob("d/*/*.hlo"):
        assert dump.read_text().endswith("}\n"), f"half a file: {dump}"


def interrupt_ends_a_program_at_its_start_with_130(place):
    interrupted(place, "forever.hlo", "unoptimized", "unoptimized")


def interrupt_ends_a_running_program_with_130(place):
    interrupted(place, "forever.hlo", "optimized", "optimized")


def interrupt_ends_code_generation_with_130(place):
    (place.folder / "long.hlo").write_text(long_to_compile())
    interrupted(place, "long.hlo", "per_pass", "simplify")  # the passes left take milliseconds


def long_to_compile() -> str:
    """Seconds of code generation, and if that should have ended, a loop without end."""
    functions = ("sine", "exponential", "tanh", "cosine")
    lines, total = ["  x = f32[64] parameter(0)", "  zero = f32[] constant(0)", "  s0 = f32[] constant(0)"], "s0"
    for chain in range(400):
        value = "x"
        for step in range(6):
            lines.append(f"  v{chain}_{step} = f32[64] {functions[chain >> step & 3]}({value})")
            value = f"v{chain}_{step}"
        lines.append(f"  r{chain} = f32[] reduce({value}, zero), dimensions={{0}}, to_apply=sum")
        lines.append(f"  s{chain + 1} = f32[] add({total}, r{chain})")
        total = f"s{chain + 1}"
    body = "\n".join(lines)
    return f"""HloModule long

sum {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}}

body {{
  ROOT i = f32[] parameter(0)
}}

condition {{
  i = f32[] parameter(0)
  ROOT c = pred[] compare(i, i), direction=EQ
}}

ENTRY main {{
{body}
  ROOT w = f32[] while({total}), condition=condition, body=body
}}
"""


def programs_that_need_too_much_memory_fail(place):
    (place.folder / "temporary.hlo").write_text(
        "HloModule large\nENTRY main {\n  x = f32[] parameter(0)\n  y = f32[600000000] broadcast(x), dimensions={}\n"
        "  ROOT z = f32[600000000] sine(y)\n}\n")
    (place.folder / "argument.hlo").write_text("HloModule large\nENTRY main {\n  ROOT x = f32[600000000] parameter(0)\n}\n")
    for program in ("temporary.hlo", "argument.hlo"):
        for engine in ("cpu", "reference"):
            text = place.bad(1, "run", program, "--random", "1", "--output-dir", "out", "--engine", engine,
                             address_space=2 << 30)
            holds(text, "RESOURCE_EXHAUSTED", "out of memory; wanted 2.24 GiB", "limited to 2.00 GiB")
            assert not (place.folder / "out").exists()


def what_is_no_program_is_not_read_to_its_end(place):
    for command in (("run",), ("check",), ("convert", "--to", "hlo")):
        text = place.run(*command, "/dev/zero", address_space=2 << 30)
        assert text.returncode == 1 and "wanted HLO text" in text.stdout + text.stderr, text


def a_full_file_is_an_error_and_leaves_nothing(place):
    before = place.files(".")
    done = place.run("convert", "--to", "html", "axpy.hlo", "-o", "page.html", file_size=100)
    assert done.returncode == 1 and "RESOURCE_EXHAUSTED" in done.stderr and "File too large" in done.stderr, done
    assert place.files(".") == before, place.files(".")


def control_characters_of_names_reach_no_terminal(place):
    (place.folder / "title.hlo").write_bytes(b"HloModule m\n\nENTRY e {\n  ROOT \x1b]0;owned\x07 = f32[] constant(1)\n}\n")
    assert "\x1b" not in place.bad(1, "run", "title.hlo")
    holds(place.bad(1, "run", "\x1b[2J.hlo"), "\\x1b[2J.hlo: No such file")
    (place.folder / "line.hlo").write_bytes(
        b"HloModule m\n\nENTRY e {\n  x = f32[] parameter(0)\n"
        b'  ROOT n = f32[] negate(x), metadata={source_file="c\x1b]0;owned\x07.py" source_line=3}\n}\n')
    terminal = place.on_terminal("run", "line.hlo", "--random", "1", "--jax_hlo_profile=true")
    assert b"\x1b" not in terminal and b"\x07" not in terminal, terminal
    holds(terminal.decode(), "c\\x1b]0;owned\\x07.py:3")


def a_program_without_end_ends_at_its_timeout(place):
    for engine in ("cpu", "reference"):
        for limit in ("--timeout", "0.2"), ("--hilo_run_seconds", "1"):
            text = place.bad(1, "run", "forever.hlo", "--random", "1", "--engine", engine, *limit)
            holds(text, "DEADLINE_EXCEEDED: Execute 'forever': ", "timeout of the program")


def a_timeout_covers_code_generation(place):
    (place.folder / "long.hlo").write_text(long_to_compile())
    holds(place.bad(1, "run", "long.hlo", "--random", "1", "--timeout", "0.1"),
          "DEADLINE_EXCEEDED: Compile 'long': compilation took too long", "--timeout")


def limits_refuse_what_is_larger(place):
    run = ("run", "axpy.hlo", "--random", "1")
    holds(place.bad(1, *run, "--max-instructions", "3"), "RESOURCE_EXHAUSTED: Compile 'axpy': too many instructions; got ",
          "wanted at most 3", "--max-instructions")
    holds(place.bad(1, *run, "--max-memory", "16"), "RESOURCE_EXHAUSTED: Compile 'axpy': too much memory; got ",
          "wanted at most 16", "--max-memory")
    holds(place.bad(1, *run, "--hilo_max_memory", "16"), "RESOURCE_EXHAUSTED")
    holds(place.good(*run, "--max-memory", "1GiB", "--max-instructions", "0", "--timeout", "600"), "axpy on Host")
    for wrong in ("--timeout", "-1"), ("--timeout", "soon"), ("--max-memory", "much"), ("--max-instructions", "-2"):
        place.bad(2, *run, *wrong)


def choices_are_explained(place):
    text = place.good("run", "axpy.hlo", "--random", "1", "--repeat", "3", "--explain")
    holds(text, "products ", "fastest      floor  ratio     runs  bound by        unit", "% of the time in units above 4 times their floor", "measured times contradict", "axpy on Host")
    place.bad(1, "run", "axpy.hlo", "--random", "1", "--explain", "--engine", "reference")


def every_subcommand_has_a_man_page(place):
    (place.folder / "man").mkdir()
    place.good("man", "--folder", "man")
    names = set(re.findall(r"^  (\w+) {2,}", place.good("--help").partition("Subcommands:")[2], re.M))
    pages = {path.name: path.read_text() for path in (place.folder / "man").iterdir()}
    assert set(pages) == {"hilo.1", *(f"hilo-{name}.1" for name in names)}, sorted(pages)
    assert pages["hilo-run.1"] == place.good("man", "run")
    holds(pages["hilo-run.1"], ".TH HILO\\-RUN 1", "\\fB\\-\\-explain\\fR", "\\fIFILE\\fR", "hilo\\fR(1)")
    if shutil.which("groff"):
        for name in pages:
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", place.folder / "man" / name], capture_output=True, text=True)
            assert done.returncode == 0 and not done.stderr, f"{name}: {done.stderr}"
    holds(place.bad(1, "man", "fly"), "SUBCOMMAND: got 'fly'; wanted one of run, ")


def fish_completes_options_and_values(place):
    script = place.good("completion", "--shell", "fish")
    holds(script, "complete -c hilo -n __fish_use_subcommand -f -a run -d 'Compile", "-n '__fish_seen_subcommand_from convert' -l to -x -a 'hlo proto ")
    place.bad(2, "completion", "--shell", "tcsh")


def shardings_are_explained_and_drawn(place):
    holds(place.good("run", "shared.mlir", "--explain-shardings", "--graph", "shared.html"),
          "mesh x=2, y=4: 8 devices", "parameter 0 f32[512,256]: [{},{y}], 131072 bytes per device of 524288",
          "result 0 f32[512,128]: [{y},{}], 65536 bytes per device of 262144",
          "reduce-scatter of 4: 65536 bytes, 196608 on links", "1 collectives, 65536 bytes per device, 196608 on links; 0 ops whole")
    holds((place.folder / "shared.html").read_text(), "reduce-scatter of 4: 196608 bytes on links")
    holds(place.bad(1, "run", "axpy.hlo", "--explain-shardings"), "no shardings; wanted")
    holds(place.bad(1, "run", "shared.mlir", "--graph", "shared.html"), "goes with --explain-shardings")
    holds(place.bad(1, "run", "shared.mlir", "--explain-shardings", "--graph", "shared.txt"), "wanted a path that ends with")


def a_step_is_simulated(place):
    """2 * 512 * 64 * 128 operations in a second; 3 messages of a second each, 3/4 of 262144 bytes in another."""
    rates = ("--alpha", "1s", "--beta", "196608B/s", "--flops", "8388608/s", "--memory", "1TB/s")
    holds(place.good("simulate", "shared.mlir", *rates), "8 devices, ring", "step 5.000 s: devices compute 1.000 s, links are busy 4.000 s",
          "each device sends 196608 bytes: 196608 in reduce-scatter", "1.000 s compute dot")
    holds(place.good("simulate", "shared.mlir", *rates, "--devices", "4096"), "4096 devices, ring", "step 5.000 s")
    holds(place.good("simulate", "shared.mlir", "--topology", "torus3d"), "8 devices, torus3d, 1us per message, 100GB/s per link")
    holds(place.bad(1, "simulate", "shared.mlir", "--devices", "6"), "--devices: got 6; wanted a multiple of 4")
    holds(place.bad(1, "simulate", "shared.mlir", "--alpha", "1 parsec"), "--alpha: got '1 parsec'; wanted a positive number")
    holds(place.bad(1, "simulate", "axpy.hlo"), "no shardings; wanted")


CASES = (version_and_info_say_what_this_is, isa_that_is_asked_for_is_shown,
         plugins_of_a_folder_are_listed_with_their_flag, programs_of_a_plugin_are_kept_for_its_file_only,
         programs_under_test_run_on_the_devices_that_a_plugin_has, help_is_there_for_each_subcommand,
         run_shows_shapes_values_and_time, sizes_that_a_program_leaves_open_are_said,
         run_says_how_much_the_evaluator_runs, random_values_are_the_same_everywhere,
         results_of_both_engines_are_equal, denormals_are_kept_unless_flushing_is_asked_for,
         flushing_leaves_the_denormals_of_narrow_types, outputs_are_inputs_of_the_next_run,
         grad_gives_values_and_gradients_of_floating_inputs, bisect_counts_the_ops_on_which_engines_agree,
         bisect_goes_into_no_op_with_effects, bisect_refuses_what_it_can_not_run,
         interrupt_ends_a_bisection_with_130, missing_arguments_fail, wrong_argument_shape_fails, missing_file_fails,
         text_that_is_no_hlo_fails_with_its_line, unknown_names_are_wrong_usage_with_the_nearest_name,
         missing_and_wrong_values_are_wrong_usage, what_is_not_there_is_unimplemented,
         profile_goes_to_stderr_and_to_files, profile_of_the_reference_has_a_row_for_each_op,
         replicas_meet_and_show_their_results, a_stated_replica_count_that_nobody_asks_for_runs_one_replica,
         partitions_that_meet_nowhere_run_as_one_program, messages_whose_names_begin_as_a_text_does_are_messages,
         platform_flag_chooses_the_engine, opt_runs_the_passes_named, convert_prints_what_reads_back,
         convert_writes_protos_that_every_subcommand_reads, convert_draws,
         pictures_of_large_programs_hold_every_node, flags_page_is_the_table,
         dumps_are_numbered_and_never_overwritten, dump_folder_that_cannot_be_made_is_a_warning,
         unwritable_output_fails, interrupt_ends_a_program_at_its_start_with_130,
         interrupt_ends_a_running_program_with_130, interrupt_ends_code_generation_with_130,
         programs_that_need_too_much_memory_fail, what_is_no_program_is_not_read_to_its_end,
         a_full_file_is_an_error_and_leaves_nothing, control_characters_of_names_reach_no_terminal,
         a_program_without_end_ends_at_its_timeout, a_timeout_covers_code_generation, limits_refuse_what_is_larger,
         choices_are_explained, every_subcommand_has_a_man_page, fish_completes_options_and_values,
         shardings_are_explained_and_drawn, a_step_is_simulated)


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, CASES, {"axpy.hlo": PROGRAM, "forever.hlo": FOREVER, "denormal.hlo": DENORMAL,
                                       "narrow.hlo": NARROW, "shared.mlir": SHARED}))
