#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""peers.py [--build DIR] [--rounds N] [--rows PART] [--record] -- times bench/rows.cc and the same programs under
jaxlib.

The engines run in turn, and every second round has the reverse order, because one run may influence the next. Prints
medians and ratios. What users would choose instead runs too if it is already installed: NumPy with SciPy, ducc0,
PyTorch (eager and compiled) and MLX. OpenBLAS chooses its kernels itself: OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE are
unset. hilo flushes denormals, because jaxlib does; another column has the times without flushing. jaxlib runs twice:
unmodified, and with its freed memory retained, as a faster allocator would do. A missing peer is reported by name
and left out. A run of all rows writes peers.json into figures/ of the build folder, or with --record into
docs/figures."""

import argparse
import dataclasses
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import figures  # noqa: E402
import peer  # noqa: E402

BLAS_CHOICES = "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"
KEPT = "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=1000000000:glibc.malloc.top_pad=100000000"


@dataclasses.dataclass(frozen=True)
class Other:
    """What users would choose instead of JAX: its script, and the packages that the script imports."""
    packages: tuple[str, ...]
    environment: dict = dataclasses.field(default_factory=dict)

    @property
    def script(self) -> pathlib.Path:
        return ROOT / "bench" / f"rows_{self.packages[0]}.py"


OTHERS = {"numpy": Other(("numpy", "scipy")), "ducc0": Other(("ducc0", "numpy")), "torch": Other(("torch",)),
          "torch, compiled": Other(("torch",), {"ROWS_COMPILED": "1"}), "mlx": Other(("mlx",))}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", default="", help="run only rows whose names contain this")
    parser.add_argument("--record", action="store_true", help="put the medians into docs/figures")
    arguments = parser.parse_args()
    rows = [arguments.build / "bin" / "bench" / "rows"]
    quiet = {"HILO_LOG": "error"}  # of a jit for each row, which are all made in one place
    commands = {"hilo": (rows, {**quiet, "HILO_DENORMALS": "flush"}), "hilo, denormals kept": (rows, quiet)}
    python = peer.make()
    if python is None:
        print("left out: jaxlib (could not be installed)")
        if arguments.record:
            print("nothing is recorded: the docs compare with jaxlib", file=sys.stderr)
            return 1
    else:
        script = [python, ROOT / "bench" / "rows_jax.py"]
        commands["jaxlib"] = (script, {})
        commands["jaxlib, memory kept"] = (script, {"GLIBC_TUNABLES": KEPT})
    for name in BLAS_CHOICES:
        os.environ.pop(name, None)
    commands |= installed_peers([python for python in (peer.existing(), pathlib.Path(sys.executable)) if python])
    samples: dict[str, dict[str, list[float]]] = {name: {} for name in commands}
    for done in range(arguments.rounds):
        for name, (command, extra) in list(commands.items())[:: 1 if done % 2 == 0 else -1]:
            print(f"round {done + 1} of {arguments.rounds}: {name}", file=sys.stderr, flush=True)
            output = subprocess.run([*command, arguments.rows], env={**os.environ, **extra}, check=True, text=True,
                                    stdout=subprocess.PIPE).stdout
            for line in output.splitlines():
                row, microseconds = line.split("\t")
                samples[name].setdefault(row, []).append(float(microseconds))
    medians = {name: {row: round(statistics.median(values), 2) for row, values in rows.items()}
               for name, rows in samples.items()}
    show(medians)
    if not arguments.rows:
        rows = {row: {name: found[row] for name, found in medians.items() if row in found} for row in medians["hilo"]}
        measured = {**figures.circumstances(versions(commands)), "rounds": arguments.rounds, "microseconds": rows}
        figures.place(arguments.build, "peers", arguments.record).write_text(figures.text(measured))
    return 0


def versions(commands: dict) -> dict[str, str]:
    """The versions of the peers that ran, reported by their interpreters."""
    ask = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))"
    return {name: subprocess.run([commands["numpy" if name == "scipy" else name][0][0], "-c", ask, name], check=True, text=True,
                                 stdout=subprocess.PIPE).stdout.strip()
            for name in ("jaxlib", "numpy", "scipy", "ducc0", "torch", "mlx") if name in commands or name == "scipy" and "numpy" in commands}


def installed_peers(pythons: list[pathlib.Path]) -> dict[str, tuple]:
    """A command for each of OTHERS whose packages one of the interpreters has. Installs nothing."""
    commands = {}
    for name, other in OTHERS.items():
        python = next((p for p in pythons if has_packages(p, other.packages)), None)
        if python is None:
            print(f"left out: {name} (needs {', '.join(other.packages)})")
        else:
            commands[name] = ([python, other.script], other.environment)
    return commands


def has_packages(python: pathlib.Path, packages: tuple[str, ...]) -> bool:
    command = [python, "-c", f"import {', '.join(packages)}"]
    return python.exists() and subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0


def show(medians: dict[str, dict[str, float]]) -> None:
    cpu = figures.circumstances({})["machine"]
    print(f"Medians in microseconds on {cpu}, {os.cpu_count()} cores; a ratio above 1 means that hilo is faster.\n")
    peers = [name for name in medians if name != "hilo"]
    print("| row | hilo | " + " | ".join(f"{p} | ratio" for p in peers) + " |")
    print("|---|---|" + "---|---|" * len(peers))
    for row, own in medians["hilo"].items():
        cells = [f"{own:.2f}"]
        for name in peers:
            theirs = medians[name].get(row)
            cells += [f"{theirs:.2f}", f"{theirs / own:.2f}"] if theirs is not None else ["-", "-"]
        print(f"| {row} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    sys.exit(main())
