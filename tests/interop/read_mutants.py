# SPDX-License-Identifier: Apache-2.0
"""read_mutants.py FORM FILE... -- jaxlib reads each file; prints a point before each. A signal ends the process if
jaxlib crashes or takes too long."""

import os
import pathlib
import signal
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")

from jax._src.interpreters import mlir as jax_mlir  # noqa: E402
from jaxlib import _hlo  # noqa: E402
from jaxlib.mlir._mlir_libs import _stablehlo  # noqa: E402

SECONDS = 20  # for a file
CONTEXT = jax_mlir.make_ir_context()
READERS = {
    "hlo_text": lambda data: _hlo.hlo_module_from_text(data.decode(errors="replace")),
    "hlo_proto": _hlo.HloModule.from_serialized_hlo_module_proto,
    "stablehlo_artefact": lambda data: _stablehlo.deserialize_portable_artifact(CONTEXT, data),
}

read = READERS[sys.argv[1]]
for file in sys.argv[2:]:
    data = pathlib.Path(file).read_bytes()
    os.write(1, b".")
    signal.alarm(SECONDS)
    try:
        read(data)
    except Exception:  # noqa: BLE001, S110: it was read and refused
        pass
