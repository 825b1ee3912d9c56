# SPDX-License-Identifier: Apache-2.0
"""The models of examples/finance in JAX, and their gradients: prints the rows of bench/finance.cc.

Each function has the name and the source of its twin in examples/finance."""

import functools
import os
import pathlib
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402

jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import timing  # noqa: E402

relu = jax.nn.relu
HORIZON, RECOVERED, EXPONENT = 10.0, 0.4, 0.5


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def mean_of_blocks(value, model, blocks):
    return jnp.mean(lax.map(lambda draws: value(model, draws), blocks))


def mean_forward(value, model, blocks):
    values, slopes = lax.map(lambda draws: jax.value_and_grad(value)(model, draws), blocks)
    return jnp.mean(values), (jax.tree.map(lambda s: jnp.mean(s, 0), slopes), blocks)


def mean_backward(value, known, cotangent):
    slopes, blocks = known
    return jax.tree.map(lambda s: s * cotangent, slopes), jnp.zeros_like(blocks)


mean_of_blocks.defvjp(mean_forward, mean_backward)


# ---- Heston

def heston_by_paths(m, strike, normals):
    spot, rate, time, variance, long_variance, reversion, volatility, correlation = m
    dt, independent = time / normals.shape[0], jnp.sqrt(1 - correlation**2)

    def step(state, z):
        log_price, v = state
        positive = jnp.maximum(v, 1e-12)
        root = jnp.sqrt(positive * dt)
        shock = correlation * z[0] + independent * z[1]
        after = v + reversion * (long_variance - positive) * dt + volatility * root * shock
        return (log_price + (rate - 0.5 * positive) * dt + root * z[0], after), ()

    like = jnp.zeros(normals.shape[2])
    (end, _), _ = lax.scan(step, (like + jnp.log(spot), like + variance), normals)
    return jnp.exp(-rate * time) * jnp.mean(relu(jnp.exp(end) - strike))


def heston(m, normals):
    return mean_of_blocks(lambda at, block: heston_by_paths(at, 100.0, block), m, normals)


# ---- SABR

def sabr_volatility(m, forward, strike, time):
    level, correlation, volatility = m
    c = 1 - EXPONENT
    log_moneyness = jnp.log(forward / strike)
    square = log_moneyness**2
    scale = jnp.power(forward * strike, c / 2)
    z = volatility / level * scale * log_moneyness
    at_the_money = jnp.abs(z) < 1e-6
    w = jnp.where(at_the_money, 1e-3, z)
    root = jnp.sqrt(1 - 2 * correlation * w + w**2)
    skew = jnp.where(at_the_money, 1 - 0.5 * correlation * z, w / jnp.log((root + w - correlation) / (1 - correlation)))
    per_year = (c * c / 24 * (level / scale)**2 + EXPONENT / 4 * correlation * volatility * level / scale
                + (2 - 3 * correlation**2) / 24 * volatility**2)
    denominator = scale * (1 + c * c / 24 * square + c**4 / 1920 * square**2)
    return level / denominator * skew * (1 + time * per_year)


def sabr(m, forwards, times, strikes, volatilities):
    return jnp.sum(jnp.square(jax.vmap(sabr_volatility)(m, forwards, strikes, times) - volatilities))


# ---- LIBOR market model

PERIODS = (4, 4, 4, 8, 8, 8, 20, 20, 20, 28, 28, 28, 40, 40, 40)
RATES = (0.045, 0.05, 0.055) * 5


def libor_rates(m, normals):
    forwards, volatilities, period = m
    rates = forwards.shape[0]
    padded = jnp.concatenate([jnp.zeros_like(volatilities), volatilities])

    def step(rate, now):
        n, z = now
        column = lax.dynamic_slice(padded, (rates - 1 - n,), (rates,))[:, None]
        scaled = period * column
        drift = jnp.cumsum(scaled * rate / (1 + period * rate), axis=0)
        return rate * jnp.exp(scaled * drift + column * (jnp.sqrt(period) * z - 0.5 * scaled)), ()

    start = jnp.broadcast_to(forwards[:, None], (rates, normals.shape[1]))
    return lax.scan(step, start, (jnp.arange(normals.shape[0]), normals))[0]


def libor_block(m, normals):
    steps, period = normals.shape[0], m[2]
    factors = 1 / (1 + period * libor_rates(m, normals))
    discounts = jnp.cumprod(factors[steps:], axis=0)
    annuities = period * jnp.cumsum(discounts, axis=0)
    total = sum(100 * relu(1 - discounts[n - 1] - rate * annuities[n - 1]) for n, rate in zip(PERIODS, RATES))
    return jnp.mean(total * jnp.prod(factors[:steps], axis=0))


def libor(m, normals):
    return mean_of_blocks(libor_block, m, normals)


# ---- CVA of swaps

def twenty_swaps(dates):
    notional, flows = [0.0] * dates, [0.0] * dates
    for swap in range(20):
        last = (swap + 1) * dates // 20 - 1
        size = (-1.0 if swap % 3 == 0 else 1.0) * (1 + 0.1 * swap)
        for j in range(last + 1):
            flows[j] -= size * (0.02 + 0.001 * swap) * HORIZON / dates
            notional[j] += size if j < last else 0.0
        flows[last] -= size
    return jnp.array(notional), jnp.array(flows)


def default_probabilities(hazards, times):
    width = HORIZON / hazards.shape[0]
    spent = jnp.clip(times[:, None] - width * jnp.arange(hazards.shape[0]), 0.0, width)
    survival = jnp.exp(-spent @ hazards)
    return jnp.concatenate([1 - survival[:1], survival[:-1] - survival[1:]])


def exposures(m, swaps, normals):
    zero_rates, _, a, volatility = m
    dates, paths = normals.shape
    period = HORIZON / dates
    times = period * jnp.arange(1.0, dates + 1)
    today = jnp.exp(-jnp.interp(times, 0.5 * jnp.arange(1.0, 21.0), zero_rates) * times)
    square = volatility**2
    means = square / (2 * a**2) * jnp.square(1 - jnp.exp(-a * times))
    variances = square / (2 * a) * (1 - jnp.exp(-2 * a * times))
    decay, deviation = jnp.exp(-a * period), jnp.sqrt(variances[0])

    def step(state, now):
        x_before, discount, mean_before, bond_before = state
        date, mean, variance, bond, notional, normal = now
        x = mean + decay * (x_before - mean_before) + deviation * normal
        discount = discount * (bond / bond_before) * jnp.exp(-0.5 * period * (x_before + x))
        later = jnp.arange(dates) > date
        slope = (1 - jnp.exp(-a * jnp.where(later, times - times[date], 0.0))) / a
        flows = jnp.where(later, swaps[1] * today / bond, 0.0) * jnp.exp(-0.5 * slope**2 * variance)
        value = notional + jnp.sum(flows[:, None] * jnp.exp(-slope[:, None] * x), axis=0)
        return (x, discount, mean, bond), jnp.mean(discount * relu(value))

    zero = jnp.zeros(paths)
    return lax.scan(step, (zero, zero + 1, jnp.array(0.0), jnp.array(1.0)),
                    (jnp.arange(dates), means, variances, today, swaps[0], normals))[1]


def xva(m, normals):
    dates = normals.shape[1]
    times = HORIZON / dates * jnp.arange(1.0, dates + 1)

    def of_block(at, block):
        losses = (1 - RECOVERED) * default_probabilities(at[1], times)
        return jnp.dot(losses, exposures(at, twenty_swaps(dates), block))

    return mean_of_blocks(of_block, m, normals)


def draws(seed, steps, width):
    return jax.random.normal(jax.random.key(seed), (10000 // width, *steps, width), jnp.float64)


def ramp(first, step, count):
    return first + step * jnp.arange(float(count))


def main():
    market = tuple(map(jnp.float64, (105.0, 0.03, 1.0, 0.04, 0.05, 2.0, 0.3, -0.7)))
    forwards = ramp(0.03, 0.002, 5)
    smiles = (forwards, ramp(1, 1, 5), forwards[:, None] * jnp.linspace(0.5, 1.5, 2000),
              0.2 + 0.01 * jnp.sin(jnp.arange(10000.0).reshape(5, 2000)))
    timing.gradient_rows("heston", heston, market, draws(0, (100, 2), 500))
    timing.gradient_rows("sabr", sabr, (ramp(0.035, 0.001, 5), ramp(-0.3, 0.02, 5), ramp(0.4, 0.01, 5)), *smiles)
    timing.gradient_rows("xva", xva, (ramp(0.02, 0.0005, 20), ramp(0.01, 0.001, 18), jnp.float64(0.05), jnp.float64(0.01)),
                         draws(1, (40,), 100))
    forward_market = (ramp(0.045, 0.0001, 80), ramp(0.2, -0.0005, 80), jnp.float64(0.25))
    timing.gradient_rows("libor", libor, forward_market, draws(2, (40,), 100))


if __name__ == "__main__":
    main()
