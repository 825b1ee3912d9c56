# SPDX-License-Identifier: Apache-2.0
"""front_end_elsewhere.py -- runs the front end's own test programs, unchanged, on another platform, which the
environment selects."""

import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
import gtest_program  # noqa: E402

FOLDERS = ("numpy", "lax", "transform", "rules", "array", "trace", "mesh", "tree", "random", "linalg", "fft", "scipy", "segment", "image", "nn",
           "optim", "training", "import", "replica", "programs")
SHARD_SECONDS = 900
# Tests that look at what platform Host makes of a program, where it keeps an array or what it is called, by folder: a
# plugin keeps the first two to itself.
OF_HOST = {"lax": ("Cond.IsLeftOutWhereNobodyUsesItsResults", "Scan.GradientsOfWhatRowsShareAreSummedAfterTheLoop"),
           "array": ("Dlpack.AnArrayGoesOutWithoutACopyAndCannotBeDonatedMeanwhile",
                     "Dlpack.ATensorComesInWithoutACopyAndIsDeletedOnce"),
           "numpy": ("RefJit.OverwritesMemoryThatNothingElseRefersTo",),
           "trace": ("Dispatch.APrimitiveWithoutATranslationRuleNamesItAndThePlatform",),
           "mesh": ("ShardedArrays.IsDealtAnewOrNot",),
           "transform": ("CustomJvp.ResultsThatNobodyUsesAreNotComputed", "Stages.MemoryIsAsPlanned",
                         "Stages.ObjectsHaveAHeaderWithThePathsOfTheArguments",
                         "Stages.ObjectsHoldCapturedArraysAndTakeUnusedArguments",
                         "Stages.ObjectsOfOpsThatNeedTheLibraryAreRefused")}


def over(program: pathlib.Path, every: int, index: int, folder: str,
         variables: dict[str, str]) -> list[gtest_program.Result]:
    """Runs each `every`-th test of the program, from test `index` on. If a test ends the program, a new process runs
    the others."""
    names = gtest_program.list_tests(program)
    environment = {**os.environ, "HILO_CACHE": "off", **variables}
    chosen = {"GTEST_TOTAL_SHARDS": str(every), "GTEST_SHARD_INDEX": str(index)}
    results = gtest_program.run(program, names, {**environment, **chosen}, folder, SHARD_SECONDS)
    while left := [result.name for result in results if result.output.startswith("did not run")]:
        more = gtest_program.run(program, left, {**environment, "GTEST_FILTER": ":".join(left)}, folder, SHARD_SECONDS)
        results = [result for result in results if result.name not in left] + more
        if len([result for result in more if result.output.startswith("did not run")]) == len(left):
            break
    return results
