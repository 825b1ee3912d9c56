#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record_link_bytes.py -- records the collectives of XLA:CPU between 8 devices for programs with sharded arguments and
results.

Writes tests/golden/link_bytes.txt. Needs jax 0.10.2. A program is a line `=== NAME`, a line with XLA's collectives,
then its StableHLO. A collective is `op members bytes times`: bytes of the result on one device, and the trip count of
the loop around it.
"""

import os
import pathlib
import re

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P  # noqa: E402

MESH = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
PROGRAMS = {}
R = P()
FREE = object()
u32 = jnp.uint32
i32 = jnp.int32


def a(shape, *spec, dtype=jnp.float32):
    """An argument of that shape under P(*spec)."""
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(MESH, P(*spec)))


def program(name, f, *arguments, out=FREE):
    assert name not in PROGRAMS, name
    PROGRAMS[name] = (f, arguments, out)


def matmul(v, w):
    return v @ w


def mlp(v, w, u):
    return jax.nn.gelu(v @ w) @ u


MLP = (a((64, 256), "x"), a((256, 1024), None, "y"), a((1024, 256), "y"))
NHWC = ("NHWC", "HWIO", "NHWC")

# Products
program("dot_rows", matmul, a((512, 256), "x"), a((256, 128)))
program("dot_contracting", matmul, a((512, 256), None, "y"), a((256, 128), "y"), out=R)
program("dot_contracting_to_rows", matmul, a((512, 256), None, "y"), a((256, 128), "y"), out=P("y"))
program("dot_rows_and_contracting", matmul, a((512, 256), "x", "y"), a((256, 128), "y"), out=P("x"))
program("dot_fsdp", matmul, a((512, 256), "x"), a((256, 128), "x"), out=P("x"))
program("mlp_megatron", mlp, *MLP, out=P("x"))
program("mlp_megatron_gradient", lambda v, w, u: jax.grad(lambda w, u: mlp(v, w, u).sum(), argnums=(0, 1))(w, u), *MLP,
        out=(P(None, "y"), P("y")))

# Rows and windows
program("softmax", lambda v: jax.nn.softmax(v, -1), a((64, 512), "x", "y"), out=P("x", "y"))
program("convolution_height", lambda v, w: lax.conv_general_dilated(v, w, (1, 1), "SAME", dimension_numbers=NHWC),
        a((2, 64, 64, 8), None, "y"), a((3, 3, 8, 16)), out=P(None, "y"))
program("max_pool", lambda v: lax.reduce_window(v, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
        a((2, 64, 64, 8), None, "y"), out=P(None, "y"))
program("roll_stencil", lambda v: jnp.roll(v, 1, 0) + jnp.roll(v, -1, 0) - 2 * v, a((1024, 64), "y"), out=P("y"))
program("pad_and_shift", lambda v: jnp.pad(v, ((1, 1), (0, 0)))[2:] + v, a((1024, 64), "y"), out=P("y"))
program("reverse", lambda v: v[::-1], a((1024, 64), "y"), out=P("y"))

# Indices
program("lookup_in_rows", lambda t, k: t[k], a((1024, 64), "y"), a((32,), dtype=i32), out=R)
program("lookup_by_shared_indices", lambda t, k: t[k], a((1024, 64)), a((32,), "y", dtype=i32), out=P("y"))
program("scatter_into_rows", lambda t, k, u: t.at[k].add(u), a((1024, 64), "y"), a((32,), dtype=i32), a((32, 64)),
        out=P("y"))
program("scatter_shared_updates", lambda t, k, u: t.at[k].add(u), a((1024, 64)), a((32,), "y", dtype=i32),
        a((32, 64), "y"), out=R)
program("dynamic_slice", lambda v, k: lax.dynamic_slice(v, (k, 0), (16, 64)), a((1024, 64), "y"), a((), dtype=i32), out=R)
program("dynamic_update_slice", lambda v, u, k: lax.dynamic_update_slice(v, u, (k, 0)), a((1024, 64), "y"), a((16, 64)),
        a((), dtype=i32), out=P("y"))

# What wants a dimension whole
program("sort_rows", lambda v: jnp.sort(v, 0), a((1024, 64), "y"), out=P("y"))
program("sort_flat", jnp.sort, a((4096,), "y"), out=P("y"))
program("top_k", lambda v: lax.top_k(v, 8)[0], a((64, 1024), None, "y"), out=R)
program("cumsum", lambda v: jnp.cumsum(v, 0), a((1024, 64), "y"), out=P("y"))
program("fft_along", lambda v: jnp.fft.fft(v).real, a((64, 1024), None, "y"), out=P(None, "y"))
program("fft_batch", lambda v: jnp.fft.fft(v).real, a((64, 1024), "y"), out=P("y"))
program("cholesky_batch", jnp.linalg.cholesky, a((8, 64, 64), "y"), out=P("y"))
program("cholesky_one", jnp.linalg.cholesky, a((64, 64), "y"), out=P("y"))

# Numbers and places
program("random_normal", lambda k: jax.random.normal(jax.random.wrap_key_data(k), (1024, 64)), a((2,), dtype=u32), out=P("y"))
program("rows_to_columns", lambda v: v * 2, a((512, 512), "y"), out=P(None, "y"))
program("swap_axes", lambda v: v * 2, a((512, 512), "x", "y"), out=P("y", "x"))
program("transpose", lambda v: v.T, a((512, 512), "x", "y"), out=P("x", "y"))
program("scan_of_dots", lambda v, w: lax.scan(lambda c, m: (jnp.tanh(c @ m), None), v, w)[0], a((64, 256), "x"),
        a((4, 256, 256), None, None, "y"))
program("scan_over_shared", lambda w: lax.scan(lambda c, v: (c + v, None), jnp.zeros((256,)), w)[0], a((64, 256), "y"))
program("sum_all", lambda v: v.sum(), a((512, 512), "x", "y"))
program("argmax", lambda v: v.argmax(1), a((64, 1024), None, "y"), out=R)
program("elementwise", lambda v: v * 2 + 1, a((512, 64), "y"), out=P("y"))
program("concatenate", lambda v, w: jnp.concatenate([v, w], 0), a((512, 64), "y"), a((512, 64), "y"), out=P("y"))
program("reshape_merge", lambda v: v.reshape(64 * 256), a((64, 256), None, "y"))
program("reshape_split", lambda v: v.reshape(2, 512), a((1024,), ("x", "y")))
program("scatter_rows_into_shared", lambda t, k, u: t.at[k].set(u), a((1024, 64), "y"), a((32,), dtype=i32), a((32, 64)),
        out=P("y"))

OPS = "all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute"
WIDTHS = {"f32": 4, "s32": 4, "u32": 4, "pred": 1, "c64": 8, "f64": 8, "s64": 8}


def members_of(line):
    """Returns the number of devices of a group. Groups are lists, an iota shape, or axes of a mesh; permutations have
    pairs."""
    if listed := re.search(r"replica_groups=\{\{([\d,]*)\}", line):
        return len(listed[1].split(","))
    if counted := re.search(r"replica_groups=\[\d+,(\d+)\]", line):
        return int(counted[1])
    if named := re.search(r"replica_groups=mesh\[(.*?)\].*?\{([^}]*)\}", line):
        sizes = dict(re.findall(r"'(\w+)'=(\d+)", named[1]))
        return int(np.prod([int(sizes[axis]) for axis in re.findall(r"'(\w+)'", named[2])]))
    assert "source_target_pairs" in line, line
    return 2


def collectives(text):
    """Returns XLA's collectives of a compiled program. A combined one has a tuple of results; the result of an async
    start includes its operand."""
    trips = dict(re.findall(r"body=(%[\w.\-]+).*?known_trip_count\":{\"n\":\"(\d+)\"", text))
    made = []
    owner = ""
    for line in text.splitlines():
        if line and not line.startswith(" "):
            owner = line.split()[0]
        found = re.match(r"\s*(?:ROOT )?\S+ = (.*?) (" + OPS + r")\(", line)
        if not found:
            continue
        arrays = re.findall(r"(\w+)\[([\d,]*)\]", found[1])
        size = sum(WIDTHS[t] * int(np.prod([int(d) for d in dims.split(",") if d] or [1])) for t, dims in arrays)
        made.append(f"{found[2]} {members_of(line)} {size} {trips.get(owner, 1)}")
    return made


def shardings(out):
    if out is FREE:
        return None
    if isinstance(out, tuple) and not isinstance(out, P):
        return tuple(NamedSharding(MESH, spec) for spec in out)
    return NamedSharding(MESH, out)


def main():
    out = []
    for name, (f, arguments, results) in PROGRAMS.items():
        jitted = jax.jit(f) if results is FREE else jax.jit(f, out_shardings=shardings(results))
        lowered = jitted.lower(*arguments)
        line = ", ".join(collectives(lowered.compile().as_text()))
        print(f"{name:28} {line}")
        out.append(f"=== {name}\n{line}\n{lowered.as_text()}")
    path = pathlib.Path(__file__).with_name("link_bytes.txt")
    path.write_text("".join(out))
    print(f"{len(out)} programs, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
