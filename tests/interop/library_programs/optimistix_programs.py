# SPDX-License-Identifier: Apache-2.0
"""Programs with optimistix and lineax: roots, fixed points, least squares, linear operators.

name -> a function that gives a tree of arrays."""

import jax
import jax.numpy as jnp
import lineax
import optimistix

T = jnp.linspace(0, 2, 25)
DATA = 1.5 * jnp.exp(-0.8 * T) + 0.2


def root_and_fixed_point():
    root = optimistix.root_find(lambda y, args: jnp.array([y[0] ** 2 + y[1] - args, jnp.sin(y[0]) - y[1]]),
                                optimistix.Newton(rtol=1e-6, atol=1e-6), jnp.array([1.0, 0.5]), args=2.0).value
    fixed = optimistix.fixed_point(lambda y, args: jnp.cos(y) / 2,
                                   optimistix.FixedPointIteration(rtol=1e-6, atol=1e-6), jnp.zeros(4)).value
    return root, fixed


def levenberg_marquardt():
    def residual(params, args):
        return params[0] * jnp.exp(-params[1] * T) + params[2] - args
    solver = optimistix.LevenbergMarquardt(rtol=1e-5, atol=1e-5)
    solve = jax.jit(
        lambda data: optimistix.least_squares(residual, solver, jnp.array([1.0, 1.0, 0.0]), args=data).value)
    return solve(DATA), jax.jacfwd(lambda shift: solve(DATA + shift))(0.0)


def minimum_by_bfgs():
    def rosenbrock(y, args):
        return jnp.sum(100 * (y[1:] - y[:-1] ** 2) ** 2 + (1 - y[:-1]) ** 2)
    return optimistix.minimise(rosenbrock, optimistix.BFGS(rtol=1e-5, atol=1e-6), jnp.zeros(4), max_steps=500).value


def linear_systems():
    matrix = jax.random.normal(jax.random.key(15), (8, 8)) + 6 * jnp.eye(8)
    vector = jnp.arange(8.0)
    definite = lineax.MatrixLinearOperator(matrix @ matrix.T, lineax.positive_semidefinite_tag)
    solvers = ((lineax.MatrixLinearOperator(matrix), lineax.LU()), (lineax.MatrixLinearOperator(matrix), lineax.QR()),
               (definite, lineax.Cholesky()), (definite, lineax.CG(rtol=1e-6, atol=1e-6)),
               (lineax.MatrixLinearOperator(matrix), lineax.GMRES(rtol=1e-6, atol=1e-6)),
               (lineax.TridiagonalLinearOperator(jnp.full(8, 4.0), jnp.ones(7), -jnp.ones(7)), lineax.Tridiagonal()))
    return [jax.jit(lambda operator=operator, solver=solver: lineax.linear_solve(operator, vector, solver).value)()
            for operator, solver in solvers]


def gradient_of_a_solution():
    def solution(matrix):
        operator = lineax.FunctionLinearOperator(lambda x: matrix @ x + 5 * x, jax.eval_shape(lambda: jnp.zeros(6)))
        return jnp.sum(lineax.linear_solve(operator, jnp.ones(6), lineax.AutoLinearSolver(well_posed=True)).value ** 2)
    return jax.jit(jax.grad(solution))(jax.random.normal(jax.random.key(16), (6, 6)))


PROGRAMS = {function.__name__: function for function in (
    root_and_fixed_point, levenberg_marquardt, minimum_by_bfgs, linear_systems, gradient_of_a_solution)}
