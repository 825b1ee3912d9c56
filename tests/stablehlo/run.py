#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs build/bin/hilo on files of MLIR: run, convert and check.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import io
import json
import pathlib
import struct
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from command import holds, run_cases  # noqa: E402

ADD = """module @add {
  func.func @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func @negated(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.negate %arg0 : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
"""


EIGEN = """module @eigen {
  func.func public @main(%arg0: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>) {
    %0:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%arg0) {api_version = 4 : i32, mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<i32>)
    return %0#0, %0#1 : tensor<2x2xf64>, tensor<2xf64>
  }
}
"""
H = 0.5 ** 0.5


def npy(shape, values, kind="f8", code="d"):
    header = f"{{'descr': '<{kind}', 'fortran_order': False, 'shape': ({''.join(f'{d}, ' for d in shape)}), }}"
    header = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(
        f"<{len(values)}{code}", *values)


def conformance(place, programs, **errors):
    """Runs recorded programs {name: (class, text, inputs, outputs)}, as text; stdout."""
    folder = place.folder / "corpus"
    folder.mkdir(exist_ok=True)
    with tarfile.open(folder / "all.tar.gz", "w:gz") as archive:
        for name, (_, text, inputs, outputs) in programs.items():
            files = {f"{name}.mlir": text.encode(), f"{name}.mlirbc": b""}
            files |= {f"{name}.in{i}.npy": data for i, data in enumerate(inputs)}
            files |= {f"{name}.out{i}.npy": data for i, data in enumerate(outputs)}
            for path, data in files.items():
                entry = tarfile.TarInfo(path)
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
    (folder / "manifest.tsv").write_text("#name\tclass\tp\tr\tin\tout\tcalls\ttest\n" + "".join(
        f"{name}\t{program[0]}\t1\t1\t-\t-\t-\tours\n" for name, program in programs.items()))
    listed = [{"name": name, "xla_alt_err": errors.get(name)} for name in programs]
    (folder / "manifest.json").write_text(json.dumps({"programs": listed}, separators=(",", ":")))
    return place.run("conformance", "--text", str(folder)).stdout


def text_of_mlir_runs(place):
    holds(place.good("run", "add.mlir", "--random", "7"), "out0 = s32[3] {", "add on Host: compiled in ")


def a_function_is_chosen_by_name(place):
    holds(place.good("run", "add.mlir", "--function", "negated", "--random", "7").splitlines()[0], "out0 = s32[3] {", "-")
    holds(place.bad(1, "run", "add.mlir", "--function", "nagated"), "NOT_FOUND", "add.mlir", "did you mean 'negated'?")


def bytecode_runs_as_text_does(place):
    for name in ("mlp", "loop", "branches", "gather_scatter", "sort", "random", "pieces", "complex"):
        outputs = [place.good("run", str(HERE / "recorded" / f"{name}{kind}"), "--random", "3").splitlines()[:-1]
                   for kind in (".mlir", ".mlirbc")]
        assert outputs[0] == outputs[1] != [], outputs


def mlir_converts_to_hlo(place):
    text = place.good("convert", "add.mlir", "--to", "hlo")
    holds(text, "HloModule add", "add(")
    (place.folder / "add.hlo").write_text(text)
    assert (place.good("run", "add.hlo", "--random", "7").splitlines()[0] ==
            place.good("run", "add.mlir", "--random", "7").splitlines()[0])


def programs_are_written_as_stablehlo(place):
    text = place.good("convert", "add.mlir", "--to", "stablehlo")
    holds(text, "module @add {", "func.func public @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {",
          "%0 = stablehlo.add %arg0, %arg0 : tensor<3xi32>")
    for name in ("mlp", "loop", "branches", "gather_scatter", "sort", "random", "pieces", "complex"):
        source = str(HERE / "recorded" / f"{name}.mlirbc")
        wanted = place.good("run", source, "--random", "3").splitlines()[:-1]
        for form, file in (("stablehlo", "again.mlir"), ("bytecode", "again.mlirbc")):
            place.good("convert", source, "--to", form, "-o", file)
            assert place.good("run", file, "--random", "3").splitlines()[:-1] == wanted != [], (name, form)


def passes(place, file, engines=("cpu", "reference")):
    """Every part of a file of checks passes."""
    path = HERE / "checks" / file
    parts = path.read_text().split("\n// -----\n")
    for engine in engines:
        text = place.good("check", "--engine", engine, str(path))
        assert text.splitlines() == [f"{len(parts)} passed, 0 failed, 0 skipped"], text


def checks_pass_on_both_engines(place):
    passes(place, "forms.mlir")


def every_op_of_chlo_gives_what_jax_computes(place):
    passes(place, "chlo.mlir")


def short_sums_and_transforms_are_jaxs_to_the_last_bit(place):
    passes(place, "rounding.mlir")


def arguments_and_probes_are_those_of_the_file(place):
    passes(place, "recorded.mlir", engines=("cpu",))


def types_that_hlo_lacks_are_carried_by_others(place):
    passes(place, "types.mlir")


def programs_for_several_devices_pass_on_both_engines(place):
    passes(place, "devices.mlir")


def programs_of_other_compilers_pass_on_both_engines(place):
    passes(place, "foreign.mlir")


def rows_of_rejected_mlir():
    """The table of docs/import.md: (example, code, message)."""
    page = (HERE.parent.parent / "docs" / "import.md").read_text()
    rows = []
    for line in page.split("| construct | in a program | error |")[1].splitlines()[2:]:
        if not line.startswith("|"):
            break
        _, example, error = (cell.strip() for cell in line.strip("| ").split(" | "))
        code, _, message = error.partition(": ")
        rows.append((example.strip("`"), code, message))
    return rows


def what_mlir_may_not_have_is_named_as_the_page_says(place):
    rows = rows_of_rejected_mlir()
    assert len(rows) >= 15, rows
    for example, code, message in rows:
        (place.folder / "rejected.mlir").write_text(
            "func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {\n"
            f"  {example}\n  return %x : tensor<4xf32>\n}}\n")
        holds(place.bad(1, "run", "rejected.mlir", "--random", "1"), code, "rejected.mlir:2:", message)


def custom_calls_pass_on_both_engines(place):
    passes(place, "custom_calls.mlir")


def a_callback_into_python_is_refused_by_name(place):
    (place.folder / "callback.mlir").write_text(ADD.replace(
        "stablehlo.negate %arg0 : tensor<3xi32>",
        "stablehlo.custom_call @xla_ffi_python_cpu_callback(%arg0) {api_version = 4 : i32, mhlo.backend_config = "
        "{index = 0 : ui64}} : (tensor<3xi32>) -> tensor<3xi32>"))
    holds(place.bad(1, "run", "callback.mlir", "--function", "negated", "--random", "1"), "UNIMPLEMENTED",
          "'xla_ffi_python_cpu_callback' is a callback into the Python process that created the program")


def a_file_without_anything_to_check_fails(place):
    (place.folder / "empty.mlir").write_text("")
    (place.folder / "none.mlir").write_text(
        "module {\n  func.func public @f(%x: tensor<f32>) -> tensor<f32> {\n    return %x : tensor<f32>\n  }\n}\n")
    for file in ("empty.mlir", "none.mlir"):
        done = place.run("check", file)
        assert done.returncode == 1, done
        holds(done.stdout, f"failed {file}: INVALID_ARGUMENT: nothing to check", "0 passed, 1 failed")


def a_failing_check_names_op_shape_and_difference(place):
    done = place.run("check", str(HERE / "checks" / "failing.mlir"), str(HERE / "checks" / "forms.mlir"))
    assert done.returncode == 1, done
    holds(done.stdout, "failing.mlir @differs: ", "check.expect_eq_const of f32[2]: 1 of 2 elements differ; "
          "largest difference 0.5 at [1]: got 2, wanted 2.5", "6 passed, 1 failed, 0 skipped")
    holds(done.stderr, "1 of 7 functions failed")


def eigenvectors_are_free_in_their_signs(place):
    a, w = npy((2, 2), (2.0, 1.0, 1.0, 2.0)), npy((2,), (1.0, 3.0))
    vectors = {name: npy((2, 2), (p * H, q * H, -p * H, q * H))
               for name, p, q in (("aa", 1, 1), ("ab", 1, -1), ("ac", -1, 1), ("ad", -1, -1))}
    wrong = npy((2, 2), (1.0, 0.0, 0.0, 1.0))
    holds(conformance(place, {name: ("linalg", EIGEN, (a,), (v, w)) for name, v in vectors.items()}),
          "4 passed, 0 failed, 0 skipped")
    same_signs = {name: ("reduce", EIGEN, (a,), (v, w)) for name, v in vectors.items()}
    holds(conformance(place, {**same_signs, "ae": ("linalg", EIGEN, (a,), (wrong, w))}),
          "failed ae (ours): FAILED_PRECONDITION: result 0 of the array of f64[2,2]: ", "1 passed, 4 failed, 0 skipped")


def eigenvectors_of_equal_values_are_free_in_their_space(place):
    a, w = npy((2, 2), (3.0, 0.0, 0.0, 3.0)), npy((2,), (3.0, 3.0))
    rotated = npy((2, 2), (0.6, -0.8, 0.8, 0.6))
    holds(conformance(place, {"aa": ("linalg", EIGEN, (a,), (rotated, w))}), "1 passed, 0 failed, 0 skipped")


def results_that_xla_gives_in_two_ways_differ_by_ten_times_as_much(place):
    negate = ADD.replace("stablehlo.add %arg0, %arg0", "stablehlo.negate %arg0").replace("i32", "f64")
    x, y = npy((3,), (1.0, 2.0, 3.0)), npy((3,), (-1.0, -2.0, -3.5))
    programs = {"aa": ("reduce", negate, (x,), (y,)), "ab": ("reduce", negate, (x,), (y,))}
    holds(conformance(place, programs, aa=0.01, ab=0.1), "failed aa (ours): ", "1 passed, 1 failed, 0 skipped")
    holds(conformance(place, programs, aa=0.1), "failed ab (ours): ", "1 passed, 1 failed, 0 skipped")
    holds(conformance(place, programs, ab=float("inf")), "failed aa (ours): ", "1 passed, 1 failed, 0 skipped")


def what_xla_differs_by_counts_as_it_is_where_zeros_are_expected(place):
    negate = ADD.replace("stablehlo.add %arg0, %arg0", "stablehlo.negate %arg0").replace("i32", "f64")
    x, zeros, y = npy((3,), (0.0, 0.0, 0.25)), npy((3,), (0.0, 0.0, 0.0)), npy((3,), (0.0, 0.0, -0.125))
    programs = {"aa": ("reduce", negate, (x,), (zeros,)), "ab": ("reduce", negate, (x,), (zeros,)),
                "ac": ("reduce", negate, (x,), (y,)), "ad": ("reduce", negate, (x,), (zeros,))}
    text = conformance(place, programs, aa=0.03, ab=0.02, ac=0.05)
    holds(text, "failed ab (ours): ", "failed ac (ours): ", "failed ad (ours): ", "1 passed, 3 failed, 0 skipped")


def an_array_that_devices_disagree_on_is_the_first_devices(place):
    program = """module {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<4xi32>) -> tensor<2xi32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<2xi32>) {
      sdy.return %arg1 : tensor<2xi32>
    } : (tensor<4xi32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
}
"""
    x, first, second = (npy((len(v),), v, "i4", "i") for v in ((1, 2, 3, 4), (1, 2), (3, 4)))
    text = conformance(place, {"aa": ("exact", program, (x,), (first,)), "ab": ("exact", program, (x,), (second,))})
    holds(text, "failed ab (ours): ", "1 passed, 1 failed, 0 skipped")


def text_that_is_no_mlir_fails_with_its_place(place):
    (place.folder / "bad.mlir").write_text("module {\n  func.func @main() {\n    %0 = stablehlo.ad\n  }\n}\n")
    holds(place.bad(1, "run", "bad.mlir"), "bad.mlir:3:5: ")


CASES = (text_of_mlir_runs, a_function_is_chosen_by_name, bytecode_runs_as_text_does, mlir_converts_to_hlo,
         programs_are_written_as_stablehlo, checks_pass_on_both_engines, every_op_of_chlo_gives_what_jax_computes,
         types_that_hlo_lacks_are_carried_by_others,
         short_sums_and_transforms_are_jaxs_to_the_last_bit, arguments_and_probes_are_those_of_the_file,
         programs_for_several_devices_pass_on_both_engines,
         programs_of_other_compilers_pass_on_both_engines, what_mlir_may_not_have_is_named_as_the_page_says,
         custom_calls_pass_on_both_engines, a_callback_into_python_is_refused_by_name,
         a_file_without_anything_to_check_fails, a_failing_check_names_op_shape_and_difference,
         eigenvectors_are_free_in_their_signs,
         eigenvectors_of_equal_values_are_free_in_their_space,
         results_that_xla_gives_in_two_ways_differ_by_ten_times_as_much,
         what_xla_differs_by_counts_as_it_is_where_zeros_are_expected,
         an_array_that_devices_disagree_on_is_the_first_devices, text_that_is_no_mlir_fails_with_its_place)

if __name__ == "__main__":
    sys.exit(run_cases(__doc__, CASES, {"add.mlir": ADD}))
