# SPDX-License-Identifier: Apache-2.0
"""Programs with numpyro: distributions, samplers, variational inference. name -> a function that gives a tree of
arrays.

What a chain of a sampler draws depends on every rounding, so chains are short, or give what doesn't depend on it.
"""

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from library_programs.step import Step
from numpyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO, log_likelihood
from numpyro.infer.autoguide import AutoMultivariateNormal, AutoNormal
from numpyro.infer.util import log_density

KEY = jax.random.key(5)
X = jax.random.normal(KEY, (40, 3))
Y = X @ jnp.array([1.0, -2.0, 0.5]) + 0.3 * jax.random.normal(jax.random.key(6), (40,))


def regression(x, y=None):
    weights = numpyro.sample("weights", dist.Normal(0, 2).expand([3]).to_event(1))
    noise = numpyro.sample("noise", dist.HalfNormal(1.0))
    with numpyro.plate("rows", x.shape[0]):
        numpyro.sample("y", dist.Normal(x @ weights, noise), obs=y)


def log_probabilities():
    positive, unit = jnp.linspace(0.1, 4, 17), jnp.linspace(0.05, 0.95, 17)
    return {"gamma": dist.Gamma(2.0, 1.5).log_prob(positive), "beta": dist.Beta(2.0, 3.0).log_prob(unit),
            "student": dist.StudentT(3.0).log_prob(positive), "poisson": dist.Poisson(3.0).log_prob(jnp.arange(9)),
            "dirichlet": dist.Dirichlet(jnp.array([1.0, 2, 3])).log_prob(jnp.array([0.2, 0.3, 0.5])),
            "normal": dist.MultivariateNormal(jnp.zeros(3), jnp.eye(3) + 0.3).log_prob(X),
            "categorical": dist.Categorical(logits=jnp.arange(4.0)).log_prob(jnp.arange(4))}


def samples():
    keys = jax.random.split(KEY, 8)
    makers = (dist.Normal(1.0, 2.0), dist.Gamma(2.5), dist.Beta(2.0, 0.7), dist.Dirichlet(jnp.ones(4)),
              dist.StudentT(4.0),
              dist.Laplace(), dist.Cauchy(), dist.LKJCholesky(3, 2.0))
    return [maker.sample(key, (50,)) for maker, key in zip(makers, keys)]


def density_and_gradient():
    params = {"weights": jnp.array([0.5, -1.0, 0.2]), "noise": jnp.array(0.7)}
    return Step(jax.jit(jax.value_and_grad(lambda p: log_density(regression, (X, Y), {}, p)[0])), (params,))


def nuts_posterior_mean():
    mcmc = MCMC(NUTS(regression), num_warmup=300, num_samples=1500, progress_bar=False)
    mcmc.run(KEY, X, Y)
    return jnp.round(mcmc.get_samples()["weights"].mean(0), 1)


def mean_field_guide():
    guide = AutoNormal(regression)
    result = SVI(regression, guide, numpyro.optim.Adam(2e-2), Trace_ELBO()).run(KEY, 200, X, Y, progress_bar=False)
    return result.losses[:50], guide.median(result.params)


def full_rank_guide():
    guide = AutoMultivariateNormal(regression)
    result = SVI(regression, guide, numpyro.optim.Adam(1e-2), Trace_ELBO(4)).run(KEY, 100, X, Y, progress_bar=False)
    return result.losses[:30]


def predictive():
    prior = Predictive(regression, num_samples=30)(KEY, X)
    return prior["y"], log_likelihood(regression, {name: prior[name] for name in ("weights", "noise")}, X, Y)["y"]


def hidden_markov_scan():
    transitions = jax.nn.log_softmax(jnp.arange(9.0).reshape(3, 3) / 5)
    emissions = dist.Normal(jnp.array([-2.0, 0.0, 2.0]), 0.7).log_prob(jnp.sin(jnp.arange(30.0))[:, None])

    def step(alpha, emission):
        alpha = jax.scipy.special.logsumexp(alpha[:, None] + transitions, axis=0) + emission
        return alpha, alpha

    return jax.jit(lambda: jax.lax.scan(step, jnp.full(3, -jnp.log(3.0)), emissions)[1])()


PROGRAMS = {function.__name__: function for function in (
    log_probabilities, samples, density_and_gradient, nuts_posterior_mean, mean_field_guide, full_rank_guide,
    predictive,
    hidden_markov_scan)}
