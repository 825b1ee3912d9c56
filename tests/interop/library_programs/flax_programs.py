# SPDX-License-Identifier: Apache-2.0
"""Programs with flax: layers, training, state, attention, recurrent cells. name -> a function that gives a tree of
arrays."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import nnx, serialization
from flax.training import train_state
from library_programs.step import Step

KEY = jax.random.key(7)


def batch(*shape):
    return jax.random.normal(jax.random.key(11), shape)


class Perceptron(nn.Module):
    widths: tuple

    @nn.compact
    def __call__(self, x):
        for width in self.widths[:-1]:
            x = nn.gelu(nn.Dense(width)(x))
        return nn.Dense(self.widths[-1])(x)


class Convolutional(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.relu(nn.BatchNorm(use_running_average=not train)(nn.Conv(8, (3, 3))(x)))
        x = nn.avg_pool(x, (2, 2), strides=(2, 2))
        x = nn.relu(nn.Conv(16, (3, 3), strides=(2, 2), feature_group_count=2)(x))
        return nn.Dense(5)(x.reshape(x.shape[0], -1))


class Block(nn.Module):
    heads: int

    @nn.compact
    def __call__(self, x):
        mask = nn.make_causal_mask(x[..., 0])
        x = x + nn.MultiHeadDotProductAttention(self.heads)(nn.LayerNorm()(x), mask=mask)
        return x + nn.Dense(x.shape[-1])(nn.gelu(nn.Dense(4 * x.shape[-1])(nn.LayerNorm()(x))))


def perceptron_forward():
    model = Perceptron((32, 32, 4))
    return model.apply(model.init(KEY, batch(9, 13)), batch(9, 13))


def perceptron_trained():
    model, x, y = Perceptron((24, 24, 1)), batch(64, 5), jnp.sin(batch(64, 5).sum(1, keepdims=True))
    state = train_state.TrainState.create(apply_fn=model.apply, params=model.init(KEY, x), tx=optax.adam(1e-2))

    @jax.jit
    def step(state):
        loss, gradient = jax.value_and_grad(lambda p: jnp.mean((state.apply_fn(p, x) - y) ** 2))(state.params)
        return state.apply_gradients(grads=gradient), loss

    losses = []
    for _ in range(20):
        state, loss = step(state)
        losses.append(loss)
    return jnp.stack(losses)


def convolution_with_batch_norm():
    model, x = Convolutional(), batch(4, 16, 16, 3)
    variables = model.init(KEY, x, train=True)

    @jax.jit
    def loss(params):
        out, updates = model.apply({**variables, "params": params}, x, train=True, mutable=["batch_stats"])
        return jnp.sum(out ** 2), updates

    return jax.value_and_grad(loss, has_aux=True)(variables["params"])


def transformer_block():
    model, x = Block(4), batch(2, 11, 32)
    params = model.init(KEY, x)
    return Step(jax.jit(jax.value_and_grad(lambda p: jnp.mean(model.apply(p, x) ** 2))), (params,))


def recurrent_cells():
    x = batch(3, 7, 6)
    out = {}
    for cell in (nn.OptimizedLSTMCell(8), nn.GRUCell(8), nn.SimpleCell(8)):
        model = nn.RNN(cell)
        out[type(cell).__name__] = jax.jit(model.apply)(model.init(KEY, x), x)
    return out


def dropout_and_embedding():
    class Model(nn.Module):
        @nn.compact
        def __call__(self, tokens):
            return nn.Dropout(0.3, deterministic=False)(nn.Embed(17, 12)(tokens)).sum(1)

    tokens = jax.random.randint(KEY, (5, 9), 0, 17)
    model = Model()
    return jax.jit(model.apply)(model.init({"params": KEY, "dropout": KEY}, tokens), tokens, rngs={"dropout": KEY})


def nnx_training():
    model = nnx.Sequential(nnx.Linear(6, 16, rngs=nnx.Rngs(0)), nnx.relu, nnx.Linear(16, 2, rngs=nnx.Rngs(1)))
    optimizer = nnx.Optimizer(model, optax.sgd(0.05, momentum=0.9), wrt=nnx.Param)
    x, y = batch(32, 6), batch(32, 6)[:, :2] * 2

    @nnx.jit
    def step(model, optimizer):
        loss, gradient = nnx.value_and_grad(lambda m: jnp.mean((m(x) - y) ** 2))(model)
        optimizer.update(model, gradient)
        return loss

    return jnp.stack([step(model, optimizer) for _ in range(15)])


def parameters_to_bytes_and_back():
    model = Perceptron((8, 3))
    params = model.init(KEY, batch(2, 4))
    return serialization.from_bytes(params, serialization.to_bytes(params))


PROGRAMS = {function.__name__: function for function in (
    perceptron_forward, perceptron_trained, convolution_with_batch_norm, transformer_block, recurrent_cells,
    dropout_and_embedding,
    nnx_training, parameters_to_bytes_and_back)}
