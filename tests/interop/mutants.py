# SPDX-License-Identifier: Apache-2.0
"""Blind mutants of one program in each form that both hilo and jaxlib read. Prints how many crash each reader; one that
crashes hilo, or takes it over a second of processor time or 256 MiB, is a failure and is named by its seed. jaxlib's
crashes fail nothing. Ends with "N passed, N failed".

  crashes/FORM   hilo ends every mutant in an error or reads it"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from programs import PROGRAMS  # noqa: E402
from report import report  # noqa: E402

SEED_PROGRAM = "perceptron_grad"  # calls, reductions, gathers, scatters
LIMITED = 'ulimit -c 0; ulimit -d 262144; ulimit -S -t 1; exec "$0" "$@"'  # KiB, seconds
READER = pathlib.Path(__file__).with_name("read_mutants.py")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo")
    parser.add_argument("--mutants", type=int, default=3000, help="of each form")
    arguments = parser.parse_args()
    return report(results(arguments.command.resolve(), arguments.mutants))


def results(command, count):
    totals = [0, 0]
    forms = seed_forms()
    for form, data in forms.items():
        with tempfile.TemporaryDirectory(prefix="hilo_mutants_") as folder:
            mutants = [pathlib.Path(folder) / str(seed) for seed in range(count)]
            for seed, file in enumerate(mutants):
                file.write_bytes(mutated(data, random.Random(seed)))
            problems = problems_of_hilo(command, mutants)
            crashes = crashes_of_jaxlib(form, mutants)
        totals = [totals[0] + len(problems), totals[1] + crashes]
        print(f"{form}: of {count} mutants {len(problems)} crash hilo, {crashes} jaxlib", flush=True)
        yield f"crashes/{form}", "; ".join(problems[:5])
    print(f"all forms: of {count * len(forms)} mutants {totals[0]} crash hilo, {totals[1]} jaxlib")


def seed_forms() -> dict[str, bytes]:
    function, *inputs = PROGRAMS[SEED_PROGRAM]
    lowered = jax.jit(function).lower(*inputs)
    computation = lowered.compiler_ir("hlo")
    artefact = jax.export.export(jax.jit(function))(*inputs).mlir_module_serialized
    return {"hlo_text": computation.as_hlo_text().encode(), "hlo_proto": computation.as_serialized_hlo_module_proto(),
            "stablehlo_artefact": artefact}


def mutated(data: bytes, random_: random.Random) -> bytes:
    for _ in range(random_.randint(1, 4)):
        data = random_.choice(MUTATIONS)(bytearray(data), random_) or data
    return data


def flip_bit(data, random_):
    data[random_.randrange(len(data))] ^= 1 << random_.randrange(8)
    return bytes(data)


def set_byte(data, random_):
    data[random_.randrange(len(data))] = random_.randrange(256)
    return bytes(data)


def drop_piece(data, random_):
    at, size = piece_of(data, random_)
    return bytes(data[:at] + data[at + size:])


def copy_piece(data, random_):
    at, size = piece_of(data, random_)
    to = random_.randrange(len(data))
    return bytes(data[:to] + data[at:at + size] + data[to:])


def cut_end(data, random_):
    return bytes(data[:random_.randrange(len(data))])


def piece_of(data, random_):
    return random_.randrange(len(data)), random_.choice((1, 2, 4, 16, 64))


MUTATIONS = (flip_bit, flip_bit, set_byte, set_byte, drop_piece, copy_piece, copy_piece, cut_end)


def problems_of_hilo(command, mutants) -> list[str]:
    def problem_of(file):
        done = subprocess.run(["sh", "-c", LIMITED, command, "convert", "--to", "hlo", file, "-o", os.devnull],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              errors="replace")
        polite = done.returncode == 0 or done.returncode == 1 and "hilo: " in done.stderr
        return "" if polite else f"seed {file.name}: exit status {done.returncode}: {done.stderr[-200:]}"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [problem for problem in pool.map(problem_of, mutants) if problem]


def crashes_of_jaxlib(form, mutants) -> int:
    """Of a process that reads one after the other, and of its successors, which go on behind the mutant that killed
    it."""
    crashes = begun = 0
    while begun < len(mutants):
        done = subprocess.run([sys.executable, READER, form, *mutants[begun:]], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        begun += len(done.stdout)
        if done.returncode > 0 or not done.stdout:
            raise RuntimeError(f"{READER.name} failed with exit status {done.returncode}")
        crashes += done.returncode < 0
    return crashes


if __name__ == "__main__":
    sys.exit(main())
