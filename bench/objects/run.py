#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py [--build DIR] [--only NAME] -- small programs as objects of `hilo compile --to object`: their sizes, the time to
compile and link, and a call compared with the code of jit, jaxlib's, CasADi's generated C and Eigen.

All ways but jaxlib's are timed in turn in one process, bench/objects/loop.c. The first table has nanoseconds a call,
the least of 300 samples, and in brackets the multiples of the object's time. The second one has what an object must be.
"compile, link" is the processors' time, which other programs don't change. "overhead" is a call that ends after all
checks, without a call of an empty function. A missing peer is reported by name and left out."""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import peer  # noqa: E402

HERE = ROOT / "bench" / "objects"
RECORDED = ROOT / "tests" / "objects"
EIGEN = pathlib.Path("/usr/include/eigen3")
BY_HAND = ("policy", "filter")  # programs of eigen_programs.cc
OTHERS = ("jit", "jaxlib", "CasADi", "Eigen")
FORMATS = {"f32": "f", "f64": "d"}
CLOSE = {"f32": 2e-5, "f64": 1e-9}  # peers' results, relative to the largest
MAX_TEXT, MAX_SECONDS, MAX_OVERHEAD = 100_000, 1.0, 50.0
# A call with next to no work: all its time is overhead.
DOUBLED = """HloModule doubled

ENTRY main {
  x = f64[] parameter(0)
  ROOT y = f64[] add(x, x)
}
"""


@dataclasses.dataclass
class Row:
    text_bytes: int
    seconds: float  # of processors, to compile and link
    times: dict[str, float]  # nanoseconds a call
    allocations: int
    has_bits_of_jit: bool
    under_qemu: str
    wrong: list[str]  # peers with other results

    @property
    def overhead(self) -> float:
        return self.times["checks"] - self.times["nothing"]


def main() -> int:
    os.environ.setdefault("HILO_LOG", "error")
    os.environ["HILO_CACHE"] = "off"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--only", default="", help="programs whose names contain this")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        python, files = make_peers(folder), programs(folder)
        rows = {one: measured(build, folder, path, python) for one, path in files.items() if arguments.only in one}
    show(rows)
    return 1 if any(faults(row) for row in rows.values()) else 0


def programs(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    doubled = folder / "doubled.hlo"
    doubled.write_text(DOUBLED)
    names = ("rocket", "arm", "policy", "filter", "mpc", "forest", "fft_filter", "cnn")
    found = {path.stem: path for kind in ("programs", "with_runtime") for path in (RECORDED / kind).glob("*.jax")}
    return {"doubled": doubled, **{name: found[name] for name in names}}


def make_peers(folder: pathlib.Path) -> pathlib.Path | None:
    """Compiles the peers' programs. Returns the interpreter that has jaxlib."""
    if EIGEN.exists():
        for name in BY_HAND:
            run("c++", "-std=c++20", "-O3", "-march=native", "-shared", "-fPIC", f"-DPROGRAM={name}", f"-I{EIGEN}",
                HERE / "eigen_programs.cc", "-o", folder / f"{name}.Eigen.so")
    else:
        print("left out: Eigen (libeigen3-dev)")
    python = peer.make({"casadi": "casadi"})
    if python is None:
        print("left out: jaxlib and CasADi (could not be installed)")
    else:
        run(python, HERE / "casadi_programs.py", folder)
        for path in folder.glob("*.casadi.so"):
            path.rename(path.with_name(path.name.replace("casadi", "CasADi")))
    return python


def run(*command, **options) -> str:
    parts = [str(part) for part in command]
    return subprocess.run(parts, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def wave(seed: float, shape: list[int], scale: float = 1.0, offset: float = 0.0) -> list[float]:
    return [offset + scale * math.sin(seed + 1.7 * k) for k in range(math.prod(shape))]


def inputs_of(name: str, shapes: list[list[int]]) -> list[list[float]]:
    """Numbers for the arguments: a state in which the program does its usual work."""
    if name == "rocket":
        return [[10, 5, 100, -1, 0.5, -8, 1, 0.1, 0, 0, 0, 0.1, 0, 12], [0.5, 1, 2, 1]]
    if name == "filter":
        return [[0.5, 0.2, 0.3, 1, 0.1], [float(k % 6 == 0) for k in range(25)], [4, 0.5], [0.1]]
    if name == "mpc":
        return [[1, 0.5, 0.1, 0, 0, 0], [0] * 6, [9.81, 0] * 20]
    scale = 0.3 if name in ("policy", "cnn") else 1.0
    return [wave(seed, shape, scale) for seed, shape in enumerate(shapes)]


def compiled(build: pathlib.Path, folder: pathlib.Path, path: pathlib.Path, *options: str) -> dict:
    """The manifest of the object."""
    runtime = "rt" if path.parent.name == "with_runtime" else "none"
    run(build / "bin" / "hilo", "compile", path, "--to", "object", "-o", folder / path.stem, "--runtime", runtime, *options)
    return json.loads((folder / f"{path.stem}.json").read_text())


def libraries(manifest: dict, build: pathlib.Path) -> list:
    return [*([build / "lib" / "libhilo_rt.a"] if manifest["runtime"] == "rt" else []), "-lm"]


def children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compile_and_link(build: pathlib.Path, folder: pathlib.Path, path: pathlib.Path) -> tuple[dict, float]:
    """The manifest, and the least processors' seconds of three to compile and link a program that calls it."""
    main = folder / "main.c"
    best = math.inf
    for _ in range(3):
        started = children_seconds()
        manifest = compiled(build, folder, path)
        elapsed = children_seconds() - started
        main.write_text(f'#include "{path.stem}.h"\nint main(void) {{ return {path.stem}_call(0, 0, 0, 0); }}\n')
        run("cc", "-c", main, "-o", folder / "main.o", cwd=folder)
        started = children_seconds()
        run("cc", folder / "main.o", folder / f"{path.stem}.o", *libraries(manifest, build), "-o", folder / "main")
        best = min(best, elapsed + children_seconds() - started)
    return manifest, best


def measured(build: pathlib.Path, folder: pathlib.Path, path: pathlib.Path, python) -> Row:
    name = path.stem
    manifest, seconds = compile_and_link(build, folder, path)
    arrays = manifest["arguments"] + manifest["results"]
    numbers = inputs_of(name, [array["shape"] for array in manifest["arguments"]])
    inputs, results = folder / f"{name}.inputs", folder / f"{name}.results"
    inputs.write_bytes(b"".join(struct.pack(f"<{len(values)}{FORMATS[array['type']]}", *values)
                                for array, values in zip(manifest["arguments"], numbers, strict=True)))
    peers = [f"{who}={folder}/{name}.{who}.so" for who in ("CasADi", "Eigen") if (folder / f"{name}.{who}.so").exists()]
    sizes = "".join(f"{array['bytes']}," for array in arrays)
    run("cc", "-O2", f"-DMODEL={name}", f"-DPREFIX={name.upper()}", f'-DHEADER="{name}.h"', f"-DSIZES={sizes}",
        f"-I{folder}", f"-I{ROOT}/src", HERE / "loop.c", folder / f"{name}.o", *libraries(manifest, build), f"-L{build}/lib",
        f"-Wl,-rpath,{build}/lib", "-lhilo", "-ldl", "-o", folder / "loop")
    lines = run("taskset", "-c", "0", folder / "loop", path, inputs, results, *peers).splitlines()
    times = {key: float(value) for key, value in (line.split("\t") for line in lines)}
    allocations = int(times.pop("allocations"))
    if python is not None and path.suffix == ".jax":
        times["jaxlib"] = float(run("taskset", "-c", "0", python, HERE / "jax_calls.py", path, inputs, f"{results}.jaxlib"))
    bits = pathlib.Path(f"{results}.object").read_bytes()
    kind = manifest["results"][0]["type"]
    wrong = [who for who in OTHERS[1:] if who in times and not close(bits, pathlib.Path(f"{results}.{who}").read_bytes(), kind)]
    return Row(manifest["text_bytes"], seconds, times, allocations, bits == pathlib.Path(f"{results}.jit").read_bytes(),
               under_qemu(build, folder, path), wrong)


def close(ours: bytes, theirs: bytes, kind: str) -> bool:
    values = [struct.unpack(f"<{len(ours) // struct.calcsize(FORMATS[kind])}{FORMATS[kind]}", part) for part in (ours, theirs)]
    largest = max(abs(value) for value in values[0])
    return all(abs(a - b) <= CLOSE[kind] * largest for a, b in zip(*values, strict=True))


def under_qemu(build: pathlib.Path, folder: pathlib.Path, path: pathlib.Path) -> str:
    """"yes", or why the program's test didn't pass on AArch64."""
    if shutil.which("qemu-aarch64") is None or shutil.which("aarch64-linux-gnu-gcc") is None:
        return "no qemu"
    manifest = compiled(build, folder, path, "--target", "aarch64", "--test")
    if manifest["runtime"] == "rt" and not (build / "arm/whole/lib/libhilo_rt.a").exists():
        return "no make arm"
    run("aarch64-linux-gnu-gcc", "-static", folder / f"{path.stem}_test.c", folder / f"{path.stem}.o",
        *libraries(manifest, build / "arm/whole"), "-o", folder / "arm", "-lm")
    return "yes" if subprocess.run(["qemu-aarch64", folder / "arm"]).returncode == 0 else "differs"


def faults(row: Row) -> list[str]:
    """What must be so however busy the machine is."""
    return [text for text, is_bad in (
        (f"more than {MAX_TEXT} bytes of text", row.text_bytes > MAX_TEXT), ("allocates", row.allocations != 0),
        ("other bits than jit's", not row.has_bits_of_jit), ("differs under qemu", row.under_qemu == "differs"),
        (f"other results than {', '.join(row.wrong)}", bool(row.wrong))) if is_bad]


def show(rows: dict[str, Row]) -> None:
    print(f"\n{'ns a call':12}{'object':>10}" + "".join(f"{who:>19}" for who in OTHERS))
    for name, row in rows.items():
        own = row.times["object"]
        others = (f"{row.times[who]:,.0f} ({row.times[who] / own:.2f})" if who in row.times else "" for who in OTHERS)
        print(f"{name:12}{own:10,.0f}" + "".join(f"{text:>19}" for text in others))
    print(f"\n{'':12}{'text':>9}{'compile, link':>15}{'overhead':>11}{'allocations':>13}{'bits of jit':>13}{'on aarch64':>13}")
    for name, row in rows.items():
        print(f"{name:12}{row.text_bytes / 1e3:6.1f} kB{row.seconds:13.2f} s{row.overhead:8.1f} ns{row.allocations:13}"
              f"{'yes' if row.has_bits_of_jit else 'no':>13}{row.under_qemu:>13}")
    for name, row in rows.items():
        slow = [text for text, is_bad in ((f"compiles and links in more than {MAX_SECONDS:.0f} s", row.seconds > MAX_SECONDS),
                                          (f"an overhead of more than {MAX_OVERHEAD:.0f} ns", row.overhead > MAX_OVERHEAD))
                if is_bad]
        for text in faults(row) + slow:
            print(f"{name}: {text}")


if __name__ == "__main__":
    sys.exit(main())
