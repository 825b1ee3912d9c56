# SPDX-License-Identifier: Apache-2.0
"""Runs programs with libraries that are written in JAX (tests/interop/library_programs) under JAX on jaxlib and on hilo,
in separate processes, and compares the values. Programs that are a Step are timed: a table has their first call, which
traces in Python and compiles, the compiling in it, and a later call. Ends with "N passed, N failed"."""

import argparse
import importlib
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIBRARIES = ("flax", "optax", "numpyro", "equinox", "diffrax", "optimistix", "haiku", "jaxopt", "blackjax", "jraph", "e3nn", "distrax",
             "orbax", "mujoco")
ENGINES = ("jaxlib", "hilo")
SECONDS = 900  # for a library's programs
CALLS, CALL_SECONDS = 50, 2.0  # for a step: the maximum of repeated calls, and their total time
FIRST, LATER = 0.25, 1.0  # the aims: hilo's time over jaxlib's
COMPILES = "/jax/core/compile/backend_compile_duration"  # JAX's event
# Programs iterate: rounding differs in the last bit of one step, and grows with the steps.
RELATIVE, ABSOLUTE = 2e-3, 2e-4


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo of a build")
    parser.add_argument("--library", choices=LIBRARIES)
    parser.add_argument("--run", help=argparse.SUPPRESS)  # in a separate process: the file for the results
    arguments = parser.parse_args()
    sys.path.insert(0, str(HERE))
    if arguments.run:
        return run_here(arguments.library, arguments.run)
    from report import report
    libraries = [arguments.library] if arguments.library else LIBRARIES
    times = {}
    status = report(case for library in libraries for case in compare(arguments.command, library, times))
    print(table(times))
    return status


def run_here(library: str, file: str) -> int:
    """Writes values of the library's programs, or texts of their errors, as a pickle after each program, so that a
    crash loses only the rest."""
    import jax
    import numpy as np
    from library_programs.step import Step
    programs = importlib.import_module(f"library_programs.{library}_programs").PROGRAMS
    values, times = dict.fromkeys(programs, "did not run"), {}
    for name, program in programs.items():
        pathlib.Path(file).write_bytes(pickle.dumps((values, times)))
        try:
            result = program()
            if isinstance(result, Step):
                result, times[name] = timed(result)
            values[name] = [np.asarray(leaf) for leaf in jax.tree.leaves(result) if hasattr(leaf, "dtype")]
        except Exception as error:
            values[name] = "".join(traceback.format_exception_only(error))
    pathlib.Path(file).write_bytes(pickle.dumps((values, times)))
    return 0


def timed(step):
    """The values of the step; the seconds of its first call, of the compiling in it, and of the fastest later call."""
    import jax
    arguments = jax.block_until_ready(step.arguments)
    seconds, compiling = [], []
    jax.monitoring.register_event_duration_secs_listener(
        lambda event, duration, **_: compiling.append(duration) if event == COMPILES and not seconds else None)
    while len(seconds) <= CALLS and (len(seconds) < 3 or sum(seconds[1:]) < CALL_SECONDS):
        begin = time.perf_counter()
        values = jax.block_until_ready(step.function(*arguments))
        seconds.append(time.perf_counter() - begin)
    return values, (seconds[0], sum(compiling), min(seconds[1:]))


def compare(command: pathlib.Path, library: str, times: dict):
    """Each program of the library, and what is wrong. `times` gets those of the steps on both engines."""
    results = {}
    with tempfile.TemporaryDirectory(prefix="hilo_libraries_") as folder:
        for engine in ENGINES:
            file = pathlib.Path(folder) / engine
            file.write_bytes(pickle.dumps(({}, {})))
            ended = run_on(engine, command, library, file)
            values, of_steps = pickle.loads(file.read_bytes())
            results[engine] = values, ended
            for name, seconds in of_steps.items():
                times.setdefault(f"{library}/{name}", {})[engine] = seconds
    yield f"{library}/end", results["hilo"][1]
    for name in results["jaxlib"][0]:
        yield f"{library}/{name}", difference(*(results[engine][0].get(name, "did not run") for engine in ENGINES))


def run_on(engine: str, command: pathlib.Path, library: str, file: pathlib.Path) -> str:
    """Runs the library's programs. Returns how the process ended, if it failed."""
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "JAX_TRACEBACK_FILTERING": "off"}
    if engine == "hilo":
        plugin = command.resolve().parent.parent / "lib" / "libhilo_pjrt.so"
        environment |= {"JAX_PLATFORMS": "hilo,cpu", "PYTHONPATH": str(ROOT / "python"), "JAX_HILO_LIBRARY": str(plugin)}
    own = [sys.executable, __file__, "--command", str(command), "--library", library, "--run", str(file)]
    try:
        done = subprocess.run(own, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace",
                              timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"longer than {SECONDS} s"
    return f"exit status {done.returncode}: {done.stdout[-400:]}" if done.returncode else ""


def table(times: dict) -> str:
    """A row a step: the times of both engines, their ratios, and which aim the row misses."""
    lines = ["step | first call: jaxlib, hilo, ratio | compiling in it: jaxlib, hilo, ratio | later call: jaxlib, hilo, ratio | misses"]
    for name, of_engines in times.items():
        if set(of_engines) != set(ENGINES):
            continue
        (first, compiling, later), (own_first, own_compiling, own_later) = (of_engines[engine] for engine in ENGINES)
        misses = [text for text, misses in (("first call", own_first > FIRST * first), ("later call", own_later > LATER * later)) if misses]
        lines.append(f"{name} | {first * 1e3:.0f} ms, {own_first * 1e3:.0f} ms, {own_first / first:.2f} | "
                     f"{compiling * 1e3:.0f} ms, {own_compiling * 1e3:.0f} ms, {own_compiling / max(compiling, 1e-9):.2f} | "
                     f"{later * 1e6:.0f} us, {own_later * 1e6:.0f} us, {own_later / later:.2f} | {', '.join(misses) or '-'}")
    return "\n".join(lines)


def difference(wanted, got) -> str:
    """Returns the difference of `got` from `wanted`, or nothing."""
    import numpy as np
    for engine, values in zip(ENGINES, (wanted, got)):
        if isinstance(values, str):
            return f"on {engine}: {values.strip().splitlines()[0]}"
    if [value.shape for value in wanted] != [value.shape for value in got]:
        return f"shapes; got {[value.shape for value in got]}; wanted {[value.shape for value in wanted]}"
    if not wanted:
        return "no values"
    for i, (a, b) in enumerate(zip(wanted, got)):
        if not same(a, b):
            with np.errstate(all="ignore"):
                return f"value {i} differs by {np.max(np.abs(a.astype(float) - b.astype(float))):g} of {np.max(np.abs(a)):g}"
    return ""


def same(a, b) -> bool:
    import numpy as np
    if a.dtype.kind not in "fc" and a.dtype.name not in ("bfloat16",):
        return a.dtype == b.dtype and bool(np.array_equal(a, b))
    return a.dtype == b.dtype and bool(np.allclose(a, b, RELATIVE, ABSOLUTE, equal_nan=True))


if __name__ == "__main__":
    sys.exit(main())
