# SPDX-License-Identifier: Apache-2.0
"""Checks that the structs of PJRT's C API that jaxlib passes are as large as hilo's, or that their extra fields are known.

A plugin between the two (caller_sizes.cc) records the sizes. Ends with "N passed, N failed"."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from report import report  # noqa: E402

# Structs that grew, the size that was looked at, and what hilo does about the new fields.
GREW = {"PJRT_ExecuteOptions": (160, "16 bytes of version 0.116 that jaxlib leaves zero: ignored, as all that a caller adds at the end")}
FEWEST = 60  # functions that the program reaches
PROGRAM = """
import jax, jax.numpy as jnp, numpy as np
from jax.experimental import serialize_executable
from jax.sharding import NamedSharding, PartitionSpec
devices = jax.devices()
x = jax.device_put(np.arange(12.0).reshape(3, 4))
function = jax.jit(lambda a: (a @ a.T, a.sum()))
compiled = function.lower(x).compile()
compiled.as_text(), compiled.cost_analysis(), compiled.memory_analysis(), compiled.input_shardings, compiled.output_shardings
jax.block_until_ready(function(x))
jax.jit(lambda a: a + 1, donate_argnums=0)(x)
y = jnp.ones(4)
np.asarray(y), y.unsafe_buffer_pointer(), y.is_ready(), y.on_device_size_in_bytes(), jax.device_put(y, devices[-1]), np.from_dlpack(y)
serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
mesh = jax.make_mesh((len(devices),), ("x",))
z = jax.device_put(np.arange(8.0), NamedSharding(mesh, PartitionSpec("x")))
jax.device_put(jax.jit(lambda a: a * 2)(z), NamedSharding(mesh, PartitionSpec()))
assert jax.pure_callback(lambda v: v + 1, jax.ShapeDtypeStruct((), jnp.float32), jnp.float32(1)) == 2
devices[0].addressable_memories(), devices[0].default_memory(), devices[0].memory_stats()
jax.device_put(y, jax.sharding.SingleDeviceSharding(devices[0], memory_kind="pinned_host"))
y.delete()
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo of a build")
    return report(cases(parser.parse_args().command.resolve().parent.parent / "lib" / "libhilo_pjrt.so"))


def cases(plugin: pathlib.Path):
    with tempfile.TemporaryDirectory(prefix="hilo_caller_sizes_") as folder:
        between, sizes = pathlib.Path(folder) / "between.so", pathlib.Path(folder) / "sizes"
        source = pathlib.Path(__file__).with_suffix(".cc")
        subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-shared", "-fPIC", "-w", f"-I{ROOT / 'src'}",
                        "-o", between, source, "-ldl"], check=True)
        environment = os.environ | {
            "JAX_PLATFORMS": "hilo,cpu", "JAX_HILO_DEVICES": "4", "PYTHONPATH": str(ROOT / "python"),
            "HILO_CACHE": "off", "JAX_HILO_LIBRARY": str(between), "SIZES_OF": str(plugin), "SIZES_TO": str(sizes)}
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        yield "program", f"exit status {done.returncode}: {done.stdout[-400:]}" if done.returncode else ""
        rows = [line.split() for line in sizes.read_text().splitlines()] if sizes.exists() else []
    yield "functions", "" if len(rows) >= FEWEST else f"got {len(rows)}; wanted {FEWEST}"
    for name, theirs, ours in ((name, int(theirs), int(ours)) for name, theirs, ours in rows):
        known = GREW.get(name, (ours, ""))[0]
        yield name, f"jaxlib's has {theirs} bytes, ours {ours}: its new fields aren't looked at yet" if theirs > known else ""


if __name__ == "__main__":
    sys.exit(main())
