#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records results of flax's layers: `record_layers.py tests/nn/data/layers.npz`. Needs jax 0.10.2 and flax 0.12.8.

For each layer NAME the file has NAME/in, NAME/param/..., NAME/out, and NAME/grad/...: the gradient of sum(out *
weights) with respect to each parameter and to the input. The weights are cos(0), cos(1), ..."""

import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import flax.linen as nn  # noqa: E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

RANDOM = np.random.RandomState(0)
OUT: dict[str, np.ndarray] = {}


def normal(*shape):
    return jnp.asarray(RANDOM.standard_normal(shape), jnp.float32)


def weights(shape):
    return jnp.cos(jnp.arange(np.prod(shape), dtype=jnp.float32)).reshape(shape)


def record(name, f, params, *inputs):
    """Returns f(params, *inputs) and its gradients; params is a flat dict."""
    out = f(params, *inputs)
    grads, by_input = jax.grad(lambda p, x: jnp.sum(f(p, x, *inputs[1:]) * weights(out.shape)),
                               (0, 1))(params, inputs[0])
    OUT[f"{name}/in"], OUT[f"{name}/out"], OUT[f"{name}/grad/in"] = inputs[0], out, by_input
    for i, more in enumerate(inputs[1:]):
        OUT[f"{name}/in{i + 1}"] = more
    for key, value in params.items():
        OUT[f"{name}/param/{key}"], OUT[f"{name}/grad/{key}"] = value, grads[key]


def flat(tree):
    return {jax.tree_util.keystr(path, simple=True, separator="."): normal(*leaf.shape)
            for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]}


def layer(name, module, x, *more):
    shapes = module.init(jax.random.key(0), x, *more)["params"]
    structure = jax.tree.structure(shapes)
    record(name, lambda p, *xs: module.apply({"params": jax.tree.unflatten(structure, list(p.values()))}, *xs), flat(shapes),
           x, *more)


def batch_norm():
    module = nn.BatchNorm(use_running_average=False)
    x, stats = 2 * normal(5, 4, 3) + 1, {"mean": normal(3), "var": normal(3) ** 2}
    params = {"bias": normal(3), "scale": normal(3)}
    apply = lambda p, x: module.apply({"params": p, "batch_stats": stats}, x, mutable=["batch_stats"])  # noqa: E731
    record("batch_norm_train", lambda p, x: apply(p, x)[0], params, x)
    new = apply(params, x)[1]["batch_stats"]
    still = nn.BatchNorm(use_running_average=True)
    record("batch_norm", lambda p, x: still.apply({"params": p, "batch_stats": stats}, x), params, x)
    for key in ("mean", "var"):
        OUT[f"batch_norm/{key}"], OUT[f"batch_norm/new_{key}"] = stats[key], new[key]


def lstm():
    xs, cell = normal(2, 5, 3), nn.OptimizedLSTMCell(4)
    params = cell.init(jax.random.key(0), cell.initialize_carry(jax.random.key(0), (2, 3)), xs[:, 0])["params"]
    names = flat(params)
    def f(p, xs):
        carry = (jnp.zeros((2, 4)), jnp.zeros((2, 4)))
        out = []
        for t in range(xs.shape[1]):
            carry, y = cell.apply({"params": jax.tree.unflatten(jax.tree.structure(params), list(p.values()))}, carry,
                                  xs[:, t])
            out.append(y)
        return jnp.stack(out, 1)
    record("lstm", f, names, xs)


def gru():
    xs, cell = normal(2, 5, 3), nn.GRUCell(4)
    params = cell.init(jax.random.key(0), jnp.zeros((2, 4)), xs[:, 0])["params"]
    names = flat(params)
    def f(p, xs):
        h, out = jnp.zeros((2, 4)), []
        for t in range(xs.shape[1]):
            h, y = cell.apply({"params": jax.tree.unflatten(jax.tree.structure(params), list(p.values()))}, h, xs[:, t])
            out.append(y)
        return jnp.stack(out, 1)
    record("gru", f, names, xs)


def rotary(x, base=10000.0):
    """Rotary positions of Su et al. (2021) with halves, which flax lacks."""
    half = x.shape[-1] // 2
    angle = jnp.arange(x.shape[-3])[:, None, None] / base ** (jnp.arange(half) / half)
    turned = (x[..., :half] + 1j * x[..., half:]) * jnp.exp(1j * angle)
    return jnp.concatenate([turned.real, turned.imag], -1)


def grouped_attention():
    """Four heads over two key heads, causal, with rotary positions: jax.nn's attention between einsums."""
    params = {"query": normal(8, 4, 6), "key": normal(8, 2, 6), "value": normal(8, 2, 6), "out": normal(4, 6, 8)}
    def f(p, x):
        q, k, v = (jnp.einsum("btf,fhs->bths", x, p[name]) for name in ("query", "key", "value"))
        y = jax.nn.dot_product_attention(rotary(q), rotary(k), v, is_causal=True)
        return jnp.einsum("bths,hsf->btf", y, p["out"])
    record("grouped_attention", f, params, normal(2, 5, 8))


def main():
    layer("dense", nn.Dense(4), normal(2, 3))
    layer("conv", nn.Conv(4, (3, 2), strides=(2, 1)), normal(2, 5, 6, 3))
    layer("conv_grouped", nn.Conv(4, (3,), padding="VALID", kernel_dilation=(2,), feature_group_count=2, use_bias=False),
          normal(2, 9, 6))
    layer("layer_norm", nn.LayerNorm(), 3 * normal(2, 3, 5) + 2)
    layer("rms_norm", nn.RMSNorm(), 3 * normal(2, 3, 5) + 2)
    layer("group_norm", nn.GroupNorm(num_groups=2), 3 * normal(2, 3, 3, 6) + 2)
    layer("attention", nn.MultiHeadDotProductAttention(num_heads=2, qkv_features=6), normal(2, 4, 6), normal(2, 5, 6))
    batch_norm()
    lstm()
    gru()
    grouped_attention()
    np.savez_compressed(sys.argv[1], **{key: np.asarray(value) for key, value in OUT.items()})


if __name__ == "__main__":
    main()
