# SPDX-License-Identifier: Apache-2.0
"""Exchanges programs between hilo and XLA as HLO text.

For each program JAX writes HLO text, and `hilo run` computes JAX's results on both engines. hilo prints the text again,
and XLA parses and runs it with the same results. Ends with "N passed, N failed"."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jaxlib import _hlo, _jax  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from programs import PROGRAMS  # noqa: E402
from report import report  # noqa: E402

TOLERANCES = {np.dtype("float16"): 2e-3, np.dtype("float32"): 1e-5, np.dtype("float64"): 1e-12}
RUN_SECONDS = 60


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo")
    parser.add_argument("--match", default="", help="only programs whose name contains this")
    arguments = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    return report((f"{name}/{case}", problem)
                  for name, (function, *inputs) in PROGRAMS.items() if arguments.match in name
                  for case, problem in run_program(arguments.command, function, [np.asarray(x) for x in inputs]))


def run_program(command, function, inputs):
    lowered = jax.jit(function).lower(*inputs)
    text = lowered.compiler_ir("hlo").as_hlo_text()
    wanted = [np.asarray(x) for x in jax.tree.leaves(jax.jit(function)(*inputs))]
    with tempfile.TemporaryDirectory(prefix="hilo_interop_") as folder:
        folder = pathlib.Path(folder)
        (folder / "program.hlo").write_text(text)
        flags = []
        for i, value in enumerate(inputs):
            np.save(folder / f"in{i}.npy", value)
            flags += ["--input", str(folder / f"in{i}.npy")]
        for engine in ("cpu", "reference"):
            yield engine, run_hilo(command, folder, engine, flags, wanted)
        yield "text", back_to_xla(command, folder, inputs, wanted)
        if (marked := with_index_modes(text)) != text:
            (folder / "program.hlo").write_text(marked)
            yield "index_mode", back_to_xla(command, folder, inputs, wanted, "hilo.index_mode=")


def with_index_modes(text) -> str:
    """Adds hilo's attribute to gathers and scatters that their indices are in bounds."""
    mark = ', frontend_attributes={hilo.index_mode="promise_in_bounds"}'
    return "\n".join(re.sub(r"(, metadata=|$)", lambda m: mark + m[0], line, count=1)
                     if re.search(r" (gather|scatter)\(", line) else line for line in text.split("\n"))


def run_hilo(command, folder, engine, flags, wanted) -> str:
    out = folder / engine
    problem, _ = call([command, "run", folder / "program.hlo", *flags, "--engine", engine, "--output-dir", out])
    if problem:
        return problem
    files = sorted(out.glob("*.npy"), key=lambda path: int("".join(c for c in path.stem if c.isdigit()) or 0))
    if len(files) != len(wanted):
        return f"got {len(files)} outputs; wanted {len(wanted)}"
    return difference([np.load(path) for path in files], wanted)


def back_to_xla(command, folder, inputs, wanted, contains="") -> str:
    problem, printed = call([command, "convert", "--to", "hlo", folder / "program.hlo"])
    if problem:
        return problem
    if contains not in printed:
        return f"hilo's text has no {contains}"
    try:
        module = _hlo.hlo_module_from_text(printed)
        got = run_xla(module, inputs)
    except Exception as error:  # noqa: BLE001: whatever XLA says is the finding
        return f"XLA: {str(error)[:300]}"
    return difference(got, wanted)


def run_xla(module, inputs) -> list:
    computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
    mlir = _jax.mlir.xla_computation_to_mlir_module(computation)
    client = jax.devices()[0].client
    executable = client.compile_and_load(mlir, _jax.DeviceList(tuple(jax.devices()[:1])), _jax.CompileOptions())
    results = executable.execute_sharded([jax.device_put(x) for x in inputs])
    return [np.asarray(shards[0]) for shards in results.disassemble_into_single_device_arrays()]


def call(command) -> tuple[str, str]:
    try:
        done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True,
                              errors="replace", timeout=RUN_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error), ""
    return (f"exit status {done.returncode}: {done.stderr.strip()[:300]}" if done.returncode else ""), done.stdout


def difference(got, wanted) -> str:
    for i, (g, w) in enumerate(zip(got, wanted)):
        if g.shape != w.shape or g.dtype != w.dtype:
            return f"output {i}: got {g.dtype}{list(g.shape)}; wanted {w.dtype}{list(w.shape)}"
        tolerance = TOLERANCES.get(w.dtype, 0)
        scale = np.max(np.abs(w), initial=0, where=np.isfinite(w)) if tolerance else 0
        if not np.allclose(g, w, rtol=tolerance, atol=tolerance * scale, equal_nan=bool(tolerance)):
            return f"output {i}: got {g.ravel()[:4]}...; wanted {w.ravel()[:4]}..."
    return ""


if __name__ == "__main__":
    sys.exit(main())
