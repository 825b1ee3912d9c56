# SPDX-License-Identifier: Apache-2.0
"""Programs with haiku: transformed functions, state, recurrent cells.

name -> a function that gives a tree of arrays, or a Step."""

import haiku as hk
import jax
import jax.numpy as jnp
import optax
from library_programs.step import Step

KEY = jax.random.key(1)


def normal(*shape):
    return jax.random.normal(jax.random.key(2), shape)


def perceptron_step():
    model = hk.without_apply_rng(hk.transform(lambda x: hk.nets.MLP([64, 64, 5])(x)))
    x, labels = normal(32, 20), jnp.arange(32) % 5
    params, optimizer = model.init(KEY, x), optax.adam(1e-2)

    @jax.jit
    def step(params, state):
        def loss(params):
            return optax.softmax_cross_entropy_with_integer_labels(model.apply(params, x), labels).mean()
        value, gradient = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(gradient, state)
        return optax.apply_updates(params, updates), state, value

    return Step(step, (params, optimizer.init(params)))


def convolution_with_state():
    def forward(x, is_training):
        x = jax.nn.relu(hk.BatchNorm(True, True, 0.9)(hk.Conv2D(8, 3, stride=2)(x), is_training))
        return hk.Linear(3)(hk.AvgPool(4, 4, "SAME")(x).reshape(x.shape[0], -1))

    model = hk.without_apply_rng(hk.transform_with_state(forward))
    x = normal(4, 16, 16, 3)
    params, state = model.init(KEY, x, True)
    return jax.jit(model.apply, static_argnums=3)(params, state, x, True)


def unrolled_lstm():
    def forward(x):
        core = hk.LSTM(12)
        return hk.dynamic_unroll(core, x, core.initial_state(x.shape[1]))

    model = hk.without_apply_rng(hk.transform(forward))
    x = normal(9, 3, 5)
    params = model.init(KEY, x)
    return jax.jit(jax.grad(lambda params: jnp.sum(model.apply(params, x)[0] ** 2)))(params)


PROGRAMS = {function.__name__: function for function in (perceptron_step, convolution_with_state, unrolled_lstm)}
