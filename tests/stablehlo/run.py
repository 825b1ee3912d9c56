#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs build/bin/hilo on files of MLIR: run, convert and check.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import pathlib
import sys

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


def checks_pass_on_both_engines(place):
    for engine in ("cpu", "reference"):
        text = place.good("check", "--engine", engine, str(HERE / "checks" / "forms.mlir"))
        assert text.splitlines() == ["6 passed, 0 failed, 0 skipped"], text


def every_op_of_chlo_gives_what_jax_computes(place):
    for engine in ("cpu", "reference"):
        text = place.good("check", "--engine", engine, str(HERE / "checks" / "chlo.mlir"))
        assert text.splitlines() == ["22 passed, 0 failed, 0 skipped"], text


def short_sums_and_transforms_are_jaxs_to_the_last_bit(place):
    for engine in ("cpu", "reference"):
        text = place.good("check", "--engine", engine, str(HERE / "checks" / "rounding.mlir"))
        assert text.splitlines() == ["19 passed, 0 failed, 0 skipped"], text


def arguments_and_probes_are_those_of_the_file(place):
    text = place.good("check", str(HERE / "checks" / "recorded.mlir"))
    assert text.splitlines() == ["2 passed, 0 failed, 0 skipped"], text


def types_that_hlo_lacks_are_carried_by_others(place):
    for engine in ("cpu", "reference"):
        text = place.good("check", "--engine", engine, str(HERE / "checks" / "types.mlir"))
        assert text.splitlines() == ["9 passed, 0 failed, 0 skipped"], text


def a_failing_check_names_op_shape_and_difference(place):
    done = place.run("check", str(HERE / "checks" / "failing.mlir"), str(HERE / "checks" / "forms.mlir"))
    assert done.returncode == 1, done
    holds(done.stdout, "failing.mlir @differs: ", "check.expect_eq_const of f32[2]: 1 of 2 elements differ; "
          "largest difference 0.5 at [1]: got 2, wanted 2.5", "6 passed, 1 failed, 0 skipped")
    holds(done.stderr, "1 of 7 functions failed")


def text_that_is_no_mlir_fails_with_its_place(place):
    (place.folder / "bad.mlir").write_text("module {\n  func.func @main() {\n    %0 = stablehlo.ad\n  }\n}\n")
    holds(place.bad(1, "run", "bad.mlir"), "bad.mlir:3:5: ")


CASES = (text_of_mlir_runs, a_function_is_chosen_by_name, bytecode_runs_as_text_does, mlir_converts_to_hlo,
         checks_pass_on_both_engines, every_op_of_chlo_gives_what_jax_computes,
         types_that_hlo_lacks_are_carried_by_others,
         short_sums_and_transforms_are_jaxs_to_the_last_bit, arguments_and_probes_are_those_of_the_file,
         a_failing_check_names_op_shape_and_difference,
         text_that_is_no_mlir_fails_with_its_place)

if __name__ == "__main__":
    sys.exit(run_cases(__doc__, CASES, {"add.mlir": ADD}))
