# SPDX-License-Identifier: Apache-2.0
"""hilo's programs on plugins that others made for the CPU, from PyPI: the corpus of recorded programs (CONFORMANCE=DIR in the
environment, or --corpus), random programs beside the reference evaluator, and the training of the digits. What a plugin may refuse
stands in `REFUSED`, how its results may differ in `DIFFERS`, both with the reason. Ends with "N passed, N failed"."""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from report import report  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Wheel, and its library in site-packages.
PLUGINS = {"lammps": ("lammps-jax-pjrt-cpu==0.11.2", "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so"),
           "fast": ("fastatomstruct-xla-cpu==2026.6.23", "fastatomstruct_xla_cpu/libpjrt_cpu.so"),
           "xla": ("xla-cpu-pjrt==0.0.1", "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so")}
PROGRAMS = int(os.environ.get("HILO_RANDOM_PROGRAMS", "2000"))  # a plugin
COUNTS = re.compile(r"(\d+) passed, (\d+) failed")
# Words of what a plugin says of a random program, or of how its result differs, and why that is the plugin's.
REFUSED = {
    r"unsupported operand type": "no code for the op on that type",
    r"would end the process: copies of": "hilo refuses what the compiler of 0.81 ends the process on",
    r"f8e8m0fnu.*wanted nan": "2^-127 for NaN of numbers that f8e8m0fnu hasn't: 0.81 only",
    r"must be ranked tensor of": "no StableHLO for the op on that type",
    r"Inputs must have the same shape|reduce->inputs\(\)\[i\]->shape\(\)\.layout\(\)":
        "arrays reduced or sorted together differ in bits an element, and so in layout",
    r"Slice dim size 1 greater than dynamic slice dimension: 0": "scan of no steps takes a slice of the first",
    r"must have users": "a fusion keeps an array without elements that nobody uses, and its own verifier refuses it",
    r"Invalid bitcast\n *%\d+ = bitcast i8 %\d+ to i4": "f4e2m1fn in total order in a sort's comparison: code that LLVM refuses",
    r"Check failed: bit_offset != nullptr": "elements narrower than a byte have no address of one: it ends the process",
}
# The one op, of a type, that a program whose result differs was reduced to, and why the plugin's is another one.
DIFFERS = {
    ("divide", "f16"): "by a constant: XLA multiplies by the reciprocal, whose rounding shows in the last bit",
}
MOVES = {"parameter", "constant", "copy", "broadcast", "tuple", "get-tuple-element"}  # what such a program has beside it
# Programs of the corpus with a result that is rounding, so that no compiler gives another's; the words of how that differs.
UNSTABLE = {
    r"^97006e53bae3c856 .*: result 2 of ": "GMRES: the direction of what is left, which is rounding or nothing",
}
DEVICES = 16
PART = 500  # programs of the corpus in one process


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the program hilo")
    parser.add_argument("--corpus", type=pathlib.Path, default=corpus_folder(), help="recorded programs")
    parser.add_argument("--every", type=int, default=1, help="only each of so many programs of the corpus")
    parser.add_argument("--plugins", default=",".join(PLUGINS), help="names of a few")
    parser.add_argument("--packages", type=pathlib.Path, help="where the wheels are, or will be")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return report(result for name in arguments.plugins.split(",") for result in of_plugin(name, arguments, pathlib.Path(folder)))


def of_plugin(name, arguments, folder):
    wheel, library = PLUGINS[name]
    packages = arguments.packages or folder
    path = packages / library
    problem = "" if path.exists() else install(wheel, packages)
    if problem or not path.exists():
        yield f"{name}: {wheel}", problem or f"{library} isn't in it"
        return
    options = folder / (name + ".json")
    options.write_text(json.dumps({"library_path": str(path), "create_options": {"cpu_device_count": DEVICES}}))
    # XLA's maximum of a number and NaN is the number, unless it is told otherwise, as JAX tells it.
    environment = {**os.environ, "XLA_FLAGS": "--xla_cpu_enable_fast_min_max=false",
                   "HILO_PJRT_PLUGINS": f"{name}:{options}", "JAX_PLATFORM_NAME": name}
    binaries = arguments.command.resolve().parent
    yield f"{name}: info", of_info(name, run([arguments.command, "info"], environment))
    yield f"{name}: digits", of_digits(run([binaries / "examples" / "digits"], environment))
    yield from of_random(name, binaries, environment)
    if arguments.corpus.exists():
        yield from of_corpus(name, arguments, environment)
    else:
        left_out(arguments.corpus)


def corpus_folder():
    """Of recorded programs: in CONFORMANCE=DIR, or beside the clone."""
    return pathlib.Path(os.environ.get("CONFORMANCE", ROOT.parent / "shared" / "conformance"), "jax_corpus")


def left_out(corpus):
    print(f"left out: the corpus of recorded programs isn't at {corpus}. Hint: make interop CONFORMANCE=DIR", flush=True)


def install(wheel, folder):
    done = run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", folder, wheel])
    return "" if done.returncode == 0 else last_line(done)


def of_info(name, done):
    wanted = f"device   {name}:{DEVICES - 1} "
    return "" if done.returncode == 0 and wanted in done.stdout else last_line(done)


def of_digits(done):
    found = re.findall(r"test accuracy (\d+\.\d+)", done.stdout)
    return "" if done.returncode == 0 and found and float(found[-1]) > 0.95 else last_line(done)


def of_random(name, binaries, environment):
    """A case a program that fails, and one for the counts. The process may end on a program: another goes on behind it."""
    begin, last, reasons = 0, PROGRAMS - 1, collections.Counter()
    while begin <= last:
        done = run([binaries / "tests" / "test_random_programs", "--gtest_filter=*OnTheEngineAsOnTheReference"],
                   {**environment, "HILO_RANDOM_PLATFORM": name, "HILO_RANDOM_AUDIENCE": "others",
                    "HILO_RANDOM_PROGRAMS": str(PROGRAMS), "HILO_RANDOM_SKIP": str(begin)})
        begun = re.findall(r"^program (\d+): (.*)$", done.stdout, re.M)
        if not begun:
            yield f"{name}: random programs", last_line(done)
            return
        problems = problems_of(done.stdout)
        if done.returncode < 0:
            problems[begun[-1][0]] = f"the process ends ({last_line(done)}): {begun[-1][1]}"
        for seed, problem in problems.items():
            reason = reason_of(problem)
            reasons[reason or "without a known reason"] += 1
            if reason is None:
                yield f"{name}: random program {seed}", problem
        begin = int(begun[-1][0]) + 1
    for reason, count in reasons.items():
        print(f"{name}: {count} random programs: {reason}", flush=True)
    passed = PROGRAMS - sum(reasons.values())
    yield f"{name}: {passed} of {PROGRAMS} random programs", "" if passed > PROGRAMS * 4 // 5 else "too few passed"


def problems_of(output):
    """Seed: what is wrong with that program, with its reduced form if a result differs."""
    found = (re.search(r"^(?:refused: )?seed (\d+): (.*)", section, re.M | re.S)
             for section in re.split(r"^program \d+: ", output, flags=re.M))
    return {problem[1]: problem[2].strip() for problem in found if problem}


def reason_of(problem):
    """Why that is the plugin's; None if it isn't known to be."""
    reduced = problem.partition("\nreduced:\n")[2]
    ops = {(op, kind) for kind, op in re.findall(r" = (\w+)\[\S* ([a-z-]+)\(", reduced) if op not in MOVES}
    return look_up(REFUSED, problem) or (DIFFERS.get(*ops) if len(ops) == 1 else None)


def look_up(reasons, text):
    return next((why for words, why in reasons.items() if re.search(words, text)), None)


def of_corpus(name, arguments, environment):
    """In parts: a plugin that ends the process takes only the rest of one part with it, which is then run in halves. What hilo's own
    engine gives otherwise than the recording, too, counts apart: rounding about zero."""
    rows = (arguments.corpus / "manifest.tsv").read_text().splitlines()
    names = [row.split("\t")[0] for row in rows if re.match(r"[0-9a-f]{16}\t", row)][::arguments.every]
    parts = [names[i:i + PART] for i in range(0, len(names), PART)]
    passed, failed = 0, {}
    while parts:
        part = parts.pop()
        done = conformance(arguments, part, environment)
        if done.returncode < 0 and len(part) > 1:
            parts += [part[:len(part) // 2], part[len(part) // 2:]]
            continue
        counts = COUNTS.search(done.stdout)
        lines = failures(done)
        if not counts or int(counts[1]) + int(counts[2]) != len(part) or int(counts[2]) != len(lines):
            yield f"{name}: {part[0]} and {len(part) - 1} more", last_line(done)
            continue
        passed += int(counts[1])
        failed |= lines
    differs_here = failures(conformance(arguments, list(failed), dict(os.environ))) if failed else {}
    reasons = collections.Counter()
    for program, line in failed.items():
        reason = reason_of(line) or look_up(UNSTABLE, f"{program} {line}")
        if reason is None and program in differs_here:
            reason = "hilo's own engine differs from the recording, too"
        reasons[reason] += 1
        if reason is None:
            yield f"{name}: {program}", line
    for reason, count in reasons.items():
        if reason is not None:
            print(f"{name}: {count} of the corpus: {reason}", flush=True)
    yield f"{name}: {passed} programs of the corpus", "" if passed else "none passed"


def conformance(arguments, programs, environment):
    return run([arguments.command, "conformance", f"--jax_replica_count={DEVICES}", "--only", ",".join(programs), arguments.corpus],
               environment)


def failures(done):
    """Program: what says how it failed, which may be several lines."""
    return dict(re.findall(r"^failed (\S+) (.*?)$(?=\nfailed |\n\d+ passed|\Z)", done.stdout, re.M | re.S))


def run(command, environment=None):
    return subprocess.run(list(map(str, command)), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace")


def last_line(done) -> str:
    lines = done.stdout.strip().splitlines()
    return f"exit status {done.returncode}: {lines[-1] if lines else ''}"


if __name__ == "__main__":
    sys.exit(main())
