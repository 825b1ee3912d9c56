# SPDX-License-Identifier: Apache-2.0
"""ADBench's objectives in JAX, the same as in bench/adbench/objectives.h.

tests/golden/record_adbench.py records their values. As a program, this file times them and prints "name
kind<TAB>microseconds"; kind is objective or gradient.

Source    Srajer, Kukelova, Fitzgibbon, "A benchmark of selected algorithmic differentiation tools on some problems in
computer vision and machine learning" (2018): the formulas. The data are sines, so that every language computes the
same."""

import math
import os
import pathlib
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402

jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402


def wave(seed, *shape):
    """Deterministic numbers in [-1, 1]."""
    return jnp.sin(jnp.arange(math.prod(shape)) * 12.9898 + 78.233 * seed).reshape(shape)


def squares(x):
    return jnp.sum(jnp.square(x))


# ---- a mixture of Gaussians: log likelihood under a Wishart prior

def gmm_inputs(n, d, k):
    return (wave(1, k), wave(2, k, d), 0.5 * wave(3, k, d * (d + 1) // 2)), (2 * wave(4, n, d),)


def gmm(parameters, x):
    alphas, means, icf = parameters
    (n, d), k = x.shape, alphas.shape[0]
    log_diagonal, diagonal = icf[:, :d], jnp.exp(icf[:, :d])
    columns, rows = jnp.triu_indices(d, 1)  # of what is below the diagonal, column by column
    factors = jnp.zeros((k, d, d)).at[:, rows, columns].set(icf[:, d:]) + diagonal[:, :, None] * jnp.eye(d)
    apart = jnp.matmul(x[None] - means[:, None], factors.transpose(0, 2, 1))
    terms = alphas[:, None] + jnp.sum(log_diagonal, 1)[:, None] - 0.5 * jnp.sum(jnp.square(apart), 2)
    likelihood = jnp.sum(jax.nn.logsumexp(terms, axis=0)) - n * jax.nn.logsumexp(alphas)
    freedom, gamma, m = d + 1, 1.0, 0
    gammas = d * (d - 1) / 4 * math.log(math.pi) + sum(math.lgamma(0.5 * freedom - 0.5 * j) for j in range(d))
    constant = freedom * d * (math.log(gamma) - 0.5 * math.log(2)) - gammas
    prior = 0.5 * gamma**2 * (squares(diagonal) + squares(icf[:, d:])) - m * jnp.sum(log_diagonal) - k * constant
    return -n * d * 0.5 * math.log(2 * math.pi) + likelihood + prior


# ---- bundle adjustment: half of the squared residuals

def bundle_inputs(cameras, points, observations):
    scale = jnp.array([0.3] * 3 + [0.1] * 3 + [0.1] + [0.1] * 2 + [0.01] * 2)
    middle = jnp.array([0.0] * 5 + [-5.0, 1.0] + [0.0] * 4)
    i = jnp.arange(observations)
    data = (i % cameras, i * 7 % points, wave(4, observations, 2))
    return (middle + scale * wave(1, cameras, 11), wave(2, points, 3), 0.8 + 0.1 * wave(3, observations)), data


def rotated(axis, point):
    square = jnp.sum(jnp.square(axis))
    angle = jnp.sqrt(square)
    unit = axis / angle
    return (point * jnp.cos(angle) + jnp.cross(unit, point) * jnp.sin(angle)
            + unit * jnp.dot(unit, point) * (1 - jnp.cos(angle)))


def residual(camera, point, weight, feature):
    seen = rotated(camera[:3], point - camera[3:6])
    picture = seen[:2] / seen[2]
    r = jnp.sum(jnp.square(picture))
    distorted = picture * (1 + camera[9] * r + camera[10] * r * r)
    return weight * (camera[6] * distorted + camera[7:9] - feature), 1 - weight * weight


def bundle(parameters, camera_of, point_of, features):
    cameras, points, weights = parameters
    errors, of_weights = jax.vmap(residual)(cameras[camera_of], points[point_of], weights, features)
    return 0.5 * (squares(errors) + squares(of_weights))


# ---- a hand: half of the squared distances of points from its skin

FINGERS, JOINTS = 5, 4
BONES = 2 + FINGERS * JOINTS  # the root, the palm, and four of each finger


def rigid(seed, count):
    """Transformations near the identity, [count, 4, 4]."""
    top = jnp.eye(3, 4) + 0.2 * wave(seed, count, 3, 4)
    return jnp.concatenate([top, jnp.broadcast_to(jnp.array([0.0, 0, 0, 1]), (count, 1, 4))], 1)


def hand_inputs(vertices, points):
    weights = jnp.square(wave(3, vertices, BONES))
    base = jnp.concatenate([wave(4, vertices, 3), jnp.ones((vertices, 1))], 1)
    model = (rigid(1, BONES), rigid(2, BONES), weights / jnp.sum(weights, 1, keepdims=True), base)
    return (0.3 * wave(5, 26),), (model, jnp.arange(points) * 13 % vertices, wave(6, points, 3))


def complicated_hand_inputs(vertices, points):
    (theta,), (model, correspondences, at) = hand_inputs(vertices, points)
    i = jnp.arange(vertices)
    triangles = jnp.stack([i, i * 5 % vertices, i * 11 % vertices], 1)
    return (theta, 0.4 + 0.2 * wave(7, points, 2)), (model, triangles[correspondences], at)


def skin(theta, model):
    """The positions of the vertices, [vertices, 3]. theta has an axis of rotation, a translation, and for each finger a
    bend, a turn and two bends."""
    relative, inverse_base, weights, base = model
    fingers = theta[6:].reshape(FINGERS, JOINTS)
    zero = jnp.zeros((FINGERS, 1))
    bend = jnp.concatenate([fingers[:, :1], fingers[:, 2:], zero], 1)
    turn = jnp.concatenate([fingers[:, 1:2], zero, zero, zero], 1)
    none, one = jnp.zeros_like(bend), jnp.ones_like(bend)
    cb, sb, ct, st = jnp.cos(bend), jnp.sin(bend), jnp.cos(turn), jnp.sin(turn)
    pose = jnp.stack([ct, -st * cb, st * sb, none, st, ct * cb, -ct * sb, none, none, sb, cb, none, none, none, none,
                      one], -1)
    posed = relative[2:].reshape(FINGERS, JOINTS, 4, 4) @ pose.reshape(FINGERS, JOINTS, 4, 4)
    palm = relative[0] @ relative[1]
    chain = [palm @ posed[:, 0]]
    for joint in range(1, JOINTS):
        chain.append(chain[-1] @ posed[:, joint])
    absolute = jnp.concatenate([relative[:1], palm[None], jnp.stack(chain, 1).reshape(-1, 4, 4)])
    transforms = (absolute @ inverse_base)[:, :3].reshape(BONES, 12)
    places = jnp.sum((weights @ transforms).reshape(-1, 3, 4) * base[:, None], 2)
    return jax.vmap(lambda p: rotated(theta[:3], p))(places) + theta[3:6]


def hand(parameters, model, correspondences, points):
    (theta,) = parameters
    return 0.5 * squares(points - skin(theta, model)[correspondences])


def complicated_hand(parameters, model, corners, points):
    theta, us = parameters
    u, v = us[:, :1], us[:, 1:]
    a, b, c = (skin(theta, model)[corners[:, i]] for i in range(3))
    return 0.5 * squares(points - (u * a + v * b + (1 - u - v) * c))


# ---- an LSTM: the log likelihood of a sequence of letters

def lstm_inputs(layers, letters, length):
    state = 0.3 * wave(3, layers, 2, letters)
    return (2 * wave(1, layers, 2, 4 * letters),
            1 + 0.3 * wave(2, 3, letters)), (state, (wave(4, length, letters) > 0.5) * 1.0)


def lstm(parameters, state, sequence):
    main, extra = parameters

    def step(state, letters):
        given, wanted = letters
        x, after = given * extra[0], []
        for (weight, bias), (hidden, cell) in zip(main, state):
            f, i, o, change = jnp.split(jnp.concatenate([x, hidden, x, hidden]) * weight + bias, 4)
            cell = cell * jax.nn.sigmoid(f) + jax.nn.sigmoid(i) * jnp.tanh(change)
            x = jax.nn.sigmoid(o) * jnp.tanh(cell)
            after.append(jnp.stack([x, cell]))
        predicted = x * extra[1] + extra[2]
        return jnp.stack(after), jnp.sum(wanted * (predicted - jnp.log(jnp.sum(jnp.exp(predicted)) + 2)))

    terms = lax.scan(step, state, (sequence[:-1], sequence[1:]))[1]
    return -jnp.sum(terms) / ((sequence.shape[0] - 1) * sequence.shape[1])


# name: objective, the inputs that tests take, the inputs that are timed
OBJECTIVES = {
    "gmm": (gmm, lambda: gmm_inputs(20, 4, 3), lambda: gmm_inputs(1000, 20, 25)),
    "bundle": (bundle, lambda: bundle_inputs(3, 7, 12), lambda: bundle_inputs(49, 7776, 31843)),
    "hand": (hand, lambda: hand_inputs(60, 9), lambda: hand_inputs(544, 100)),
    "complicated_hand": (complicated_hand, lambda: complicated_hand_inputs(60, 9), lambda: complicated_hand_inputs(544, 100)),
    "lstm": (lstm, lambda: lstm_inputs(2, 3, 8), lambda: lstm_inputs(2, 14, 1024)),
}


def main():
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
    import timing
    for name, (objective, _, make) in OBJECTIVES.items():
        parameters, data = make()
        for kind, function in (("objective", jax.jit(objective)), ("gradient", jax.jit(jax.grad(objective)))):
            timing.row(f"{name} {kind}", lambda: lambda: function(parameters, *data), jax.block_until_ready)


if __name__ == "__main__":
    main()
