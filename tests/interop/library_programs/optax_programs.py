# SPDX-License-Identifier: Apache-2.0
"""Programs with optax: optimisers, schedules, clipping, losses. name -> a function that gives a tree of arrays."""

import jax
import jax.numpy as jnp
import optax
from library_programs.step import Step

KEY = jax.random.key(3)
X = jax.random.normal(KEY, (50, 8))
Y = X @ jnp.arange(8.0) + 0.1 * jax.random.normal(jax.random.key(4), (50,))


def regression(params):
    return jnp.mean((X @ params["w"] + params["b"] - Y) ** 2)


def descend(optimizer, steps=40, loss=regression):
    """Parameters and losses of some steps."""
    params = {"w": jnp.zeros(8), "b": jnp.zeros(())}

    @jax.jit
    def step(params, state):
        value, gradient = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(gradient, state, params)
        return optax.apply_updates(params, updates), state, value

    state, values = optimizer.init(params), []
    for _ in range(steps):
        params, state, value = step(params, state)
        values.append(value)
    return params, jnp.stack(values)


def adam_family():
    return [descend(make(1e-1)) for make in (optax.adam, optax.adamw, optax.nadam, optax.adamax, optax.radam,
                                             optax.amsgrad)]


def momentum_family():
    return [descend(optax.sgd(1e-2, momentum=0.9, nesterov=True)), descend(optax.rmsprop(1e-2)),
            descend(optax.adagrad(0.5)),
            descend(optax.lion(1e-2)), descend(optax.yogi(1e-1))]


def schedules():
    steps = jnp.arange(120)
    makers = (optax.cosine_decay_schedule(1.0, 100), optax.warmup_cosine_decay_schedule(0.0, 1.0, 10, 100),
              optax.exponential_decay(1.0, 20, 0.5), optax.piecewise_constant_schedule(1.0, {30: 0.1, 60: 0.5}))
    return [jax.vmap(jax.jit(schedule))(steps) for schedule in makers]


def clipped_and_accumulated():
    chain = optax.chain(optax.clip_by_global_norm(1.0), optax.add_decayed_weights(1e-3), optax.adam(5e-2))
    return descend(optax.MultiSteps(chain, every_k_schedule=4).gradient_transformation())


def scanned_training():
    optimizer = optax.adam(1e-1)

    def step(carry, _):
        params, state = carry
        value, gradient = jax.value_and_grad(regression)(params)
        updates, state = optimizer.update(gradient, state)
        return (optax.apply_updates(params, updates), state), value

    params = {"w": jnp.zeros(8), "b": jnp.zeros(())}
    return Step(jax.jit(lambda carry: jax.lax.scan(step, carry, length=100)[1]), ((params, optimizer.init(params)),))


def line_search():
    optimizer = optax.lbfgs()
    params = {"w": jnp.zeros(8), "b": jnp.zeros(())}
    value_and_grad = optax.value_and_grad_from_state(regression)

    @jax.jit
    def step(params, state):
        value, gradient = value_and_grad(params, state=state)
        updates, state = optimizer.update(gradient, state, params, value=value, grad=gradient, value_fn=regression)
        return optax.apply_updates(params, updates), state

    state = optimizer.init(params)
    for _ in range(8):
        params, state = step(params, state)
    return params


def losses():
    logits = jax.random.normal(KEY, (12, 5))
    labels = jax.random.randint(KEY, (12,), 0, 5)
    hot = jax.nn.one_hot(labels, 5)
    return jax.jit(lambda: {
        "softmax": optax.softmax_cross_entropy(logits, hot),
        "integer": optax.softmax_cross_entropy_with_integer_labels(logits, labels),
        "sigmoid": optax.sigmoid_binary_cross_entropy(logits, hot), "huber": optax.huber_loss(logits, hot),
        "cosine": optax.cosine_distance(logits, hot), "ctc": optax.ctc_loss(
            jax.random.normal(KEY, (2, 9, 5)), jnp.zeros((2, 9)), jnp.array([[1, 2, 3], [4, 1, 0]]),
            jnp.array([[0, 0, 0], [0, 0, 1.0]]))})()


def masked_and_injected():
    masked = optax.masked(optax.add_decayed_weights(0.1), {"w": True, "b": False})
    injected = optax.inject_hyperparams(optax.sgd)(learning_rate=optax.linear_schedule(0.1, 0.001, 30))
    return descend(optax.chain(masked, injected))


PROGRAMS = {function.__name__: function for function in (
    adam_family, momentum_family, schedules, clipped_and_accumulated, scanned_training, line_search, losses,
    masked_and_injected)}
