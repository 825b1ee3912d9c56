# SPDX-License-Identifier: Apache-2.0
"""Compares hilo's reference evaluator with XLA:CPU on random programs.

jaxlib runs the programs of hilo's generator, and every sample of the op table by itself. Results agree within the
generator's table of tolerances. Two kinds of programs are counted separately and must be few: those that XLA doesn't
implement or crashes on, and those with an op of `FOLDS` that agree only if their constants are arguments. Ends with "N
passed, N failed"."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jaxlib import _hlo  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from with_jax import run_xla  # noqa: E402

DTYPES = {"pred": np.bool_, "s8": np.int8, "s16": np.int16, "s32": np.int32, "s64": np.int64, "u8": np.uint8,
          "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
          "f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128, "s2": ml_dtypes.int2,
          "s4": ml_dtypes.int4, "u2": ml_dtypes.uint2, "u4": ml_dtypes.uint4, "f4e2m1fn": ml_dtypes.float4_e2m1fn}
DTYPES |= {name: getattr(ml_dtypes, "float8_" + name[2:]) for name in (
    "f8e5m2", "f8e4m3fn", "f8e4m3", "f8e3m4", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz", "f8e8m0fnu")}
# What XLA says of programs that it can't run.
NO_CODE = ("XLA: UNIMPLEMENTED", "must be ranked tensor of")
# Where XLA ends the process, or refuses what it made itself: by its own words, and why that is no finding about hilo.
BREAKS = {
    "Check failed: bit_offset != nullptr": "concatenate of elements narrower than a byte has no address of one",
    "reduce->inputs()[i]->shape().layout()": "arrays reduced together differ in bits an element, and so in layout",
    "XLA: INTERNAL: Inputs must have the same shape": "so do arrays sorted together",
    "Slice dim size 1 greater than dynamic slice dimension: 0": "scan of no steps takes a slice of the first",
    "must have users": "a fusion keeps an array without elements that nobody uses, and XLA's own verifier refuses it",
}

# Where jaxlib 0.10.2 computes with constants beforehand, by StableHLO's folder or XLA's, and not as its own code does:
# ops, element types, what is off there. First what results are wrong, then what ends the process.
FOLDS = (
    ("divide", "f16 bf16 f32 f64", "multiplies by the rounded inverse; IEEE 754 rounds the quotient once"),
    ("count-leading-zeros", "s2 s4", "counts zeros where the first bit, the sign, is one"),
    ("negate", "f8e8m0fnu", "flips a bit of the exponent; ml_dtypes has NaN for negative numbers"),
    ("subtract remainder round-nearest-afz round-nearest-even", "f8e8m0fnu", "makes 2^-127 of zero; ml_dtypes has NaN"),
    ("round-nearest-afz round-nearest-even", "f8e3m4", "makes NaN of every number"),
)
FOLDS_THAT_END = (
    ("divide remainder", "s2 s4 s8 s16 s32 s64 u2 u4 u8 u16 u32 u64", "divides by 0"),
    ("convert", "c64 c128", "makes a complex number real"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, help="the command hilo")
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--folder", type=pathlib.Path, help="keep the files there")
    parser.add_argument("--match", default="", help="only programs whose name contains this")
    parser.add_argument("--run", type=pathlib.Path, help="run the programs that this file lists, and say how each ended")
    arguments = parser.parse_args()
    if arguments.run is not None:
        return run_listed(arguments.run)
    with tempfile.TemporaryDirectory(prefix="hilo_random_") as own:
        folder = arguments.folder or pathlib.Path(own)
        if not any(folder.glob("*.hlo")):
            write(arguments.command.parent / "tests" / "test_random_programs", folder, arguments.programs)
        paths = sorted(path for path in folder.glob("*.hlo") if arguments.match in path.stem)
        counts = dict.fromkeys(("passed", "no code", "XLA breaks", "XLA differs", "failed"), 0)
        for path, problem in run_all(paths, pathlib.Path(own)):
            kind = kind_of(problem)
            if kind == "failed" and (why := folded_otherwise(path, problem, pathlib.Path(own))):
                kind, problem = "XLA differs", f"{why}: {problem}"
            counts[kind] += 1
            if kind != "passed":
                print(f"{kind}: {path.stem}: {problem}", flush=True)
    print(f"XLA has no code for {counts['no code']}, breaks on {counts['XLA breaks']}, and differs by its constants on "
          f"{counts['XLA differs']}")
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    apart = counts["no code"] + counts["XLA breaks"] + counts["XLA differs"]
    return 0 if counts["passed"] and not counts["failed"] and apart < counts["passed"] / 20 else 1


def kind_of(problem: str) -> str:
    if not problem:
        return "passed"
    if any(words in problem for words in NO_CODE):
        return "no code"
    return "XLA breaks" if any(words in problem for words in BREAKS) else "failed"


def folded_otherwise(path, problem, folder) -> str:
    """Returns the row of FOLDS for the op with the first wrong result, or of FOLDS_THAT_END for any op; empty if
    constants don't explain the difference between XLA and hilo."""
    ops = list(ops_of(path.read_text()))
    if found := re.match(r"result (\d+): ", problem):
        rows = rows_of(FOLDS, giver(ops, int(found[1])))
    else:
        rows = [row for name in ops for row in rows_of(FOLDS_THAT_END, name)] if "XLA ends" in problem else []
    if not rows:
        return ""
    alone = folder / "alone"
    alone.mkdir(exist_ok=True)
    problems = [problem for _, problem in run_all([without_constants(path, alone)], alone)]
    return "" if any(problems) else rows[0]


def without_constants(path, folder):
    """Returns the program with its constants as arguments. Constants of bodies, which have no arguments, are behind
    barriers."""
    bodies, entry = path.read_text().split("\nENTRY ")
    constant = re.compile(r"^  ((?:ROOT )?%\S+) = ((\w+)(\[[\d,]*\])\S*) constant\((.*)\)$", re.MULTILINE)
    lines, data = [], []

    def argument(found):
        name, shape, kind, sizes, value = found.groups()
        lines.append(f"in {kind} {sizes}\n")
        data.append(numbers(value, np.dtype(DTYPES[kind])).tobytes())
        return f"  {name} = {shape} parameter({len(lines) - 1})"

    def barrier(found):
        name, shape, value = found[1], found[2], found[5]
        plain = name.removeprefix("ROOT ")
        return f"  {plain}.known = {shape} constant({value})\n  {name} = {shape} opt-barrier({plain}.known)"

    count = len(constant.findall(entry))
    entry = re.sub(r"(?m) parameter\((\d+)\)$", lambda found: f" parameter({int(found[1]) + count})", entry)
    changed = folder / path.name
    changed.write_text(constant.sub(barrier, bodies) + "\nENTRY " + constant.sub(argument, entry))
    changed.with_suffix(".txt").write_text("".join(lines) + path.with_suffix(".txt").read_text())
    changed.with_suffix(".bin").write_bytes(b"".join(data) + path.with_suffix(".bin").read_bytes())
    return changed


def numbers(text, dtype):
    """The elements of a constant: "{{1, 2}, {3, 4}}"."""
    tokens = re.findall(r"\([^)]*\)|[^\s{},]+", text)
    if dtype.kind == "c":
        return np.array([complex(*map(float, token[1:-1].split(","))) for token in tokens], dtype)
    if dtype == np.bool_:
        return np.array([token in ("true", "1") for token in tokens])
    one = int if dtype.kind in "iu" else float
    return np.array([one(token) for token in tokens], dtype if one is int else np.float64).astype(dtype)


class Op(NamedTuple):
    name: str
    opcode: str
    operands: list
    types: set  # of its operands and result


def ops_of(text):
    """Yields every op, the entry's root last."""
    types = {}
    for line in text.splitlines():
        if found := re.match(r"\s+(?:ROOT )?(%\S+) = \(?(\w+)\[?.*? ([a-z][\w-]*)\((.*)", line):
            name, types[name], opcode, rest = found[1], found[2], found[3], found[4]
            operands = re.findall(r"%[^\s,)]+", rest.partition(")")[0])
            yield Op(name, opcode, operands, {types[name], *(types[o] for o in operands if o in types)})


def giver(ops, result) -> Op:
    """Returns the op whose copy this result is."""
    by_name = {op.name: op for op in ops}
    op = by_name[ops[-1].operands[result]]
    return by_name[op.operands[0]] if op.opcode == "copy" else op


def rows_of(table, op):
    return [f"{op.opcode} of {kind} {why}" for names, kinds, why in table
            for kind in kinds.split() if op.opcode in names.split() and kind in op.types]


def run_all(paths, folder):
    """Yields each program and its error. If XLA ends the process on a program, another continues with the next one."""
    while paths:
        listed = folder / "programs"
        listed.write_text("".join(f"{path}\n" for path in paths))
        with (folder / "said").open("w+") as said, subprocess.Popen(
                [sys.executable, __file__, "--run", str(listed)], stdout=subprocess.PIPE, stderr=said, text=True) as process:
            done = 0
            for line in process.stdout:
                yield paths[done], line.rstrip("\n")
                done += 1
            process.wait()
            if done < len(paths):
                said.seek(0)
                yield paths[done], f"XLA ends the process: {' '.join(said.read().split())[:400]}"
        paths = paths[done + 1:]


def run_listed(listed) -> int:
    jax.config.update("jax_enable_x64", True)
    for line in listed.read_text().splitlines():
        print(run_one(pathlib.Path(line)), flush=True)
    return 0


def write(program, folder, count):
    folder.mkdir(parents=True, exist_ok=True)
    variables = {"HILO_RANDOM_FOLDER": str(folder), "HILO_RANDOM_FILES": str(count)}
    subprocess.run([program, "--gtest_brief=1", "--gtest_filter=*AreWrittenForOthers*"], check=True,
                   env={**os.environ, **variables}, stdout=subprocess.DEVNULL)


def run_one(path) -> str:
    inputs, wanted = read(path)
    try:
        # XLA's reader takes the sign off "-0", which is how XLA writes that number.
        text = re.sub(r"(?<=[{ ])-0(?=[,}])", "-0.0", path.read_text())
        got = run_xla(_hlo.hlo_module_from_text(text), inputs)
    except Exception as error:  # noqa: BLE001: whatever XLA says is the finding
        return "XLA: " + " ".join(str(error).split())[:300]
    if len(got) != len(wanted):
        return f"got {len(got)} results; wanted {len(wanted)}"
    for k, (g, (w, tolerance)) in enumerate(zip(got, wanted)):
        if problem := difference(g, w, tolerance):
            return f"result {k}: {problem}"
    return ""


def read(path):
    data, at, inputs, wanted = path.with_suffix(".bin").read_bytes(), 0, [], []
    for line in path.with_suffix(".txt").read_text().splitlines():
        kind, name, sizes, *rest = line.split(" ")
        shape = tuple(int(size) for size in re.findall(r"\d+", sizes))
        dtype = np.dtype(DTYPES[name])
        count = int(np.prod(shape, dtype=np.int64))
        value = np.frombuffer(data, dtype, count, at).reshape(shape)
        at += count * dtype.itemsize
        if kind == "in":
            inputs.append(value)
        else:
            wanted.append((value, None if rest[0] == "exact" else float(rest[0])))
    return inputs, wanted


def difference(got, wanted, tolerance) -> str:
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return f"got {got.dtype}{list(got.shape)}; wanted {wanted.dtype}{list(wanted.shape)}"
    wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
    if tolerance is None and wanted.dtype.kind in "biu":
        equal = got == wanted
    else:
        g, w = got.astype(wide), wanted.astype(wide)
        with np.errstate(all="ignore"):
            equal = (g == w) | (np.isnan(g) & np.isnan(w)) | (np.abs(g - w) <= (tolerance or 0))
    if np.all(equal):
        return ""
    at = tuple(int(i[0]) for i in np.nonzero(~np.asarray(equal)))
    return f"element {list(at)}: got {got[at]}; wanted {wanted[at]} of {got.dtype}{list(got.shape)}"


if __name__ == "__main__":
    sys.exit(main())
