# SPDX-License-Identifier: Apache-2.0
"""Programs with equinox: modules as trees, filtered transformations. name -> a function that gives a tree of arrays."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from library_programs.step import Step

KEY = jax.random.key(9)


def normal(*shape):
    return jax.random.normal(jax.random.key(10), shape)


def perceptron_gradient():
    model = eqx.nn.MLP(5, 2, 32, 3, key=KEY)
    return Step(eqx.filter_jit(eqx.filter_grad(lambda m, x: jnp.mean(jax.vmap(m)(x) ** 2))), (model, normal(17, 5)))


def trained_perceptron():
    model, optimizer = eqx.nn.MLP(3, 1, 16, 2, activation=jax.nn.softplus, key=KEY), optax.adam(1e-2)
    x = normal(40, 3)
    y = jnp.prod(x, 1, keepdims=True)

    @eqx.filter_jit
    def step(model, state):
        loss, gradient = eqx.filter_value_and_grad(lambda m: jnp.mean((jax.vmap(m)(x) - y) ** 2))(model)
        updates, state = optimizer.update(gradient, state)
        return eqx.apply_updates(model, updates), state, loss

    state, losses = optimizer.init(eqx.filter(model, eqx.is_array)), []
    for _ in range(25):
        model, state, loss = step(model, state)
        losses.append(loss)
    return jnp.stack(losses)


def convolutions():
    keys = jax.random.split(KEY, 3)
    x = normal(3, 15, 14)
    return [eqx.filter_jit(eqx.nn.Conv2d(3, 6, 3, stride=2, padding=1, key=keys[0]))(x),
            eqx.filter_jit(eqx.nn.ConvTranspose2d(3, 4, 4, stride=2, key=keys[1]))(x),
            eqx.filter_jit(eqx.nn.MaxPool2d(3, 2))(x),
            eqx.filter_jit(eqx.nn.GroupNorm(3, 3))(x),
            eqx.filter_jit(eqx.nn.Conv1d(14, 4, 3, dilation=2, key=keys[2]))(x[0].T)]


def attention():
    layer = eqx.nn.MultiheadAttention(4, 16, key=KEY)
    x = normal(9, 16)
    mask = jnp.tril(jnp.ones((9, 9), bool))
    return eqx.filter_jit(eqx.filter_value_and_grad(lambda m: jnp.sum(m(x, x, x, mask=mask) ** 2)))(layer)


def recurrent():
    cell = eqx.nn.LSTMCell(6, 10, key=KEY)

    def run(x):
        return jax.lax.scan(lambda state, row: (cell(row, state), cell(row, state)[0]), (jnp.zeros(10), jnp.zeros(10)),
                            x)

    return jax.jit(jax.vmap(run))(normal(4, 12, 6))


def batch_norm_state():
    layer, state = eqx.nn.make_with_state(eqx.nn.BatchNorm)(5, "batch", mode="batch")
    out, state = eqx.filter_jit(jax.vmap(layer, axis_name="batch", in_axes=(0, None),
                                         out_axes=(0, None)))(normal(20, 5), state)
    return out, jax.tree.leaves(state)


def ensemble():
    make = eqx.filter_vmap(lambda key: eqx.nn.MLP(4, 2, 8, 1, key=key))
    models = make(jax.random.split(KEY, 6))
    return eqx.filter_vmap(lambda model, x: model(x), in_axes=(eqx.if_array(0), None))(models, normal(4))


def checked_loop():
    def body(x):
        return eqx.error_if(x * 1.5, x > 1e6, "too large")

    return eqx.filter_jit(lambda x: eqx.internal.while_loop(lambda v: v[0] < 100, lambda v: body(v), x,
                                                            kind="lax"))(jnp.array([1.0, 2.0]))


PROGRAMS = {function.__name__: function for function in (
    perceptron_gradient, trained_perceptron, convolutions, attention, recurrent, batch_norm_state, ensemble,
    checked_loop)}
