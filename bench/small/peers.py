#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""peers.py [--build DIR] [--rounds N] -- times bench/small.cc and the same programs in CasADi (as C), Pinocchio, jaxlib,
Eigen and Ceres, and the first result of a process.

The programs run in turn. The table has medians in microseconds, and the ratio of the best other time to hilo's. The
sums of all must be equal. CasADi and Pinocchio are installed into the environment of `make peer`. Compiling Pinocchio's
program takes some minutes. A missing one is reported by name and left out."""

import argparse
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import peer  # noqa: E402

HERE = ROOT / "bench" / "small"
FLAGS = ("-O3", "-march=native", "-std=c++20", "-w", f"-I{ROOT}")
EIGEN = "/usr/include/eigen3"
CERES = "/usr/include/ceres"
OF_CERES = ("-lceres", "-lglog")
OF_PINOCCHIO = ("-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
                "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12")  # as its CMake configuration has them
CLOSE = 1e-8  # of sums


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        commands = {"hilo": [arguments.build / "bin" / "bench" / "small"], **peers(pathlib.Path(folder))}
        runs = {who: [rows_of(command) for _ in range(arguments.rounds)] for who, command in commands.items()}
    show_first(arguments.build, arguments.rounds)
    return show({who: {row: (statistics.median(run[row][0] for run in each), each[0][row][1]) for row in each[0]}
                 for who, each in runs.items()})


def peers(folder: pathlib.Path) -> dict[str, list]:
    """The commands of the peers that can be had."""
    commands = {}
    if pathlib.Path(EIGEN).exists() and compiled("eigen_programs.cc", folder):
        commands["Eigen"] = [folder / "eigen_programs.cc.out"]
    else:
        print("left out: Eigen (libeigen3-dev)")
    if pathlib.Path(CERES).exists() and compiled("ceres_programs.cc", folder, libraries=OF_CERES):
        commands["Ceres"] = [folder / "ceres_programs.cc.out"]
    else:
        print("left out: Ceres (libceres-dev)")
    python = peer.make({"casadi": "casadi", "pinocchio": "pin"})
    if python is None:
        print("left out: CasADi and Pinocchio (could not be installed)")
        return commands
    commands["CasADi"] = [python, HERE / "casadi_programs.py", folder]
    commands["jaxlib"] = [python, HERE / "jax_programs.py"]
    where = "import cmeel_pth, pathlib; print(pathlib.Path(cmeel_pth.__file__).parent / 'cmeel.prefix')"
    prefix = subprocess.run([python, "-c", where], text=True, stdout=subprocess.PIPE, check=True).stdout.strip()
    print("compiling Pinocchio's program", file=sys.stderr, flush=True)
    if compiled("pinocchio_programs.cc", folder, *OF_PINOCCHIO, f"-I{prefix}/include"):
        commands["Pinocchio"] = [folder / "pinocchio_programs.cc.out"]
    else:
        print("left out: Pinocchio (its program doesn't compile)")
    return commands


def compiled(source: str, folder: pathlib.Path, *flags: str, libraries: tuple[str, ...] = ()) -> bool:
    command = ["c++", *FLAGS, *flags, f"-I{EIGEN}", HERE / source, "-o", folder / f"{source}.out", *libraries]
    return subprocess.run(command).returncode == 0


def show_first(build: pathlib.Path, rounds: int) -> None:
    """Prints milliseconds from the start of a process to its first torques, without a cache of programs."""
    commands = {"hilo": [build / "bin" / "bench" / "first_torque"]}
    python = peer.existing()
    if python is not None:
        commands["jaxlib"] = [python, HERE / "jax_programs.py", "--first"]
    for who, command in commands.items():
        samples = [first_of(command) for _ in range(2 * rounds + 1)]
        print(f"{who}: first torques after {statistics.median(samples):.0f} ms")


def first_of(command: list) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "HILO_LOG": "error", "HILO_CACHE": "off"})
    return 1e3 * (time.perf_counter() - started)


def rows_of(command: list) -> dict[str, tuple[float, float]]:
    """Microseconds and sum of each row, on one processor."""
    environment = {**os.environ, "HILO_LOG": "error", "HILO_NUM_THREADS": "1"}
    pinned = ["taskset", "-c", "0", *command]
    done = subprocess.run(pinned, check=True, text=True, stdout=subprocess.PIPE, env=environment)
    columns = [line.split("\t") for line in done.stdout.splitlines()]
    return {name: (float(microseconds), float(total)) for name, microseconds, total in columns}


def show(medians: dict[str, dict[str, tuple[float, float]]]) -> int:
    own, others = medians.pop("hilo"), medians
    print(f"{'us a call':34}{'hilo':>10}" + "".join(f"{who:>12}" for who in others) + f"{'best / hilo':>14}")
    wrong = 0
    for row, (microseconds, total) in own.items():
        line = f"{row:34}{microseconds:10.3f}"
        for rows in others.values():
            line += f"{rows[row][0]:12.3f}" if row in rows else f"{'':12}"
            if row in rows and not math.isclose(rows[row][1], total, rel_tol=CLOSE):
                print(f"{row}: the sums differ: {total} and {rows[row][1]}", file=sys.stderr)
                wrong += 1
        best = min((rows[row][0] for rows in others.values() if row in rows), default=None)
        print(line + (f"{best / microseconds:14.2f}" if best else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
