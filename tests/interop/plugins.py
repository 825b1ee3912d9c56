# SPDX-License-Identifier: Apache-2.0
"""Runs hilo's programs on other vendors' CPU plugins from PyPI, or on a plugin of this machine (--library).

The programs are the recorded corpus (CONFORMANCE=DIR in the environment, or --corpus), random programs compared with
the reference evaluator, and the training of the digits. `REFUSED` lists programs that a plugin may reject, `DIFFERS`
allowed differences of results, both with the reason. Ends with "N passed, N failed"."""

import argparse
import collections
import concurrent.futures
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
    r"Check failed: bit_offset != nullptr|Non-byte-aligned dimension": "elements narrower than a byte have no address of one",
    r"does not support custom element sizes": "elements of 4 bits sorted together with an `iota`, to which XLA gives their layout",
    r"Layout assignment should have assigned the same layout to all reduc": "arrays reduced together differ in layout",
    # On NVIDIA's GPUs.
    r"Invalid type for triangular solve": "cuBLAS solves triangular systems of f32, f64, c64 and c128 only",
    r"integer convolutions to idioms|No supported configs found for HLO: %cudnn|All backends failed to find supported config":
        "cuDNN has no convolution of the type",
    r"FP8 types supported in convolutions|Convolutions must have floating-point or integral": "no code for convolutions of the type",
    r"operation 'arith\.\w+' that was explicitly marked illegal": "no code for convolutions of the type",
    r"GEMM is not supported by cublasLt": "cuBLAS has no product of the type",
    r"ptxas .*\.[us]4'": "code for elements of 4 bits that ptxas refuses",
}
# The one op, of types, that the main computation of a program whose result differs was reduced to, and why the
# plugin's is another.
ANY = r"\w+"
DIFFERS = {
    ("divide", r"f(8|16)\w*"): "by a constant: XLA multiplies by the reciprocal, whose rounding shows in the last bit",
    ("count-leading-zeros", "s4"): "of a constant: XLA counts zeros where the first bit, the sign, is one",
}
DIFFERS_ON = {"CUDA": {
    ("reduce", ANY): "an initial value that isn't the identity: every warp begins with it",
    ("reduce-window", ANY): "an initial value that isn't the identity",
    ("scatter", ANY): "of equal indices: any of the updates",
    ("divide|sqrt", "f32"): "within the last bit of the nearest number",
    ("sort", ANY): "elements of 4 bits come out otherwise where others are sorted with them",
    ("reduce-precision", "f8e8m0fnu"): "numbers that f8e8m0fnu has come out as others",
    ("dot|clamp|convert", "[su]2"): "elements of 2 bits are read otherwise",
    ("dynamic-update-slice", ANY): "of constant indices beyond the end: XLA takes the beginning",
}}
MOVES = {"parameter", "constant", "copy", "broadcast", "tuple", "get-tuple-element"}  # other instructions of such a program
# Programs of the corpus with a result that is rounding, so that no compiler gives another's; the words of how that
# differs.
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
    parser.add_argument("--library", help="NAME:PATH of a plugin of this machine instead, as CUDA:xla_cuda_plugin.so, with a device")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.library:
            return report(of_library(arguments, pathlib.Path(folder)))
        return report(result for name in arguments.plugins.split(",")
                      for result in from_a_wheel(name, arguments, pathlib.Path(folder)))


def of_library(arguments, folder):
    """Runs on one device, whose memory the processes of --jobs share."""
    name, _, path = arguments.library.partition(":")
    yield from of_plugin(name, path, {"preallocate": False}, 1, arguments, folder)


def from_a_wheel(name, arguments, folder):
    wheel, library = PLUGINS[name]
    packages = arguments.packages or folder
    path = packages / library
    problem = "" if path.exists() else install(wheel, packages)
    if problem or not path.exists():
        yield f"{name}: {wheel}", problem or f"{library} isn't in it"
        return
    yield from of_plugin(name, path, {"cpu_device_count": DEVICES}, DEVICES, arguments, folder)


def of_plugin(name, path, create_options, devices, arguments, folder):
    options = folder / (name + ".json")
    options.write_text(json.dumps({"library_path": str(path), "create_options": create_options}))
    # XLA's maximum of a number and NaN is the number, by default; JAX sets another option.
    flags = os.environ.get("XLA_FLAGS", "") + " --xla_cpu_enable_fast_min_max=false"
    environment = {**os.environ, "XLA_FLAGS": flags, "HILO_PJRT_PLUGINS": f"{name}:{options}", "JAX_PLATFORM_NAME": name}
    binaries = arguments.command.resolve().parent
    yield f"{name}: info", of_info(name, devices, run([arguments.command, "info"], environment))
    yield f"{name}: digits", of_digits(run([binaries / "examples" / "digits"], environment))
    yield from of_random(name, binaries, arguments.jobs, environment)
    if arguments.corpus.exists():
        yield from of_corpus(name, devices, arguments, environment)
    else:
        left_out(arguments.corpus)


def corpus_folder():
    """Returns the folder of recorded programs: CONFORMANCE=DIR, or next to the clone."""
    return pathlib.Path(os.environ.get("CONFORMANCE", ROOT.parent / "shared" / "conformance"), "jax_corpus")


def left_out(corpus):
    print(f"left out: the corpus of recorded programs isn't at {corpus}. Hint: make interop CONFORMANCE=DIR", flush=True)


def install(wheel, folder):
    done = run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", folder, wheel])
    return "" if done.returncode == 0 else last_line(done)


def of_info(name, devices, done):
    wanted = f"device   {name}:{devices - 1} "
    return "" if done.returncode == 0 and wanted in done.stdout else last_line(done)


def of_digits(done):
    found = re.findall(r"test accuracy (\d+\.\d+)", done.stdout)
    return "" if done.returncode == 0 and found and float(found[-1]) > 0.95 else last_line(done)


def of_random(name, binaries, jobs, environment):
    """Yields one case per failing program, and one for the counts."""
    command = [binaries / "tests" / "test_random_programs", "--gtest_filter=*OnTheEngineAsOnTheReference"]
    environment = {**environment, "HILO_RANDOM_PLATFORM": name, "HILO_RANDOM_AUDIENCE": "others"}
    size = -(-PROGRAMS // jobs)
    reasons = collections.Counter()
    for problems in in_parallel(jobs, lambda begin: problems_of_range(command, begin, min(begin + size, PROGRAMS),
                                                                      environment),
                                range(0, PROGRAMS, size)):
        for seed, problem in problems.items():
            reason = reason_of(name, problem)
            reasons[reason or "without a known reason"] += 1
            if reason is None:
                yield f"{name}: random program {seed}", problem
    for reason, count in reasons.items():
        print(f"{name}: {count} random programs: {reason}", flush=True)
    passed = PROGRAMS - sum(reasons.values())
    yield f"{name}: {passed} of {PROGRAMS} random programs", "" if passed > PROGRAMS * 4 // 5 else "too few passed"


def problems_of_range(command, begin, end, environment):
    """Returns the errors of random programs `begin` to `end`, by seed. If the process ends on a program, another
    continues with the next one."""
    found = {}
    while begin < end:
        done = run(command, {**environment, "HILO_RANDOM_PROGRAMS": str(end), "HILO_RANDOM_SKIP": str(begin)})
        begun = re.findall(r"^program (\d+): (.*)$", done.stdout, re.M)
        if not begun:
            return found | {f"{begin} to {end}": last_line(done)}
        found |= problems_of(done.stdout)
        if done.returncode < 0:
            found[begun[-1][0]] = f"the process ends ({last_line(done)}): {begun[-1][1]}"
        begin = int(begun[-1][0]) + 1
    return found


def in_parallel(jobs, function, items):
    with concurrent.futures.ThreadPoolExecutor(jobs) as executor:
        yield from executor.map(function, items)


def problems_of(output):
    """Returns the program's error by its seed, with its reduced form if a result differs."""
    found = (re.search(r"^(?:refused: )?seed (\d+): (.*)", section, re.M | re.S)
             for section in re.split(r"^program \d+: ", output, flags=re.M))
    return {problem[1]: problem[2].strip() for problem in found if problem}


def reason_of(name, problem):
    """Returns the known reason in the plugin; None for an unknown difference."""
    if reason := look_up(REFUSED, problem):
        return reason
    main = problem.partition("\nreduced:\n")[2].partition("\nENTRY")[2]
    ops = {(op, kind) for kind, op in re.findall(r" = \(?(\w+)\[.*? ([a-z-]+)\(", main) if op not in MOVES}
    if len(ops) != 1:
        return None
    (op, kind), = ops
    differs = DIFFERS | DIFFERS_ON.get(name, {})
    return next((why for (names, types), why in differs.items() if re.fullmatch(names, op)
                 and re.fullmatch(types, kind)), None)


def look_up(reasons, text):
    return next((why for words, why in reasons.items() if re.search(words, text)), None)


def of_corpus(name, devices, arguments, environment):
    """Runs the corpus in parts, so that a crash of the plugin affects only one part. Differences that hilo's own engine
    has too, such as rounding near zero, are counted separately."""
    rows = [row.split("\t") for row in (arguments.corpus / "manifest.tsv").read_text().splitlines()]
    names = [row[0] for row in rows if re.fullmatch(r"[0-9a-f]{16}", row[0]) and int(row[2]) * int(row[3]) <= devices]
    names = names[::arguments.every]
    size = min(PART, -(-len(names) // arguments.jobs))
    parts = [names[i:i + size] for i in range(0, len(names), size)]
    passed, failed = 0, {}
    for count, lines in in_parallel(arguments.jobs, lambda part: of_part(part, devices, arguments, environment), parts):
        passed, failed = passed + count, failed | lines
    differs_here = failures(conformance(arguments, list(failed), devices, dict(os.environ))) if failed else {}
    reasons = collections.Counter()
    for program, line in failed.items():
        reason = reason_of(name, line) or look_up(UNSTABLE, f"{program} {line}")
        if reason is None and program in differs_here:
            reason = "hilo's own engine differs from the recording, too"
        reasons[reason] += 1
        if reason is None:
            yield f"{name}: {program}", line
    for reason, count in reasons.items():
        if reason is not None:
            print(f"{name}: {count} of the corpus: {reason}", flush=True)
    yield f"{name}: {passed} programs of the corpus", "" if passed else "none passed"


def of_part(part, devices, arguments, environment):
    """Returns the number of passed programs, and the errors of the others. If the process ends, halves of the part are
    run again."""
    done = conformance(arguments, part, devices, environment)
    if done.returncode < 0 and len(part) > 1:
        halves = (part[:len(part) // 2], part[len(part) // 2:])
        (left, left_failed), (right, right_failed) = (of_part(half, devices, arguments, environment) for half in halves)
        return left + right, left_failed | right_failed
    counts, lines = COUNTS.search(done.stdout), failures(done)
    if not counts or int(counts[1]) + int(counts[2]) != len(part) or int(counts[2]) != len(lines):
        return 0, {f"{part[0]} and {len(part) - 1} more": last_line(done)}
    return int(counts[1]), lines


def conformance(arguments, programs, devices, environment):
    return run([arguments.command, "conformance", f"--jax_replica_count={devices}", "--only", ",".join(programs), arguments.corpus],
               environment)


def failures(done):
    """Returns the error of each failed program, which may have several lines."""
    return dict(re.findall(r"^failed (\S+) (.*?)$(?=\nfailed |\n\d+ passed|\Z)", done.stdout, re.M | re.S))


def run(command, environment=None):
    return subprocess.run(list(map(str, command)), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True,
                          errors="replace")


def last_line(done) -> str:
    lines = done.stdout.strip().splitlines()
    checks = [line for line in lines if "Check failed" in line]  # before a stack trace
    return f"exit status {done.returncode}: {(checks or lines or [''])[-1]}"


if __name__ == "__main__":
    sys.exit(main())
