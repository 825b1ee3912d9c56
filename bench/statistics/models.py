# SPDX-License-Identifier: Apache-2.0
"""The likelihoods of examples/statistics in JAX, their gradients and Hessians: prints the rows of bench/statistics.cc."""

import math
import os
import pathlib
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402

jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
from jax.flatten_util import ravel_pytree  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import timing  # noqa: E402

SMALL, LARGE = (4, 6, 10, 46, 12), (64, 6, 10, 765, 12)


def interpolated(x, up, down):
    beyond = jnp.exp(jnp.abs(x) * jnp.log(jnp.where(x < 0, down, up)))
    log_up, log_down = jnp.log(up), jnp.log(down)
    total, difference = 0.5 * (up + down), 0.5 * (up - down)
    slope_sum, slope_difference = 0.5 * (up * log_up + down * log_down), 0.5 * (up * log_up - down * log_down)
    bend_sum, bend_difference = 0.5 * (up * log_up**2 + down * log_down**2), 0.5 * (up * log_up**2 - down * log_down**2)
    a1 = (15 * difference - 7 * slope_difference + bend_difference) / 8
    a2 = (24 * (total - 1) - 9 * slope_sum + bend_sum) / 8
    a3 = (-5 * difference + 5 * slope_difference - bend_difference) / 4
    a4 = (-12 * (total - 1) + 7 * slope_sum - bend_sum) / 4
    a5 = (3 * difference - 3 * slope_difference + bend_difference) / 8
    a6 = (8 * (total - 1) - 5 * slope_sum + bend_sum) / 8
    within = 1 + x * (a1 + x * (a2 + x * (a3 + x * (a4 + x * (a5 + x * a6)))))
    return jnp.where(jnp.abs(x) > 1, beyond, within)


def expected(p, c):
    yields = jnp.prod(interpolated(p["nuisances"][c["which"]], c["up"], c["down"]), -1)
    scaled = jnp.concatenate([yields[:, :1] * p["factors"][:, None], yields[:, 1:]], 1) * p["luminosity"]
    return p["of_bins"] * jnp.sum(scaled[:, :, None] * c["shapes"], 1)


def minus_log_likelihood(p, c):
    def poisson(mean, count):
        return jnp.sum(mean - count * jnp.log(mean))
    return (poisson(expected(p, c), c["observed"]) + poisson(p["of_bins"] * c["simulated"], c["simulated"])
            + 0.5 * jnp.sum(jnp.square(p["nuisances"])) + 0.5 * ((p["luminosity"] - 1) / 0.02)**2)


def measurement(channels, samples, bins, nuisances, of_sample):
    def wave(seed, *shape):
        return jnp.sin(jnp.arange(float(math.prod(shape))) * 12.9898 + 78.233 * seed).reshape(shape)
    modifiers = (channels, samples, of_sample)
    start = {"factors": jnp.ones(channels), "of_bins": jnp.ones((channels, bins)), "nuisances": jnp.zeros(nuisances),
             "luminosity": jnp.float64(1)}
    c = {"shapes": 30 + 20 * wave(1, channels, samples, bins), "up": 1.05 + 0.04 * wave(2, *modifiers),
         "down": 0.95 + 0.04 * wave(3, *modifiers),
         "which": (jnp.arange(math.prod(modifiers)) * 7 % nuisances).reshape(modifiers),
         "simulated": 400 + 100 * wave(4, channels, bins)}
    c["observed"] = jnp.round(expected(start, c) * (1 + 0.05 * wave(5, channels, bins)))
    return start, c


def rows(name, size):
    start, counts = measurement(*size)
    order = ("factors", "of_bins", "nuisances", "luminosity")
    _, unravel = ravel_pytree(tuple(start[key] for key in order))
    x = ravel_pytree(tuple(start[key] for key in order))[0]

    def loss(flat, c):
        return minus_log_likelihood(dict(zip(order, unravel(flat))), c)

    at = x + 0.1 * jnp.sin(jnp.arange(float(x.size)))
    timing.gradient_rows(name, loss, at, counts)
    timing.row_with_first(name + " Hessian", jax.jit(jax.hessian(loss)), at, counts)


if __name__ == "__main__":
    rows("91 parameters", SMALL)
    rows("1,470 parameters", LARGE)
