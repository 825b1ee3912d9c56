# SPDX-License-Identifier: Apache-2.0
"""reading_jax.py FOLDER -- how fast jaxlib reads the files that bench/reading.cc wrote: prints "form<TAB>bytes<TAB>
microseconds" a line. MLIR is parsed and verified, artefacts are brought to today's StableHLO."""
import os
import pathlib
import statistics
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")

from jax._src.interpreters import mlir as jax_mlir  # noqa: E402
from jaxlib import _hlo  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir._mlir_libs import _stablehlo  # noqa: E402

CONTEXT = jax_mlir.make_ir_context()


def from_text(data):
    with CONTEXT:
        return ir.Module.parse(data.decode())


READERS = {
    "program.mlir": from_text,
    "program.mlirbc": lambda data: _stablehlo.deserialize_portable_artifact(CONTEXT, data),
    "program.hlo": lambda data: _hlo.hlo_module_from_text(data.decode()),
    "program.hlo.pb": _hlo.HloModule.from_serialized_hlo_module_proto,
}
for name, read in READERS.items():
    data = (pathlib.Path(sys.argv[1]) / name).read_bytes()
    read(data)
    samples = []
    begin = time.perf_counter()
    while len(samples) < 5 or time.perf_counter() - begin < 1:
        started = time.perf_counter()
        result = read(data)
        samples.append(time.perf_counter() - started)
        del result
    print(f"{name}\t{len(data)}\t{1e6 * statistics.median(samples):.1f}", flush=True)
