# SPDX-License-Identifier: Apache-2.0
"""record_optim.py FILE -- records two parameters over 100 steps of optax 0.2.8's optimisers and transformations, for
tests/optim/optimizers_test.cc.

Gradients are cos(0.7 step + offset), independent of the parameters. Line searches have a loss instead, whose parameters
are recorded after 3 steps and after 100."""
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax

PARAMS = {"b": np.array([0.5, -0.3, 0.1], np.float32), "w": np.array([[1, -2, 0.5], [0.25, 0.75, -1]], np.float32)}
CALLS = """sgd(0.1)|sgd(0.1, {.momentum = 0.9})|sgd(0.1, {.momentum = 0.9, .nesterov = true})|adam(0.1)|adam(0.1, {.b1 = 0.8, .eps_root = 1e-6})
nadam(0.1)|adamw(0.1)|adamw(0.1, {.weight_decay = 0.1, .nesterov = true})|nadamw(0.1)|amsgrad(0.1)|amsgrad(0.1, {.bias_correction_nu = false})|adamax(0.1)
adamaxw(0.1)|adan(0.1)|adabelief(0.1)|adabelief(0.1, {.nesterov = true})|yogi(0.1)|radam(0.1)|radam(0.1, {.threshold = 4.5, .nesterov = true})|lamb(0.1)|lamb(0.1, {.weight_decay = 0.1})
lars(0.1)|lars(0.1, {.weight_decay = 0.1, .nesterov = true})|lion(0.1)|lion(0.1, {.weight_decay = 0.1})|novograd(0.1)|novograd(0.1, {.weight_decay = 0.1})|adagrad(0.1)|adadelta(0.1)
adafactor(0.1)|adafactor(0.1, {.min_dim_size_to_factor = 2})|adafactor(0.1, {.momentum = 0.9, .weight_decay_rate = 0.01})|rmsprop(0.1)|rmsprop(0.1, {.centered = true, .momentum = 0.9})
rmsprop(0.1, {.eps_in_sqrt = false, .bias_correction = true})|rprop(0.1)|sm3(0.1)|fromage(0.1)|sign_sgd(0.1)|signum(0.1)|optimistic_gradient_descent(0.1)|optimistic_adam(0.1)
optimistic_adam_v2(0.1)|scale_by_factored_rms({.min_dim_size_to_factor = 2})|centralize()|normalize_by_update_norm()|zero_nans()|keep_params_nonnegative()|ema(0.9)|ema(0.9, {.debias = false})
trace(0.9)|apply_every(3)|clip(0.25)|clip_by_block_rms(0.25)|clip_by_global_norm(0.5)|adaptive_grad_clip(0.1)|scale_by_trust_ratio()
chain(clip_by_global_norm(0.5), adam(0.1), add_decayed_weights(0.01))|flatten(clip_by_block_rms(0.3))|MultiSteps(adam(0.1), 3)|apply_if_finite(adam(0.1), 3)
scale_by_distance_over_gradients()|freeze(true)|selective_transform(adam(0.1), {.freeze_mask = false})
adam(linear_schedule(0.1, 0.0, 50))|adamw(cosine_decay_schedule(0.1, 40), {.weight_decay = exponential_decay(0.1, 10, 0.5)})|fromage(exponential_decay(0.1, 20, 0.5))"""

SEARCHES = """lbfgs()|lbfgs(1.0, {.memory_size = 2})|chain(sgd(1.0), scale_by_backtracking_linesearch(15))
chain(sgd(1.0), scale_by_backtracking_linesearch(20, {.decrease_factor = 0.5, .increase_factor = 2.0, .max_learning_rate = 4.0, .store_grad = true}))
chain(sgd(1.0), scale_by_zoom_linesearch(15))|chain(sgd(1.0), scale_by_zoom_linesearch(10, 0.125))
chain(adam(0.5), scale_by_zoom_linesearch(15, {.approx_dec_rtol = none, .initial_guess_strategy = "one"}))"""


SPELLINGS = (("{.", ""), (", .", ", "), ("{", ""), ("}", ""), ("true", "True"), ("false", "False"), ("none", "None"))


def python_of(cpp: str) -> str:
    for words, python in SPELLINGS:
        cpp = cpp.replace(words, python)
    return cpp


def final(call: str) -> np.ndarray:
    tx = eval(python_of(call), vars(optax))
    params = jax.tree.map(jnp.asarray, PARAMS)
    state = tx.init(params)
    step = jax.jit(lambda g, s, p: (lambda u, n: (optax.apply_updates(p, u), n))(*tx.update(g, s, p)))
    for i in range(100):
        gradients = {k: jnp.asarray(np.cos(0.7 * i + np.arange(v.size)).reshape(v.shape), jnp.float32)
                     for k, v in PARAMS.items()}
        params, state = step(gradients, state, params)
    return np.concatenate([np.asarray(params[k]).reshape(-1) for k in sorted(params)])


def loss(params):
    """Strongly convex, and no parabola."""
    x = jnp.concatenate([params["b"], params["w"].reshape(-1)])
    return jnp.sum(jnp.cosh(x - 0.3)) + 0.5 * jnp.sum(x) ** 2 + x[0] * x[5]


def searched(call: str) -> list[np.ndarray]:
    """Returns the parameters after 3 steps, and after 100. In 64 bits, because near the end the last bits of the loss
    decide a search."""
    jax.config.update("jax_enable_x64", True)
    tx = eval(python_of(call), vars(optax))
    params = jax.tree.map(lambda x: jnp.asarray(x, jnp.float64), PARAMS)
    state = tx.init(params)

    @jax.jit
    def step(p, s):
        value, grad = jax.value_and_grad(loss)(p)
        u, n = tx.update(grad, s, p, value=value, grad=grad, value_fn=loss)
        return optax.apply_updates(p, u), n

    out = []
    for i in range(100):
        params, state = step(params, state)
        if i in (2, 99):
            out.append(np.concatenate([np.asarray(params[k]).reshape(-1) for k in sorted(params)]))
    return out


lines = []
for call in CALLS.replace("\n", "|").split("|"):
    values = ", ".join(repr(float(v)) for v in final(call))
    lines.append(f"STEPS(VALUES({values}), {call})")
for call in SEARCHES.replace("\n", "|").split("|"):
    for steps, values in zip((3, 100), searched(call)):
        lines.append(f"SEARCHED({steps}, VALUES({', '.join(repr(float(v)) for v in values)}), {call})")
head = "// SPDX-License-Identifier: Apache-2.0\n// steps_golden.inc -- written by tests/golden/record_optim.py with optax 0.2.8.\n// clang-format off\n"
open(sys.argv[1], "w").write(head + "\n".join(lines) + "\n")
