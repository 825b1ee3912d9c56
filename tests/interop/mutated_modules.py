# SPDX-License-Identifier: Apache-2.0
"""Runs StableHLO modules that are hard on compilers in hilo and in jaxlib: those of crashing_modules.py, and mutants of
the programs of programs.py and zoo.py. A mutant has other sizes, types, numbers, ops or operands than its program.
Often all equal sizes or types change, and the mutant is valid.

Both compile each module and run it on the same inputs. hilo fails if it crashes, if its results differ from jaxlib's,
or if a module that ends in jaxlib takes more than 20 s of processor time or 2 GiB. Results don't count if they also
change when the inputs change in their last places. jaxlib's crashes fail nothing. --page writes
docs/internal/mutated_modules.md. Ends with "N passed, N failed"."""

import argparse
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import round_trip  # noqa: E402
from crashing_modules import MODULES  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "internal" / "mutated_modules.md"
LIMITED = 'ulimit -c 0; ulimit -d 2097152; ulimit -S -t 20; exec "$0" "$@"'  # KiB, seconds
MAX_ELEMENTS = 1e6  # of an argument
SECONDS = 30  # for a module in jaxlib, of wall time
TYPES = ("f32", "f64", "bf16", "f16", "i1", "i4", "i8", "ui8", "i16", "i32", "ui32", "i64", "ui64", "f8E4M3FN",
         "f8E5M2", "complex<f32>", "complex<f64>")
SIZES = ("0", "1", "2", "3", "16", "33", "129")
NUMBERS = ("0", "1", "-1", "2", "7", "255", "2147483647", "-2147483648", "0.5", "1.0e38", "-0.0", "0x7FC00000")
UNARY = ("abs", "cbrt", "ceil", "cosine", "exponential", "exponential_minus_one", "floor", "is_finite", "log",
         "log_plus_one", "logistic", "negate", "not", "popcnt", "round_nearest_afz", "rsqrt", "sign", "sine", "sqrt", "tan", "tanh",
         "optimization_barrier")
BINARY = ("add", "and", "atan2", "divide", "maximum", "minimum", "multiply", "or", "power", "remainder", "shift_left",
          "shift_right_logical", "subtract", "xor")
RUNS, REJECTED, CRASHES, ENDLESS = OUTCOMES = ("runs", "is rejected", "crashes", "has no end")
# Of arguments and results: those that .npy files have.
DTYPES = {"i1": np.bool_, "bf16": ml_dtypes.bfloat16, "complex<f32>": np.complex64, "complex<f64>": np.complex128}
DTYPES |= {f"f{bits}": np.dtype(f"float{bits}") for bits in (16, 32, 64)}
DTYPES |= {f"{sign}i{bits}": np.dtype(f"{sign}int{bits}") for bits in (8, 16, 32, 64) for sign in ("", "u")}
# Own modules whose results differ, and why.
DIFFERENT = {"bounded_dimension": "XLA leaves the memory behind the bound as it was; hilo writes zeros",
             "power_of_integers": "XLA folds a power of -1 to 1 / x, which is -1 for 0; its own code gives 0"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", type=pathlib.Path, help="the command hilo")
    parser.add_argument("--mutants", type=int, default=450)
    parser.add_argument("--match", default="", help="only modules whose name contains this")
    parser.add_argument("--folder", type=pathlib.Path, help="keep the files there")
    parser.add_argument("--page", action="store_true", help="write the page")
    parser.add_argument("--run", nargs="+", type=pathlib.Path, help="run these modules in jaxlib")
    arguments = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    if arguments.run:
        return run_listed(arguments.run)
    with tempfile.TemporaryDirectory(prefix="hilo_modules_") as own:
        folder = arguments.folder or pathlib.Path(own)
        folder.mkdir(parents=True, exist_ok=True)
        rows = [Row(name, kind, write(folder / name, text)) for name, kind, text in modules(arguments.mutants)
                if arguments.match in name]
        run_all(rows, arguments.command.resolve())
    for row in rows:
        if problem := row.problem():
            print(f"failed {row.name}: {problem}")
    failed = sum(bool(row.problem()) for row in rows)
    if arguments.page:
        PAGE.write_text(page(rows))
    print(table(rows))
    print(f"{len(rows) - failed} passed, {failed} failed")
    return 0 if rows and not failed else 1


class Row:
    """A module, and how it ended in hilo and in jaxlib."""

    def __init__(self, name: str, kind: str, folder: pathlib.Path):
        self.name, self.kind, self.folder = name, kind, folder
        self.hilo = self.jaxlib = self.why = self.difference = ""

    def problem(self) -> str:
        if self.hilo == CRASHES or self.hilo == ENDLESS != self.jaxlib:
            return f"hilo {self.hilo}: {self.why}"
        return self.difference


def modules(mutants: int):
    for name, (kind, text) in MODULES.items():
        yield name, kind, text
    texts = program_texts()
    for seed in range(mutants):
        random_ = random.Random(seed)
        text = ""
        while not text or set(re.findall(r"[<x](f8\w+|u?i4)>", signature(text))):  # .npy files lack these types
            text = mutated(random_.choice(texts), random_)
        yield f"mutant_{seed}", "", text


def program_texts() -> list[str]:
    texts = []
    for function, *inputs in round_trip.OWN.values():
        text = str(jax.jit(function, keep_unused=True).lower(*map(np.asarray, inputs)).compiler_ir("stablehlo"))
        texts.append(re.sub(r" \{(mhlo|jax)\.[^{}]*\}| attributes \{[^{}]*\}", "", text))
    return texts


def signature(text: str) -> str:
    found = re.search(r"func\.func public @main\((.*)", text)
    return found[1] if found else ""


# ---- mutants


def mutated(text: str, random_: random.Random) -> str:
    for _ in range(random_.choice((1, 1, 2, 3))):
        text = random_.choice(MUTATIONS)(text, random_)
    return text


def change(text: str, random_, pattern: str, choices) -> str:
    """Replaces one match."""
    found = list(re.finditer(pattern, text))
    if not found:
        return text
    match = random_.choice(found)
    return text[:match.start()] + random_.choice(choices) + text[match.end():]


def change_all(text: str, random_, pattern: str, choices) -> str:
    """Replaces all that are equal to one match."""
    found = sorted(set(re.findall(pattern, text)))
    if not found:
        return text
    old, new = random_.choice(found), random_.choice(choices)
    return re.sub(pattern, lambda match: new if match[0] == old else match[0], text)


def every_type(text, random_):
    return change_all(text, random_, r"(?<=[x<])(?:u?i\d+|bf16|f\d+)(?=>)", TYPES)


def every_size(text, random_):
    return change_all(text, random_, r"(?<=[<x])\d+(?=x[\duifbc])", SIZES)


def one_type(text, random_):
    return change(text, random_, r"(?<=[x<])(?:u?i\d+|bf16|f\d+)(?=>)", TYPES)


def number(text, random_):
    return change(text, random_, r"(?<=dense<)[-\w.+]+(?=>)|(?<=[\[ ])-?\d+(?=[,\]:])", NUMBERS)


def unary(text, random_):
    return change(text, random_, rf"(?<=stablehlo\.)(?:{'|'.join(UNARY)})\b", UNARY)


def binary(text, random_):
    return change(text, random_, rf"(?<=stablehlo\.)(?:{'|'.join(BINARY)})\b", BINARY)


def operand(text, random_):
    return change(text, random_, r"%\w+(?=[, )])", sorted(set(re.findall(r"%\w+", text))) or ["%x"])


def line(text, random_):
    lines = text.splitlines(True)
    at = random_.randrange(len(lines))
    if random_.random() < 0.5:
        del lines[at]
    else:
        other = random_.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    return "".join(lines)


MUTATIONS = (every_type, every_type, every_size, every_size, every_size, one_type, number, number, number, unary,
             binary, binary, operand, line)


# ---- runs


def write(folder: pathlib.Path, text: str) -> pathlib.Path:
    """Writes a module and values for its arguments."""
    folder.mkdir()
    (folder / "module.mlir").write_text(text)
    types = re.findall(r": ([^,]*tensor<[^>]*>?>)", signature(text).partition(" -> ")[0])
    for k, kind in enumerate(types):
        *sizes, element = re.sub(r"^tensor<(.*)>$", r"\1", kind).split("x")
        if element not in DTYPES or not all(size.isdigit() for size in sizes):
            continue
        if np.prod([int(size) for size in sizes], dtype=float) < MAX_ELEMENTS:
            np.save(folder / f"in{k}.npy", values(tuple(map(int, sizes)), np.dtype(DTYPES[element]), k))
    return folder


def values(sizes: tuple, dtype: np.dtype, seed: int) -> np.ndarray:
    count = int(np.prod(sizes, dtype=np.int64))
    numbers = ((np.arange(count) * 37 + 11 * seed) % 101 - 50) / 16
    if dtype.kind in "iu":
        numbers = np.abs(np.floor(numbers)) if dtype.kind == "u" else np.floor(numbers)
    return stored((numbers > 0 if dtype == np.bool_ else numbers).astype(dtype).reshape(sizes))


def stored(value: np.ndarray) -> np.ndarray:
    """Without the type, if NumPy lacks it."""
    return value if value.dtype.isbuiltin else value.view(f"V{value.itemsize}")


def inputs_of(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(folder.glob("in*.npy"), key=lambda path: int(path.stem[2:]))


def run_all(rows: list[Row], command) -> None:
    for row in rows:
        row.hilo, row.why = run_hilo(row.folder, command)
    left = rows
    while left:
        done = run_jaxlib(left)
        left = left[done:]
    for row in rows:
        if row.hilo == row.jaxlib == RUNS and row.name not in DIFFERENT:
            wanted = results_of(row.folder, "jaxlib")
            row.difference = round_trip.difference(hilos_results(row.folder, wanted), wanted)
            if row.difference and is_sensitive(row.folder, command, wanted):
                row.difference = ""


def is_sensitive(folder: pathlib.Path, command, wanted: list) -> bool:
    """Whether hilo's results change, too, if floats of the arguments change by a few units in the last place."""
    moved = folder / "moved"
    moved.mkdir()
    for path in inputs_of(folder):
        value = np.load(path)
        np.save(moved / path.name, value * (1 + 4 * np.finfo(value.dtype).eps) if value.dtype.kind in "fc" else value)
    (moved / "module.mlir").write_bytes((folder / "module.mlir").read_bytes())
    run_hilo(moved, command)
    return bool(round_trip.difference(hilos_results(moved, wanted), hilos_results(folder, wanted)))


def run_hilo(folder: pathlib.Path, command) -> tuple[str, str]:
    flags = [part for path in inputs_of(folder) for part in ("--input", path)]
    out = folder / "hilo"
    done = subprocess.run(["sh", "-c", LIMITED, command, "run", folder / "module.mlir", *flags, "--output-dir", out],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          errors="replace",
                          env={**os.environ, "HILO_CACHE": "off", "JAX_PLATFORM_NAME": "Host", "JAX_ENABLE_X64": "1"})
    if done.returncode == 0:
        return RUNS, ""
    said = " ".join(done.stderr.split())[-300:]
    if done.returncode == 1 and "hilo: " in done.stderr and "a bug in hilo" not in done.stderr:
        return REJECTED, said
    return (ENDLESS if done.returncode == 130 else CRASHES), f"exit status {done.returncode}: {said}"


def run_jaxlib(rows: list[Row]) -> int:
    """Runs modules in another process until one ends it. Returns how many ended."""
    process = subprocess.Popen([sys.executable, __file__, "--run", *(row.folder for row in rows)], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    done = 0
    for said in process.stdout:
        rows[done].jaxlib = said.strip()
        done += 1
    process.wait()
    if done == len(rows):
        return done
    rows[done].jaxlib = ENDLESS if process.returncode == -signal.SIGALRM else CRASHES
    return done + 1


def run_listed(folders: list[pathlib.Path]) -> int:
    for folder in folders:
        signal.alarm(SECONDS)
        try:
            module = round_trip.from_text((folder / "module.mlir").read_bytes())
            inputs = [typed(path, kind) for path, kind in zip(inputs_of(folder), argument_types(module))]
            for k, result in enumerate(round_trip.run(module, inputs)):
                np.save(folder / f"jaxlib{k}.{result.dtype.name}.npy", stored(result))
            print(RUNS, flush=True)
        except Exception:  # noqa: BLE001: it was read and refused
            print(REJECTED, flush=True)
        signal.alarm(0)
    return 0


def argument_types(module) -> list[str]:
    return re.findall(r"tensor<(?:[\dx?]*x)?([^>]*>?)>", re.search(r"@main\((.*?)\) ->", str(module), re.S)[1])


def typed(path: pathlib.Path, kind: str) -> np.ndarray:
    value = np.load(path)
    return value if value.dtype.kind != "V" else value.view(DTYPES[kind])


def results_of(folder: pathlib.Path, name: str) -> list[np.ndarray]:
    """The arrays of files such as jaxlib0.bfloat16.npy, in their order."""
    paths = sorted(folder.glob(f"{name}*.npy"), key=lambda path: int(re.search(r"\d+", path.name)[0]))
    return [with_name(np.load(path), path.stem.partition(".")[2]) for path in paths]


def with_name(value: np.ndarray, name: str) -> np.ndarray:
    """With the type of that name, if it is stored without one."""
    if not name:
        return value
    return value if value.dtype.kind != "V" else value.view(getattr(ml_dtypes, name))


def hilos_results(folder: pathlib.Path, wanted: list) -> list[np.ndarray]:
    """Those that are stored without a type have jaxlib's types."""
    got = results_of(folder / "hilo", "out")
    return [with_name(value, like.dtype.name) for value, like in zip(got, wanted)] + got[len(wanted):]


# ---- the page


def table(rows: list[Row]) -> str:
    lines = ["| modules | hilo | jaxlib | number |", "|---|---|---|---|"]
    kinds = {"own": [row for row in rows if row.kind], "mutants": [row for row in rows if not row.kind]}
    for what, chosen in kinds.items():
        for hilo in OUTCOMES:
            for jaxlib in OUTCOMES:
                if count := sum(row.hilo == hilo and row.jaxlib == jaxlib for row in chosen):
                    lines.append(f"| {what} | {hilo} | {jaxlib} | {count} |")
    return "\n".join(lines)


def page(rows: list[Row]) -> str:
    own = [f"| `{row.name}` | {row.kind} | {row.hilo} | {row.jaxlib} |" for row in rows if row.kind]
    same = sum(row.hilo == row.jaxlib == RUNS and not row.difference and row.name not in DIFFERENT for row in rows)
    return HEAD.format(version=jax.lib.__version__, seconds=SECONDS, mutants=sum(not row.kind for row in rows),
                       table=table(rows), same=same, own="\n".join(own),
                       different="; ".join(f"`{name}`: {why}" for name, why in DIFFERENT.items()))


HEAD = """# Modules that crash compilers

`make interop` runs StableHLO modules that are hard on compilers on hilo and on jaxlib {version}: own ones of the kinds in public
reports of crashes, and {mutants} mutants of JAX's programs (`tests/interop/mutated_modules.py`). A module either runs or is
rejected by an error. It crashes if the process ends by a signal, or reports a bug. jaxlib has {seconds} s for a module.
`mutated_modules.py --page` writes this page.

{table}

Of the modules that both run, {same} have the same results within a tolerance, or results that change as much if the inputs
change in their last places. Others: {different}.

## The own ones

Numbers are those of issues in openxla/xla, or in jax-ml/jax with "jax". The others are edge cases, and constants that compilers fold.

| module | kind | hilo | jaxlib |
|---|---|---|---|
{own}
"""


if __name__ == "__main__":
    sys.exit(main())
