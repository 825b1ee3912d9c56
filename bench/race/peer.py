# SPDX-License-Identifier: Apache-2.0
"""jaxlib's side of tools/race.py: draws programs and runs them, one at a time, as lines of JSON on stdin ask; each is
answered by one. {"draw": seed, "classes": [...]} gives a program; {"load": program, "folder": DIR} compiles it and
writes it to DIR as program.mlir with inN.npy; {"time": milliseconds} calls for about so long; {"compare": DIR}
compares its results with outN.npy there; {"smaller": program} gives smaller programs. What fails is {"error":
why}."""

import json
import os
import sys
import time

os.environ["JAX_PLATFORMS"] = "cpu"
if os.environ.get("RACE_THREADS") == "one":  # before jaxlib counts processors
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import draw  # noqa: E402
import jax  # noqa: E402
import numpy as np  # noqa: E402
import ops  # noqa: E402
import smaller  # noqa: E402


class Racer:
    def __init__(self):
        self.call, self.inputs, self.result = None, [], None

    def answer(self, message: dict) -> dict:
        if "draw" in message:
            with jax.enable_x64(True):
                return {"program": draw.draw(message["draw"], message["classes"])}
        if "load" in message:
            return self.load(message["load"], message["folder"])
        if "time" in message:
            return self.time(message["time"] / 1e3)
        if "smaller" in message:
            return {"programs": smaller.smaller(message["smaller"])}
        return {"difference": compare(jax.tree.leaves(self.result), message["compare"])}

    def load(self, program: dict, folder: str) -> dict:
        self.result = None
        jax.clear_caches()
        with jax.enable_x64(ops.is_wide(program)):
            inputs = ops.inputs_of(program)
            lowered = jax.jit(ops.function_of(program), keep_unused=True).lower(*inputs)
            begin = time.perf_counter()
            self.call = lowered.compile()
            compiled = time.perf_counter() - begin
            self.inputs = [jax.device_put(x) for x in inputs]
            with open(f"{folder}/program.mlir", "w") as file:
                file.write(lowered.as_text())
            for k, x in enumerate(inputs):
                np.save(f"{folder}/in{k}.npy", x)
            self.run()
        return {"compiled": 1e6 * compiled}

    def run(self):
        self.result = jax.block_until_ready(self.call(*self.inputs))

    def time(self, seconds: float) -> dict:
        self.run()  # another process ran meanwhile
        calls, fastest = 0, float("inf")
        begin, worked = time.perf_counter(), time.process_time()
        while calls == 0 or time.perf_counter() - begin < seconds:
            start = time.perf_counter()
            self.run()
            fastest = min(fastest, time.perf_counter() - start)
            calls += 1
        return {"fastest": 1e6 * fastest, "worked": 1e6 * (time.process_time() - worked) / calls}


# Of sums of many terms and of what follows them, relative to the largest element.
TOLERANCES = {"float64": 1e-6, "complex128": 1e-6, "float32": 2e-3, "complex64": 2e-3, "float16": 2e-2, "bfloat16": 6e-2}


def compare(leaves: list, folder: str) -> str:
    """What differs, or nothing."""
    for k, leaf in enumerate(leaves):
        wanted, got = np.asarray(leaf), np.load(f"{folder}/out{k}.npy")
        got = got.view(wanted.dtype) if got.dtype.kind == "V" else got
        if got.shape != wanted.shape or got.dtype != wanted.dtype:
            return f"result {k}: {got.dtype}{list(got.shape)} for {wanted.dtype}{list(wanted.shape)}"
        tolerance = TOLERANCES.get(str(wanted.dtype), 0)
        wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
        got, wanted = got.astype(wide), wanted.astype(wide)
        finite = np.isfinite(wanted)
        largest = np.max(np.abs(wanted[finite]), initial=0)
        off = ~((got == wanted) | (np.isnan(got) & np.isnan(wanted))
                | (finite & (np.abs(got - wanted) <= tolerance * largest)))
        if np.any(off):
            first = tuple(int(n[0]) for n in np.nonzero(off)) if off.ndim else ()
            return f"result {k}: {np.mean(off):.2%} differ, first {list(first)}: {got[first]} for {wanted[first]}"
    return ""


def main() -> None:
    racer = Racer()
    for line in sys.stdin:
        try:
            answer = racer.answer(json.loads(line))
        except Exception as error:  # the answer names it; the caller decides
            answer = {"error": f"{type(error).__name__}: {error}"[:400]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
