# SPDX-License-Identifier: Apache-2.0
"""Programs with distrax and TensorFlow Probability's substrate: distributions, bijectors, a Kalman filter.

name -> a function that gives a tree of arrays."""

import distrax
import jax
import jax.numpy as jnp
from tensorflow_probability.substrates import jax as tfp

KEY = jax.random.key(14)


def mixture_and_divergence():
    mixture = distrax.MixtureSameFamily(distrax.Categorical(logits=jnp.array([0.1, 0.4, -1.0])),
                                        distrax.Normal(jnp.array([-1.0, 0.0, 2.0]), jnp.array([0.5, 1.0, 0.3])))
    other = distrax.MultivariateNormalDiag(jnp.zeros(3), jnp.array([1.0, 2.0, 0.5]))
    return (jax.jit(mixture.log_prob)(jnp.linspace(-3, 3, 21)),
            jax.jit(lambda key: mixture.sample(seed=key, sample_shape=(9,)))(KEY),
            other.kl_divergence(distrax.MultivariateNormalDiag(jnp.ones(3), jnp.ones(3))))


def normalizing_flow():
    mask = jnp.arange(4) % 2 == 0

    def log_likelihood(shift, x):
        layers = [distrax.MaskedCoupling(mask if i % 2 else ~mask, lambda y, i=i: jnp.tanh(y * shift[i]),
                                         lambda params: distrax.ScalarAffine(params, log_scale=0.1 * params))
                  for i in range(3)]
        flow = distrax.Transformed(distrax.Independent(distrax.Normal(jnp.zeros(4), jnp.ones(4)), 1),
                                   distrax.Chain(layers))
        return flow.log_prob(x).mean()

    return jax.jit(jax.value_and_grad(log_likelihood))(jnp.array([0.3, -0.2, 0.7]), jax.random.normal(KEY, (11, 4)))


def gaussian_process():
    kernel = tfp.math.psd_kernels.MaternFiveHalves(1.0, 0.7)
    x = jnp.linspace(0, 3, 15)[:, None]
    process = tfp.distributions.GaussianProcess(kernel, x, observation_noise_variance=0.1)
    return jax.jit(jax.value_and_grad(lambda y: process.log_prob(y)))(jnp.sin(x[:, 0]))


def hidden_states():
    chain = distrax.HMM(distrax.Categorical(probs=jnp.array([0.6, 0.4])),
                        distrax.Categorical(probs=jnp.array([[0.9, 0.1], [0.3, 0.7]])),
                        distrax.Normal(jnp.array([-1.0, 1.0]), jnp.array([1.0, 0.5])))
    return jax.jit(chain.forward_backward)(jnp.sin(jnp.arange(12.0)))


PROGRAMS = {function.__name__: function for function in (
    mixture_and_divergence, normalizing_flow, gaussian_process, hidden_states)}
