#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs random realistic programs (bench/race/) on hilo and on jaxlib in turn.

Reports the distribution of the ratios of their times, the worst programs of each class, and for each of these the
smallest program that is still slow. Values are compared too. With one thread, times are processor times, to which other
work on the machine adds little; with all threads, wall times. A ratio above 1 means that hilo is faster. Results are
stored in a file, and a second run continues there. With --record the ratios of the classes go into docs/figures and
docs/performance.md."""

import argparse
import dataclasses
import itertools
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tools")]
import figures as recorded  # noqa: E402
import floors  # noqa: E402
import peer  # noqa: E402
import peers  # noqa: E402

SLOW = 0.9  # a ratio below is a loss beyond noise
SHORTEST = 50  # microseconds of jaxlib: below, the call counts and not the program
MAX_TRIES = 40  # of reducing one program
LIBRARY_PRODUCTS = "stablehlo.dot_general", "stablehlo.convolution"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--programs", type=int, default=200, help="number of programs (200)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first program; the next ones have the following seeds (1)")
    parser.add_argument("--classes", nargs="*", default=[], help="only these, such as product, fourier, model")
    parser.add_argument("--threads", choices=("one", "all"), default="one")
    parser.add_argument("--isa", choices=("sse2", "avx2", "avx512"), help="vector width of both engines; default: the machine's widest")
    parser.add_argument("--keep-memory", action="store_true", help="jaxlib retains freed memory, as with a faster allocator")
    parser.add_argument("--worst", type=int, default=20, help="number of programs to show and to reduce (20)")
    parser.add_argument("--records", type=pathlib.Path, help="the file of measurements; default: in the build folder")
    parser.add_argument("--record", action="store_true", help="write the ratios of the classes into docs/")
    arguments = parser.parse_args()
    python = peer.make()
    if python is None:
        return 1
    with tempfile.TemporaryDirectory() as folder:
        race = Race(arguments, python, pathlib.Path(folder))
        with race.explainer:
            records = run(race, arguments)
            show(records, arguments.worst)
            if arguments.record:
                record(arguments, records, race.environment.get("HILO_ISA") or widest())
            reduce_worst(race, records, arguments.worst)
    return 1 if any(r.get("difference") for r in records) else 0


class Worker:
    """A process that answers lines with lines. It is restarted after a crash."""

    def __init__(self, command: list, environment: dict):
        self.command, self.environment, self.process = command, environment, None

    def ask(self, line: str) -> str:
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(self.command, env={**os.environ, **self.environment}, text=True,
                                            stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            print(line, file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise RaceError(f"{pathlib.Path(self.command[-1]).name} ended with status {self.process.wait()}")
        return answer.rstrip("\n")


class RaceError(Exception):
    pass


class Race:
    """Both engines."""

    def __init__(self, arguments, python: pathlib.Path, folder: pathlib.Path):
        one, isa = arguments.threads == "one", arguments.isa
        self.folder, self.measure = folder, "worked" if one else "fastest"
        own = {"HILO_DENORMALS": "flush", "HILO_CACHE": "off", "HILO_LOG": "error"}
        blas_core = {"sse2": "NEHALEM", "avx2": "HASWELL"}  # what OpenBLAS would take on a processor of that width
        own |= ({"HILO_NUM_THREADS": "1"} if one else {}) | ({"HILO_ISA": isa} if isa else {})
        own |= {"OPENBLAS_CORETYPE": blas_core[isa]} if isa in blas_core else {}
        xla_isa = {"sse2": "SSE4_2", "avx2": "AVX2", "avx512": "AVX512"}
        # jaxlib's library products take AVX-512 whatever its flag says, so it is hidden from them where the processor
        # can refuse CPUID: Intel's. On others their programs are named apart.
        flags = processor_flags()
        hides = isa == "avx2" and "avx512f" in flags
        hidden = {"LD_PRELOAD": str((arguments.build / "bin/bench/without_avx512.so").resolve())} if hides and "cpuid_fault" in flags else {}
        self.has_wide_products = hides and not hidden
        other = hidden | ({"XLA_FLAGS": f"--xla_cpu_max_isa={xla_isa[isa]}"} if isa else {}) | ({"GLIBC_TUNABLES": peers.KEPT} if arguments.keep_memory else {})
        self.hilo = Worker([arguments.build / "bin" / "bench" / "race"], own)
        self.explainer, self.environment = floors.Explainer(arguments.build, os.environ | own), os.environ | own
        self.jaxlib = Worker([python, ROOT / "bench" / "race" / "peer.py"], {**other, "RACE_THREADS": arguments.threads})

    def ask_hilo(self, line: str) -> list[str]:
        status, *words = self.hilo.ask(line).split("\t")
        if status != "ok":
            raise RaceError("hilo: " + " ".join(words))
        return words

    def ask_jaxlib(self, **message) -> dict:
        answer = json.loads(self.jaxlib.ask(json.dumps(message)))
        if "error" in answer:
            raise RaceError("jaxlib: " + answer["error"])
        return answer

    def run(self, program: dict) -> dict:
        """Microseconds of both, and what differs."""
        loaded = self.ask_jaxlib(load=program, folder=str(self.folder))
        inputs = " ".join(f"{self.folder}/in{k}.npy" for k in range(len(program["inputs"])))
        own_compiled = float(self.ask_hilo(f"load {self.folder}/program.mlir {inputs}")[0])
        self.ask_hilo(f"results {self.folder}")
        difference = self.ask_jaxlib(compare=str(self.folder))["difference"]
        own, theirs = self.times(3, 10)
        if theirs >= SHORTEST and theirs / own < 1.1:  # look again
            own_again, theirs_again = self.times(7, 30)
            own, theirs = min(own, own_again), min(theirs, theirs_again)
        program_file = self.folder / "program.mlir"
        wide = self.has_wide_products and any(op in program_file.read_text() for op in LIBRARY_PRODUCTS)
        units = [dataclasses.astuple(unit) for unit in self.explainer.units(program_file)]
        return {"units": units, "wide_products": wide, "hilo": own, "jaxlib": theirs,
                "ratio": theirs / own, "compiled": [own_compiled, loaded["compiled"]], "difference": difference}

    def doubtful(self, program: dict) -> list[str]:
        """Returns choices of the plan that measured times contradict, or why they aren't known."""
        self.ask_jaxlib(load=program, folder=str(self.folder))
        try:
            text = self.explainer.text(self.folder / "program.mlir")
        except floors.ExplainError as error:
            return [str(error)]
        _, _, doubts = text.partition("choices that measured times contradict:\n")
        return [line.strip() for line in itertools.takewhile(lambda line: line.startswith("  "), doubts.splitlines())]

    def times(self, rounds: int, milliseconds: int) -> tuple[float, float]:
        own, theirs = [], []
        for _ in range(rounds):
            fastest, worked, _ = map(float, self.ask_hilo(f"time {milliseconds}"))
            own.append(worked if self.measure == "worked" else fastest)
            theirs.append(self.ask_jaxlib(time=milliseconds)[self.measure])
        return min(own), min(theirs)


def run(race: Race, arguments) -> list[dict]:
    """Returns the records of all seeds: those of an earlier run, and new ones for the others."""
    path = arguments.records or arguments.build / f"race-{arguments.threads}-{arguments.isa or 'native'}.jsonl"
    kept = {r["seed"]: r for r in read_records(path) if not arguments.classes or r["class"] in arguments.classes}
    seeds = range(arguments.seed, arguments.seed + arguments.programs)
    with path.open("a") as file:
        for done, seed in enumerate(seeds):
            if seed in kept:
                continue
            kept[seed] = measured(race, seed, arguments.classes)
            print(json.dumps(kept[seed]), file=file, flush=True)
            if sys.stderr.isatty():
                print(f"\r{done + 1} of {len(seeds)}: {summary(kept[seed])[:100]:100}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return [kept[seed] for seed in seeds]


def measured(race: Race, seed: int, classes) -> dict:
    program = None
    try:
        program = race.ask_jaxlib(draw=seed, classes=classes)["program"]
        return {"seed": seed, "class": program["class"], "program": program, **race.run(program)}
    except RaceError as error:
        return {"seed": seed, "class": program["class"] if program else "none", "program": program, "error": str(error)}


def read_records(path: pathlib.Path) -> list[dict]:
    """Ignores an incomplete last line of an interrupted run."""
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def counted(records: list[dict]) -> list[dict]:
    return [r for r in records if "error" not in r and r["jaxlib"] >= SHORTEST]


def worst_of(records: list[dict], count: int) -> list[dict]:
    """Returns the slow programs, the largest loss first."""
    return sorted((r for r in counted(records) if r["ratio"] < SLOW), key=lambda r: r["ratio"])[:count]


def show(records: list[dict], worst: int) -> None:
    rows = counted(records)
    failed = [r for r in records if "error" in r]
    print(f"{len(records)} programs: {len(failed)} did not run, {len(records) - len(failed) - len(rows)} take jaxlib less than {SHORTEST} us "
          "and say only what a call costs.\n")
    print("| class | programs | geometric mean | least | a tenth below | median | nine tenths below | below 0.9 |\n|---|---|---|---|---|---|---|---|")
    for name, (count, *ratios, below) in by_class(rows).items():
        print(f"| {name} | {count} | " + " | ".join(f"{x:.2f}" for x in ratios) + f" | {below} |")
    compiled = [r["compiled"][1] / r["compiled"][0] for r in rows]
    if compiled:
        print(f"\nCompiling: {mean(compiled):.1f} times faster in geometric mean, {min(compiled):.2f} at least.")
    wide = [r for r in rows if r.get("wide_products")]
    if wide:
        print(f"\njaxlib's library products still used AVX-512 in {len(wide)} of them: {mean([r['ratio'] for r in wide]):.2f} in geometric mean; "
              f"the others: {mean([r['ratio'] for r in rows if not r.get('wide_products')] or [1]):.2f}.")
    units = [dataclasses.replace(floors.Unit(*unit), program=f"seed {r['seed']}") for r in records for unit in r.get("units", [])]
    print("\n" + floors.report(units, worst))
    for r in failed:
        print(f"did not run: seed {r['seed']}: {r['error']}")
    for r in records:
        if r.get("difference"):
            print(f"values differ: seed {r['seed']}: {r['difference']}: {text(r['program'])}")
    print("\nThe slowest:\n")
    for r in worst_of(records, worst):
        print(summary(r))


def by_class(rows: list[dict]) -> dict[str, list]:
    """Returns the number of programs, figures of their ratios, and the number of slow ones, for each class and for
    all."""
    table = {}
    for name in sorted({r["class"] for r in rows}) + ["all"]:
        ratios = sorted(r["ratio"] for r in rows if name in (r["class"], "all"))
        if ratios:
            table[name] = [len(ratios), *(round(x, 2) for x in figures(ratios)), sum(x < SLOW for x in ratios)]
    return table


def record(arguments, records: list[dict], isa: str) -> None:
    """Writes the classes' ratios at this vector width; those at other widths stay."""
    path = recorded.place(arguments.build, "race", True)
    widths = json.loads(path.read_text()) if path.exists() else {}
    widths[isa] = {**recorded.circumstances({"jaxlib": peer.chosen().jax}), "threads": arguments.threads,
                   "seeds": [arguments.seed, arguments.seed + arguments.programs - 1], "classes": by_class(counted(records))}
    path.write_text(recorded.text(widths))
    subprocess.run([sys.executable, ROOT / "tools" / "generate_docs.py", "--build", arguments.build], check=True)


def processor_flags() -> set[str]:
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    return set(next((line for line in lines if line.startswith("flags")), "").split())


def widest() -> str:
    """Returns the vector width of this machine, as --isa names it."""
    flags = processor_flags()
    return "avx512" if "avx512f" in flags else "avx2" if "avx2" in flags else "sse2"


def figures(ratios: list[float]) -> list[float]:
    """Returns geometric mean, minimum, 10th percentile, median and 90th percentile of a sorted list."""
    return [mean(ratios), ratios[0], ratios[len(ratios) // 10], statistics.median(ratios),
            ratios[len(ratios) * 9 // 10]]


def mean(ratios: list[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, ratios)))


def summary(r: dict) -> str:
    if "error" in r:
        return f"seed {r['seed']} {r['error']}"
    return f"{r['ratio']:.2f}  {r['hilo']:.0f} us for {r['jaxlib']:.0f}  seed {r['seed']} {r['class']}: {text(r['program'])}"


def text(program: dict) -> str:
    """Returns one line: inputs, then ops with the numbers of their operands."""
    inputs = ", ".join(f"{name}{shape}".replace(" ", "") for name, shape, _ in program["inputs"])
    ops = "; ".join(f"{name}({', '.join(map(str, operands))}" + "".join(f", {k}={v}" for k, v in parameters.items()) + ")"
                    for name, operands, parameters in program["ops"])
    return f"({inputs}) {ops}"


def reduce_worst(race: Race, records: list[dict], count: int) -> None:
    print("\nThe smallest that are still slow, and choices of their plans that measured times contradict:\n")
    for r in worst_of(records, count):
        smallest = reduced(race, r)
        print(summary(smallest), flush=True)
        for choice in race.doubtful(smallest["program"]):
            print(f"      {choice}", flush=True)


def reduced(race: Race, record: dict) -> dict:
    """Returns the smallest program found that is about as slow."""
    limit, tries = min(SLOW, 1.25 * record["ratio"]), 0
    best = record
    while tries < MAX_TRIES:
        for candidate in race.ask_jaxlib(smaller=best["program"])["programs"]:
            tries += 1
            try:
                found = {**record, "program": candidate, **race.run(candidate)}
            except RaceError:  # it doesn't fit together
                continue
            if found["ratio"] <= limit and found["jaxlib"] >= SHORTEST:
                best = found
                break
            if tries >= MAX_TRIES:
                return best
        else:
            return best
    return best


if __name__ == "__main__":
    sys.exit(main())
