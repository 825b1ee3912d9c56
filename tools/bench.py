#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures and prints all figures of hilo.

These are: the start of a process and the size of the library; compile times of user programs; the fraction of a
program's time that its profile explains; units that take more than 4 times the least time; every program of bench/;
reading speed; gradients compared with their objectives; collectives between processes compared with MPI's; training
steps on one and two devices; calls of a server compared with a bare echo; models of finance and statistics and their
gradients; GradBench's evals; small programs of control and robotics compared with CasADi, Pinocchio, Eigen and Ceres;
programs that are compiled ahead of time, to objects; and hilo compared with its peers (bench/peers.py). The last part
writes the picture of its ratios into figures/ of the build folder, or with --record into docs/figures and
docs/performance.md."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import figures  # noqa: E402
import floors as explained  # noqa: E402
import peer  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SERVING_AIMS = {"a small call, us": "at most 1.3", "calls a second, none of which waits": "10,000 or the echo's",
                "1 GiB there, GB/s": "at least 0.8", "1 GiB back, GB/s": "at least 0.8"}
SERVING_ROUNDS = 3
MESH_ROUNDS = 3


def main() -> int:
    os.environ.setdefault("HILO_CACHE", "off")  # what is measured and tested is compiled
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--only", choices=("start", "compile", "profile", "floors", "programs", "reading", "adbench", "finance", "statistics", "gradbench", "processes", "meshes", "serving",
                                           "small", "objects", "peers"))
    parser.add_argument("--record", action="store_true", help="write the comparisons with peers into docs/")
    arguments = parser.parse_args()
    sections = {"start": start, "compile": compile_times, "profile": profile, "floors": floors, "programs": programs, "reading": reading,
                "adbench": adbench, "finance": lambda build: models(build, "finance"),
                "statistics": lambda build: models(build, "statistics"), "gradbench": gradbench, "processes": processes, "meshes": meshes,
                "serving": serving, "small": small, "objects": objects, "peers": lambda build: peers(build, arguments.record)}
    statuses = [run(arguments.build) for name, run in sections.items() if arguments.only in (None, name)]
    return max(statuses)


def start(build: pathlib.Path) -> int:
    library, command = build / "lib" / "libhilo.so", build / "bin" / "hilo"
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder) / "stripped"
        subprocess.run(["strip", "-o", stripped, library], check=True)
        print(f"libhilo.so stripped: {stripped.stat().st_size / 1e6:.1f} MB (aim 40)")
    if command.exists():
        milliseconds = 1e3 * statistics.median(timed([command, "--version"]) for _ in range(41))
        print(f"hilo --version: {milliseconds:.1f} ms (aim 8)")
    return 0


def timed(command: list) -> float:
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def compile_times(build: pathlib.Path) -> int:
    return subprocess.run([sys.executable, ROOT / "tools" / "compile_times.py", "--build", build]).returncode


def processes(build: pathlib.Path) -> int:
    program, python = build / "bin" / "bench" / "all_reduce", peer.existing()
    print("all-reduce by 2 processes, beside MPI_Allreduce:", flush=True)
    rc = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", program]).returncode
    if rc != 0 or python is None:
        return rc
    print("the same by jaxlib with gloo: bytes, us", flush=True)
    return subprocess.run([python, ROOT / "bench" / "all_reduce_jax.py"]).returncode


def meshes(build: pathlib.Path) -> int:
    """Training steps whose batch is sharded over one or two devices, each pinned to its own core: the minimum over
    rounds, and the simulator's estimate. Also jaxlib's devices, if it is installed."""
    program, python = build / "bin" / "bench" / "mesh_steps", peer.existing()
    beside = [python, ROOT / "bench" / "mesh_steps_jax.py"]
    commands = {("hilo", 1): ["taskset", "-c", "0", program],
                ("hilo", 2): ["mpirun", "--allow-run-as-root", "-n", "2", "--bind-to", "core", program],
                ("jaxlib", 1): ["taskset", "-c", "0", *beside, "1"], ("jaxlib", 2): ["taskset", "-c", "0,1", *beside, "2"]}
    least = {}
    for (engine, devices), command in [pair for _ in range(MESH_ROUNDS) for pair in commands.items()]:
        if engine == "jaxlib" and python is None:
            continue
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "HILO_NUM_THREADS": "1"})
        if done.returncode != 0:
            return done.returncode
        for line in done.stdout.splitlines():
            word = line.split()
            if word[0] != "step":
                continue
            key = (word[1], engine, devices)
            if key not in least or float(word[5]) < least[key][0]:
                least[key] = (float(word[5]), " ".join(word[6:8]))
    print(f"training steps, us, one core a device, least of {MESH_ROUNDS} times 300:")
    for name in ("digits", "transformer"):
        for engine in ("hilo", "jaxlib"):
            if (name, engine, 2) in least:
                (one, _), (two, told) = least[name, engine, 1], least[name, engine, 2]
                print(f"  {name:12} {engine:7} {one:9.1f} on 1, {two:9.1f} on 2: {one / two:.2f} times as fast{'; ' + told if told else ''}")
    return 0


def serving(build: pathlib.Path) -> int:
    """A server's calls compared with a bare echo over gRPC, and training on the server compared with local training:
    medians of rounds."""
    echo, calls = (build / "bin" / "bench" / "rpc" / name for name in ("echo", "calls"))
    if not echo.exists():
        print("left out: a server's calls beside a bare echo's (built without gRPC)")
        return 0
    rounds = [(named_figures(echo), named_figures(calls)) for _ in range(SERVING_ROUNDS)]
    bare, ours = ({name: statistics.median(one[k][name] for one in rounds) for name in rounds[0][k]} for k in (0, 1))
    for name, figure in ours.items():
        beside = f"; bare echo {bare[name]:,.2f}: {figure / bare[name]:.2f} times" if name in bare else ""
        aim = f" (aim {SERVING_AIMS[name]})" if name in SERVING_AIMS else ""
        print(f"server, {name}: {figure:,.2f}{beside}{aim}")
    for name in bare.keys() - ours.keys():
        print(f"bare echo, {name}: {bare[name]:,.2f}")
    ratio = statistics.median(one["training there, ms"] / one["training here, ms"] for _, one in rounds)
    print(f"server, training there beside here: {ratio:.2f} times (aim at most 1.2)")
    return 0


def named_figures(program: pathlib.Path) -> dict[str, float]:
    lines = subprocess.run([program], check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()
    return {name: float(figure) for name, figure in (line.split("\t") for line in lines)}


def profile(build: pathlib.Path) -> int:
    """The fraction of a training step's wall time that is spent in units, which the profile can explain."""
    digits = build / "bin" / "examples" / "digits"
    if not digits.exists():
        print("left out: the profile of examples/digits (not built)")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "JAX_HLO_PROFILE": "True", "HILO_PROFILE_DIR": folder}
        subprocess.run([digits], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        print(f"units cover {coverage(json.loads((pathlib.Path(folder) / 'profile.json').read_text()), 'train_step'):.0f} % "
              "of the wall time of digits' training step (aim 85)")
    return 0


def floors(build: pathlib.Path) -> int:
    """The time that the rows of bench/rows.cc spend in units above 4 times their floor."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "JAX_DUMP_HLO_UNOPTIMIZED": folder}
        subprocess.run([build / "bin" / "bench" / "rows"], env=environment, stdout=subprocess.DEVNULL, check=True)
        with explained.Explainer(build) as explainer:
            programs = explained.programs_in(pathlib.Path(folder))
            units = [unit for program in programs for unit in explainer.units(program)]
    print(explained.report(units, 20))
    return 0


def coverage(profiles: list[dict], module: str) -> float:
    """Percentage of the wall time of all runs of a module that its rows add up to."""
    runs = [p for p in profiles if p["module"] == module]
    covered = sum(row["nanoseconds"] for p in runs for row in p["rows"])
    return 100 * covered / sum(p["wall_nanoseconds"] for p in runs)


def programs(build: pathlib.Path) -> int:
    statuses = [0]
    for source in sorted((ROOT / "bench").glob("*.cc")):
        if source.stem in ("all_reduce", "small", "finance", "statistics", "gradbench"):  # other sections run them
            continue
        print(f"== {source.stem}", flush=True)
        statuses.append(subprocess.run([build / "bin" / "bench" / source.stem]).returncode)
    return max(map(abs, statuses))


def reading(build: pathlib.Path) -> int:
    """MB/s and programs/s of the readers, and of jaxlib's if an environment has it."""
    python = peer.existing()
    with tempfile.TemporaryDirectory() as folder:
        own = sizes_and_times([build / "bin" / "bench" / "reading", folder])
        try:
            theirs = sizes_and_times([python, ROOT / "bench" / "reading_jax.py", folder]) if python else {}
        except subprocess.CalledProcessError:
            theirs = {}
        if not theirs:
            print("left out: jaxlib's reading speed (make peer makes its environment)")
    for name, (size, microseconds) in own.items():
        line = f"{name}: {size / microseconds:.1f} MB/s, {1e6 / microseconds:.0f} programs/s"
        if name in theirs:
            other = theirs[name][1]
            line += f"; jaxlib {size / other:.1f} MB/s, {1e6 / other:.0f} programs/s: {other / microseconds:.1f} times"
        parsed = name.replace("to HLO", "parsed")
        if parsed != name and parsed in theirs:
            line += f"; beside jaxlib's parsing alone {theirs[parsed][1] / microseconds:.1f} times"
        print(line + " (aim 5 times)")
    return 0


def adbench(build: pathlib.Path) -> int:
    """Microseconds of ADBench's objectives and of their gradients, and of jaxlib's if an environment has it."""
    commands = {"hilo": [build / "bin" / "bench" / "adbench"],
                "jaxlib": [peer.chosen().python, ROOT / "bench" / "adbench" / "objectives.py"]}
    for who, command in commands.items():
        try:
            lines = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()
        except (OSError, subprocess.CalledProcessError):
            print(f"left out: {who}'s gradients of ADBench's objectives")
            continue
        rows = {name: float(microseconds) for name, microseconds in (line.split("\t") for line in lines)}
        for name in [row.removesuffix(" objective") for row in rows if row.endswith(" objective")]:
            objective, gradient = rows[f"{name} objective"], rows[f"{name} gradient"]
            print(f"{who}, {name}: objective {objective:.1f} us, gradient {gradient:.1f} us: {gradient / objective:.2f} times (aim 3)")
    return 0


def models(build: pathlib.Path, field: str) -> int:
    """Values and gradients of a field's models, and the time to their first results; the same of jaxlib if an
    environment has it, and how far its results are from hilo's."""
    ours = rows_with_first([build / "bin" / "bench" / field])
    python = peer.existing()
    theirs = rows_with_first([python, ROOT / "bench" / field / "models.py"]) if python else {}
    if not theirs:
        print("left out: jaxlib's times (make peer makes its environment)")
    values = {name.rpartition(" ")[0]: row for name, row in ours.items() if name.endswith(" value")}
    for name, (microseconds, first, number) in ours.items():
        model, _, kind = name.rpartition(" ")
        line = f"{model}, {kind}: {microseconds / 1e3:.3f} ms, first result {first:.2f} s"
        if kind != "value":
            line += f", {microseconds / values[model][0]:.2f} times the value{' (aim 2.3)' if kind == 'gradient' else ''}"
        if name in theirs:
            other, other_first, other_number = theirs[name]
            line += (f"; jaxlib {other / 1e3:.3f} ms: {other / microseconds:.2f} times, first result {other_first:.2f} s; "
                     f"results differ by {abs(number / other_number - 1):.1g}")
        print(line)
    return 0


def gradbench(build: pathlib.Path) -> int:
    """GradBench's own evals with hilo and, where GradBench has them, with JAX: their verdicts and times."""
    clone, python = os.environ.get("GRADBENCH"), peer.existing()
    if clone is None:
        print("left out: GradBench's evals (GRADBENCH=CLONE names a clone with tools/manual built)")
        return 0
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(clone) / "python" / "gradbench")}
    folder = pathlib.Path("python") / "gradbench" / "gradbench"
    with_jax = {path.stem for path in (pathlib.Path(clone) / folder / "tools" / "jax").glob("*.py")}
    statuses = []
    for name in ("hello", "det", "lse", "llsq", "ode", "kmeans", "gmm", "lstm", "ba", "ht", "particle", "saddle"):
        evaluation = f"{sys.executable} {folder / 'evals' / name / 'run.py'}"
        tools = {"hilo": build / "bin" / "bench" / "gradbench"}
        if python and name in with_jax:
            tools["JAX"] = f"{python} {ROOT / 'bench' / 'gradbench' / 'waiting_jax.py'}"
        for who, tool in tools.items():
            print(f"{name} with {who}:", flush=True)
            command = [sys.executable, ROOT / "bench" / "gradbench" / "drive.py", "--eval", evaluation, "--tool", str(tool)]
            statuses.append(subprocess.run(command, cwd=clone, env=environment).returncode)
    return max(statuses)


def rows_with_first(command: list) -> dict[str, tuple[float, float, float]]:
    """Microseconds, seconds to the first result and the result's sum of each row."""
    lines = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()
    return {name: (float(microseconds), float(first), float(number))
            for name, microseconds, first, number in (line.split("\t") for line in lines)}


def small(build: pathlib.Path) -> int:
    return subprocess.run([sys.executable, ROOT / "bench" / "small" / "peers.py", "--build", build]).returncode


def objects(build: pathlib.Path) -> int:
    return subprocess.run([sys.executable, ROOT / "bench" / "objects" / "run.py", "--build", build]).returncode


def sizes_and_times(command: list) -> dict[str, tuple[float, float]]:
    """Bytes and microseconds of each row."""
    lines = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()
    return {name: (float(size), float(microseconds)) for name, size, microseconds in (line.split("\t") for line in lines)}


def peers(build: pathlib.Path, record: bool) -> int:
    script = ROOT / "bench" / "peers.py"
    if not script.exists():
        return 0
    done = subprocess.run([sys.executable, script, "--build", build, *(["--record"] if record else [])]).returncode
    if done != 0:
        return done
    if record:
        return subprocess.run([sys.executable, ROOT / "tools" / "generate_docs.py", "--build", build]).returncode
    measured = figures.place(build, "peers", record)
    done = subprocess.run([sys.executable, ROOT / "tools" / "ratio_picture.py", measured, measured.parent]).returncode
    print(f"The picture of these ratios is in {measured.parent}; make bench RECORD=1 puts it into the docs.")
    return done


if __name__ == "__main__":
    sys.exit(main())
