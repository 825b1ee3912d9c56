#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record_shardings.py -- records XLA's propagation: programs over a mesh of 8 devices, and the shardings of their
results under jit.

Writes tests/golden/shardings.txt. Needs jax 0.10.2. A program is a line `=== NAME`, a line with one list of axes per
dimension for each result, then its StableHLO.
"""

import os
import pathlib

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P  # noqa: E402

MESH = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
PROGRAMS = {}


def a(shape, *spec, dtype=jnp.float32):
    """An argument of that shape under P(*spec)."""
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(MESH, P(*spec)))


def pin(value, *spec):
    return lax.with_sharding_constraint(value, NamedSharding(MESH, P(*spec)))


def program(name, f, *arguments):
    assert name not in PROGRAMS, name
    PROGRAMS[name] = (f, arguments)


U = P.UNCONSTRAINED
i32 = jnp.int32

# Elementwise, and its conflicts
program("sine", jnp.sin, a((8, 16), "x", "y"))
program("add_same", jnp.add, a((8, 16), "x", "y"), a((8, 16), "x", "y"))
program("add_replicated", jnp.add, a((8, 16), "x", "y"), a((8, 16)))
program("add_other_dimension", jnp.add, a((8, 16), "x"), a((8, 16), None, "y"))
program("add_conflict", jnp.add, a((8, 16), "x"), a((8, 16), "y"))
program("add_conflict_backwards", jnp.add, a((8, 16), "y"), a((8, 16), "x"))
program("add_same_axis_elsewhere", jnp.add, a((8, 16), "x"), a((8, 16), None, "x"))
program("add_prefix", jnp.add, a((8, 16), "x"), a((8, 16), ("x", "y")))
program("add_scalar", lambda v: v + 1, a((8, 16), ("x", "y")))
program("select", lambda c, t, f: jnp.where(c, t, f), a((8, 16), "x", dtype=jnp.bool_), a((8, 16)), a((8, 16), None, "y"))
program("clamp", lambda v: jnp.clip(v, 0, 1), a((8, 16), "y", "x"))
program("convert", lambda v: v.astype(jnp.bfloat16), a((8, 16), None, "y"))
program("softmax", lambda v: jax.nn.softmax(v), a((8, 16), "x", "y"))
program("layer_norm", lambda v, s: (v - v.mean(-1, keepdims=True)) * s, a((8, 16), "x"), a((16,), "y"))
program("constant", lambda v: (v + 1, jnp.zeros((8, 16))), a((8, 16), "x"))
program("iota", lambda v: v + jnp.arange(16), a((16,), ("x", "y")))

# Shapes
program("transpose", jnp.transpose, a((8, 16), "x", "y"))
program("transpose_3", lambda v: v.transpose(2, 0, 1), a((4, 8, 16), "x", None, "y"))
program("reshape_merge", lambda v: v.reshape(128), a((8, 16), "x"))
program("reshape_merge_minor", lambda v: v.reshape(128), a((8, 16), None, "y"))
program("reshape_merge_both", lambda v: v.reshape(128), a((8, 16), "x", "y"))
program("reshape_merge_full", lambda v: v.reshape(32), a((2, 16), "x", "y"))
program("reshape_split", lambda v: v.reshape(8, 16), a((128,), ("x", "y")))
program("reshape_split_small", lambda v: v.reshape(2, 64), a((128,), ("x", "y")))
program("reshape_split_part_of_axis", lambda v: v.reshape(2, 64), a((128,), "y"))
program("reshape_odd", lambda v: v.reshape(6, 4), a((4, 6), "x"))
program("reshape_ones", lambda v: v.reshape(1, 8, 1, 16), a((8, 16), "x", "y"))
program("broadcast", lambda v: jnp.broadcast_to(v, (4, 8, 16)), a((8, 16), "x", "y"))
program("broadcast_column", lambda v: jnp.broadcast_to(v[:, None], (8, 16)), a((8,), "x"))
program("squeeze", lambda v: v.squeeze(1), a((8, 1, 16), "x", None, "y"))
program("reverse", lambda v: v[::-1], a((8, 16), "x", "y"))
program("bitcast", lambda v: lax.bitcast_convert_type(v, jnp.uint8), a((8, 16), "x", "y"))

# Reductions
program("sum_rows", lambda v: v.sum(0), a((8, 16), "x", "y"))
program("sum_columns", lambda v: v.sum(1), a((8, 16), "x", "y"))
program("sum_all", lambda v: v.sum(), a((8, 16), "x", "y"))
program("sum_keep", lambda v: v.sum(1, keepdims=True), a((8, 16), "x", "y"))
program("argmax", lambda v: v.argmax(0), a((8, 16), "x", "y"))
program("cumsum", lambda v: jnp.cumsum(v, 0), a((8, 16), "x", "y"))
program("max_pool", lambda v: lax.reduce_window(v, -jnp.inf, lax.max, (1, 2), (1, 2), "VALID"), a((8, 16), "x", "y"))

# Products
program("matmul_rows", jnp.matmul, a((8, 16), "x"), a((16, 32)))
program("matmul_columns", jnp.matmul, a((8, 16)), a((16, 32), None, "y"))
program("matmul_both", jnp.matmul, a((8, 16), "x"), a((16, 32), None, "y"))
program("matmul_contracting", jnp.matmul, a((8, 16), None, "y"), a((16, 32), "y"))
program("matmul_rows_and_contracting", jnp.matmul, a((8, 16), "x", "y"), a((16, 32), "y"))
program("matmul_one_contracting", jnp.matmul, a((8, 16), "x", "y"), a((16, 32)))
program("matmul_same_axis", jnp.matmul, a((8, 16), "x"), a((16, 32), None, "x"))
program("matmul_same_axis_larger_right", jnp.matmul, a((8, 16), "x"), a((16, 128), None, "x"))
program("matmul_contracting_conflict", jnp.matmul, a((8, 16), None, "x"), a((16, 32), "y"))
program("matmul_contracting_elsewhere", jnp.matmul, a((8, 16), "y"), a((16, 32), "y"))
program("matmul_batch", jnp.matmul, a((4, 8, 16), "x"), a((4, 16, 32), None, None, "y"))
program("einsum", lambda v, w: jnp.einsum("bsh,hnd->bsnd", v, w), a((4, 8, 16), "x"), a((16, 4, 8), None, "y"))
program("outer", jnp.outer, a((8,), "x"), a((16,), "y"))
program("attention", lambda q, k, v: jnp.einsum("bnqk,bkne->bqne", jax.nn.softmax(jnp.einsum("bqne,bkne->bnqk", q, k)), v),
        a((4, 8, 4, 8), "x", None, "y"), a((4, 8, 4, 8), "x", None, "y"), a((4, 8, 4, 8), "x", None, "y"))


def mlp(w, v):
    for weight, bias in w:
        v = jax.nn.relu(v @ weight + bias)
    return v


def loss(w, v):
    return (mlp(w, v) ** 2).mean()


DATA = ([(a((16, 32)), a((32,))), (a((32, 8)), a((8,)))], a((64, 16), ("x", "y")))
TENSOR = ([(a((16, 32), None, "y"), a((32,), "y")), (a((32, 8), "y"), a((8,)))], a((64, 16), "x"))
FSDP = ([(a((16, 32), "x"), a((32,))), (a((32, 8), "x"), a((8,)))], a((64, 16), "x"))
for kind, arguments in (("data", DATA), ("tensor", TENSOR), ("fsdp", FSDP)):
    program("mlp_" + kind, mlp, *arguments)
    program("mlp_gradient_" + kind, jax.grad(loss), *arguments)


def step(w, v):
    return jax.tree.map(lambda p, g: p - 0.1 * g, w, jax.grad(loss)(w, v))


program("step_tensor", step, *TENSOR)
program("step_fsdp", step, *FSDP)


def conv(v, k, groups=1):
    return lax.conv_general_dilated(v, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups)


program("conv_batch", conv, a((8, 16, 16, 4), "x"), a((3, 3, 4, 8)))
program("conv_features", conv, a((8, 16, 16, 4), "x"), a((3, 3, 4, 8), None, None, None, "y"))
program("conv_height", conv, a((8, 16, 16, 4), None, "y"), a((3, 3, 4, 8)))
program("conv_contracting", conv, a((8, 16, 16, 4), None, None, None, "y"), a((3, 3, 4, 8), None, None, "y"))
program("conv_groups", lambda v, k: conv(v, k, 4), a((8, 16, 16, 4), None, None, None, "y"), a((3, 3, 1, 8)))
program("conv_gradient", jax.grad(lambda v, k: conv(v, k).sum(), (0, 1)), a((8, 16, 16, 4), "x"),
        a((3, 3, 4, 8), None, None, None, "y"))

# Slices and indices
program("slice", lambda v: v[2:6], a((8, 16), "x", "y"))
program("slice_one", lambda v: v[0], a((8, 16), "x", "y"))
program("pad", lambda v: jnp.pad(v, ((0, 0), (1, 1))), a((8, 16), "x", "y"))
program("roll", lambda v: jnp.roll(v, 1, 1), a((8, 16), "x", "y"))
program("concatenate_along", lambda v, w: jnp.concatenate([v, w], 1), a((8, 16), "x", "y"), a((8, 16), "x", "y"))
program("concatenate_one", lambda v, w: jnp.concatenate([v, w], 0), a((8, 16), None, "y"), a((8, 16)))
program("stack", lambda v, w: jnp.stack([v, w]), a((8, 16), "x"), a((8, 16), None, "y"))
program("dynamic_slice", lambda v, i: lax.dynamic_slice(v, (i, 0), (4, 16)), a((8, 16), "x", "y"), a((), dtype=i32))
program("dynamic_update_slice", lambda v, w, i: lax.dynamic_update_slice(v, w, (i, 0)), a((8, 16), "x", "y"), a((4, 16)), a((), dtype=i32))
program("take_rows", lambda t, i: t[i], a((64, 16), None, "y"), a((8,), "x", dtype=i32))
program("take_sharded_rows", lambda t, i: t[i], a((64, 16), "y"), a((8,), dtype=i32))
program("take_along", lambda t, i: jnp.take_along_axis(t, i, 1), a((8, 16), "x", "y"), a((8, 4), "x", dtype=i32))
program("one_hot", lambda i: jax.nn.one_hot(i, 16), a((8,), "x", dtype=i32))
program("scatter_add", lambda t, i, u: t.at[i].add(u), a((64, 16), None, "y"), a((8,), dtype=i32), a((8, 16)))
program("scatter_updates", lambda t, i, u: t.at[i].add(u), a((64, 16)), a((8,), "x", dtype=i32), a((8, 16), "x", "y"))
program("scatter_rows", lambda t, i, u: t.at[i].set(u), a((64, 16), "x"), a((8,), dtype=i32), a((8, 16)))
program("embedding_gradient", jax.grad(lambda t, i: (t[i] ** 2).sum()), a((64, 16), None, "y"), a((8,), "x", dtype=i32))
program("sort_along", lambda v: jnp.sort(v, 1), a((8, 16), "x", "y"))
program("sort_other", lambda v: jnp.sort(v, 0), a((8, 16), None, "y"))
program("argsort", lambda v: jnp.argsort(v, 1), a((8, 16), "x"))
program("top_k", lambda v: lax.top_k(v, 4), a((8, 16), "x", "y"))
program("fft", jnp.fft.fft, a((8, 16), "x"))
program("cholesky", jnp.linalg.cholesky, a((8, 4, 4), ("x", "y")))
program("triangular_solve", lambda m, b: lax.linalg.triangular_solve(m, b, left_side=True), a((8, 4, 4), "x"),
        a((8, 4, 8), None, None, "y"))

# Control flow
program("while", lambda v: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, jnp.sin(c[1])), (0, v)),
        a((8, 16), "x", "y"))
program("while_capture", lambda v, w: lax.fori_loop(0, 3, lambda i, c: c @ w, v), a((8, 16), "x"), a((16, 16), None, "y"))
program("while_body_only", lambda v, w: lax.fori_loop(0, 3, lambda i, c: c + w, v), a((8, 16)), a((8, 16), "x"))
program("while_zeros", lambda w: lax.fori_loop(0, 3, lambda i, c: c + w, jnp.zeros((8, 16))), a((8, 16), "x", "y"))
program("scan_dots", lambda v, w: lax.scan(lambda c, m: (c @ m, c.sum(1)), v, w), a((8, 16), "x"), a((4, 16, 16), None, None, "y"))
program("scan_xs", lambda v: lax.scan(lambda c, r: (c + r, r * 2), jnp.zeros(16), v), a((8, 16), None, "y"))
program("scan_gradient", jax.grad(lambda w, v: lax.scan(lambda c, m: (jnp.tanh(c @ m), None), v, w)[0].sum()),
        a((4, 16, 16), None, None, "y"), a((8, 16), "x"))
program("cond", lambda p, v, w: lax.cond(p, lambda: v * 2, lambda: w), a((), dtype=jnp.bool_), a((8, 16), "x"),
        a((8, 16), None, "y"))
program("switch", lambda i, v: lax.switch(i, [jnp.sin, jnp.cos, lambda u: u], v), a((), dtype=i32), a((8, 16), "x", "y"))
program("call_twice", lambda v, w: (jax.jit(jnp.fft.fft)(v), jax.jit(jnp.fft.fft)(w)), a((8, 16), "x"), a((8, 16), "y"))
program("map", lambda v: lax.map(lambda r: r * 2, v), a((8, 16), "x", "y"))
program("barrier", lambda v, w: lax.optimization_barrier((v + 1, w)), a((8, 16), "x"), a((16,), "y"))
program("remat", lambda v: jax.grad(jax.checkpoint(lambda u: jnp.sin(u @ u.T).sum()))(v), a((8, 16), "x", "y"))
program("custom_vjp", lambda v: jax.grad(lambda u: jax.nn.relu(u).sum())(v), a((8, 16), "x", "y"))

# Constraints
program("pin_result", lambda v: pin(v * 2, "x", "y"), a((8, 16)))
program("pin_middle", lambda v: jnp.sin(pin(v * 2, None, "y")) + 1, a((8, 16), "x"))
program("pin_replicated", lambda v: jnp.sin(pin(v * 2)), a((8, 16), "x"))
program("pin_side", lambda v: (pin(v * 2, "x"), v * 3), a((8, 16)))
program("pin_backwards", lambda v, w: pin(v @ w, "x", "y"), a((8, 16)), a((16, 32)))
program("pin_unconstrained", lambda v: pin(v * 2, U, "y") + 1, a((8, 16), "x"))
program("pin_in_loop", lambda v: lax.fori_loop(0, 3, lambda i, c: pin(c * 2, "x"), v), a((8, 16)))
program("pin_two", lambda v: pin(jnp.sin(pin(v, "x")), None, "y") * 2, a((8, 16)))
program("pin_vmap", lambda v: jax.vmap(lambda u: pin(u * 2, "y"))(v), a((8, 16), "x"))
program("pin_gather", lambda v: pin(v + 1) + v, a((8, 16), "x", "y"))

# Edges: sizes that don't divide, by hand, random numbers
program("concatenate_odd", lambda v: jnp.concatenate([v, v[:, :1]], 1), a((8, 16), None, "y"))
program("pad_odd", lambda v: jnp.pad(v, ((0, 1),)), a((8,), "x"))
program("slice_odd", lambda v: v[:6], a((8,), ("x", "y")))
program("shard_map", lambda v: jax.shard_map(lambda b: b * 2, mesh=MESH, in_specs=P("x", "y"),
                                             out_specs=P("x", "y"))(v) + 1, a((8, 16)))
program("shard_map_sum", lambda v: jax.shard_map(lambda b: lax.psum(b, "y"), mesh=MESH, in_specs=P("x", "y"),
                                                 out_specs=P("x"))(v), a((8, 16), "x", "y"))


def by_hand(f, ins, outs, **options):
    return jax.shard_map(f, mesh=MESH, in_specs=ins, out_specs=outs, check_vma=False, **options)


def ring(v):
    return by_hand(lambda b: lax.ppermute(b, "y", [(i, (i + 1) % 4) for i in range(4)]) * lax.axis_index("y"),
                   P("x", "y"), P("x", "y"))(v)


def steps(v):
    """Power iteration on shards: collectives in a loop, and a shard that only one device has."""
    def body(b):
        return lax.fori_loop(0, 3, lambda _, c: c / (1 + jnp.abs(lax.psum(c, "y"))), b)
    return by_hand(body, P("x", "y"), P("x", "y"))(v)


program("shard_map_ring", lambda v: ring(v) + v, a((8, 16), "x", "y"))
program("shard_map_loop", lambda v: steps(v).sum(1), a((8, 16), "x"))
program("shard_map_gather", lambda v, w: by_hand(lambda b, c: b @ lax.all_gather(c, "y", axis=0, tiled=True),
                                                 (P("x"), P("y")), P("x"))(v, w), a((8, 16), "x"), a((16, 8), "y"))
program("shard_map_scatter", lambda v: by_hand(lambda b: lax.psum_scatter(b, "x", scatter_dimension=1, tiled=True),
                                               P("x"), P(None, "x"))(v), a((8, 16), "y"))
program("shard_map_exchange", lambda v: by_hand(lambda b: lax.all_to_all(b, "y", 1, 0, tiled=True), P("y"),
                                                P(None, "y"))(jnp.sin(v)), a((8, 16), "x"))
program("shard_map_some_axes", lambda v: by_hand(lambda b: lax.psum(b * 2, "x"), P("x"), P(), axis_names={"x"})(v) + 1, a((8, 16), "x", "y"))
program("shard_map_gradient", lambda v, w: jax.grad(lambda u: by_hand(lambda b, c: lax.pmean(jnp.sin(b @ c), "y"),
                                                                      (P("x", "y"), P("y")), P("x"))(v, u).sum())(w),
        a((8, 16), "x", "y"), a((16, 8), "y"))
program("shard_map_nested", lambda v: by_hand(lambda b: jax.shard_map(lambda c: lax.psum(c, "y"), in_specs=P(None, "y"),
                                                                      out_specs=P(), axis_names={"y"},
                                                                      check_vma=False)(b) * 2, P("x"), P("x"),
                                              axis_names={"x"})(v), a((8, 16), "x"))
add_maximum = by_hand(lambda b: b + lax.pmax(b, "x"), P("x"), P("x"))
program("shard_map_in_loop", lambda v: lax.fori_loop(0, 2, lambda _, c: add_maximum(c) * 0.5, v), a((8, 16), "x", "y"))
program("random", lambda v: v + jax.random.normal(jax.random.key(0), (8, 16)), a((8, 16), "x", "y"))
program("identity", lambda v, w: (w, v), a((8, 16), "x"), a((16,), "y"))
program("unused", lambda v, w: v, a((8, 16), "x"), a((16,), "y"))


def axes_of(entry):
    if entry is None:
        return ""
    return ",".join((entry,) if isinstance(entry, str) else entry)


def spec_text(array, sharding):
    spec = list(sharding.spec) + [None] * (len(array.shape) - len(sharding.spec))
    return "[" + "".join("{" + axes_of(entry) + "}" for entry in spec) + "]"


def main():
    out = []
    for name, (f, arguments) in PROGRAMS.items():
        lowered = jax.jit(f).lower(*arguments)
        shardings = jax.tree.leaves(lowered.compile().output_shardings)
        results = jax.tree.leaves(lowered.out_info)
        line = " ".join(spec_text(array, sharding) for array, sharding in zip(results, shardings, strict=True))
        out.append(f"=== {name}\n{line}\n{lowered.as_text()}")
    path = pathlib.Path(__file__).with_name("shardings.txt")
    path.write_text("".join(out))
    print(f"{len(out)} programs, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
