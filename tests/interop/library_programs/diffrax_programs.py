# SPDX-License-Identifier: Apache-2.0
"""Programs with diffrax: explicit, implicit, stochastic and adjoint solvers. name -> a function that gives a tree of
arrays."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
from library_programs.step import Step

KEY = jax.random.key(12)
TIMES = diffrax.SaveAt(ts=jnp.linspace(0, 3, 13))


def oscillator(t, y, args):
    return jnp.array([y[1], -args * y[0] - 0.1 * y[1]])


def solve(solver, controller, field=oscillator, start=(1.0, 0.0), args=2.0, **options):
    return diffrax.diffeqsolve(diffrax.ODETerm(field), solver, 0.0, 3.0, 0.05, jnp.array(start), args=args,
                               saveat=TIMES,
                               stepsize_controller=controller, **options).ys


def fixed_steps():
    return [solve(solver, diffrax.ConstantStepSize()) for solver in (diffrax.Euler(), diffrax.Heun(),
                                                                     diffrax.Midpoint(), diffrax.Ralston())]


def adaptive_steps():
    controller = diffrax.PIDController(rtol=1e-5, atol=1e-6)
    return [solve(solver, controller) for solver in (diffrax.Tsit5(), diffrax.Dopri5(), diffrax.Bosh3())]


def stiff():
    def robertson(t, y, args):
        a, b, c = y
        first = -0.04 * a + 1e2 * b * c
        last = 3e3 * b ** 2
        return jnp.array([first, -first - last, last])

    controller = diffrax.PIDController(rtol=1e-4, atol=1e-6)
    return solve(diffrax.Kvaerno3(), controller, field=robertson, start=(1.0, 0.0, 0.0), max_steps=500)


def gradient_through_a_solver():
    return Step(jax.jit(jax.value_and_grad(lambda args: jnp.sum(solve(diffrax.Tsit5(), diffrax.ConstantStepSize(),
                                                                      args=args) ** 2))), (2.0,))


def backsolve_adjoint():
    def loss(args):
        term = diffrax.ODETerm(oscillator)
        return jnp.sum(diffrax.diffeqsolve(term, diffrax.Heun(), 0.0, 1.0, 0.05, jnp.array([1.0, 0.0]), args=args,
                                           adjoint=diffrax.BacksolveAdjoint()).ys ** 2)
    return jax.jit(jax.grad(loss))(2.0)


def stochastic():
    path = diffrax.VirtualBrownianTree(0.0, 3.0, tol=1e-3, shape=(2,), key=KEY)
    noise = diffrax.ControlTerm(lambda t, y, args: 0.1 * jnp.eye(2), path)
    terms = diffrax.MultiTerm(diffrax.ODETerm(oscillator), noise)
    return diffrax.diffeqsolve(terms, diffrax.EulerHeun(), 0.0, 3.0, 0.05, jnp.array([1.0, 0.0]), args=2.0,
                               saveat=TIMES).ys


def neural_field():
    model = eqx.nn.MLP(2, 2, 16, 2, activation=jnp.tanh, key=KEY)

    @eqx.filter_jit
    @eqx.filter_value_and_grad
    def loss(model):
        ys = solve(diffrax.Tsit5(), diffrax.ConstantStepSize(), field=lambda t, y, args: model(y), max_steps=100)
        return jnp.mean((ys - 1) ** 2)

    return loss(model)


def interpolation_and_events():
    ts = jnp.linspace(0, 5, 11)
    spline = diffrax.CubicInterpolation(ts, diffrax.backward_hermite_coefficients(ts, jnp.sin(ts)[:, None]))
    event = diffrax.Event(lambda t, y, args, **_: y[0] < 0.0)
    stopped = diffrax.diffeqsolve(diffrax.ODETerm(oscillator), diffrax.Tsit5(), 0.0, 3.0, 0.05, jnp.array([1.0, 0.0]),
                                  args=2.0, event=event)
    return jax.vmap(spline.evaluate)(jnp.linspace(0.1, 4.9, 30)), stopped.ts, stopped.ys


PROGRAMS = {function.__name__: function for function in (
    fixed_steps, adaptive_steps, stiff, gradient_through_a_solver, backsolve_adjoint, stochastic, neural_field,
    interpolation_and_events)}
