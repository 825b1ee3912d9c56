# SPDX-License-Identifier: Apache-2.0
"""Programs with blackjax: steps of samplers. name -> a function that gives a tree of arrays, or a Step.

What a chain draws depends on every rounding, so chains are short.
"""

import blackjax
import jax
import jax.numpy as jnp
from library_programs.step import Step

KEY = jax.random.key(6)
START = {"place": jnp.array([0.5, -0.3, 0.1]), "scale": jnp.array(0.2)}


def log_density(position):
    return -0.5 * jnp.sum((position["place"] - jnp.arange(3.0)) ** 2) - position["scale"] ** 2


def chain(algorithm, count=10):
    state = algorithm.init(START)
    step = jax.jit(lambda state, key: algorithm.step(key, state))

    def advance(state, key):
        state, _ = step(state, key)
        return state, state.position

    return jax.lax.scan(advance, state, jax.random.split(KEY, count))[1]


def hamiltonian_chain():
    return chain(blackjax.hmc(log_density, step_size=0.1, inverse_mass_matrix=jnp.ones(4), num_integration_steps=8))


def langevin_chain():
    return chain(blackjax.mala(log_density, step_size=0.05))


def nuts_step():
    algorithm = blackjax.nuts(log_density, step_size=0.2, inverse_mass_matrix=jnp.ones(4))
    return Step(jax.jit(lambda key, state: algorithm.step(key, state)[0].position), (KEY, algorithm.init(START)))


def elliptical_slice():
    algorithm = blackjax.elliptical_slice(lambda x: -jnp.sum((x - 1) ** 4), mean=jnp.zeros(3), cov=jnp.eye(3) + 0.2)
    state = algorithm.init(jnp.array([0.1, 0.2, 0.3]))
    return jax.jit(algorithm.step)(KEY, state)[0].position


PROGRAMS = {function.__name__: function for function in (
    hamiltonian_chain, langevin_chain, nuts_step, elliptical_slice)}
