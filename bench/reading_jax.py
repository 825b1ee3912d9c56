# SPDX-License-Identifier: Apache-2.0
"""reading_jax.py FOLDER -- times how jaxlib reads the files that bench/reading.cc wrote.

Prints lines "row<TAB>bytes<TAB>microseconds". "parsed" is MLIR parsed and verified, with artifacts upgraded to the
current StableHLO. "to HLO" adds the conversion to an HLO proto."""
import os
import pathlib
import statistics
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")

from jax._src.interpreters import mlir as jax_mlir  # noqa: E402
from jaxlib import _hlo, _jax  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir._mlir_libs import _stablehlo  # noqa: E402

CONTEXT = jax_mlir.make_ir_context()


def from_text(data):
    with CONTEXT:
        return ir.Module.parse(data.decode())


def to_hlo(data):
    return _jax.mlir.mlir_module_to_xla_computation(data, use_tuple_args=False, return_tuple=False)


READERS = {
    "program.mlir": {"parsed": from_text, "to HLO": lambda data: to_hlo(data.decode())},
    "program.mlirbc": {"parsed": lambda data: _stablehlo.deserialize_portable_artifact(CONTEXT, data), "to HLO": to_hlo},
    "program.hlo": {"to HLO": lambda data: _hlo.hlo_module_from_text(data.decode())},
    "program.hlo.pb": {"to HLO": _hlo.HloModule.from_serialized_hlo_module_proto},
}


def microseconds(read, data):
    read(data)
    samples = []
    begin = time.perf_counter()
    while len(samples) < 5 or time.perf_counter() - begin < 1:
        started = time.perf_counter()
        result = read(data)
        samples.append(time.perf_counter() - started)
        del result
    return 1e6 * statistics.median(samples)


for name, rows in READERS.items():
    data = (pathlib.Path(sys.argv[1]) / name).read_bytes()
    for what, read in rows.items():
        print(f"{name} {what}\t{len(data)}\t{microseconds(read, data):.1f}", flush=True)
