# SPDX-License-Identifier: Apache-2.0
"""Flags that change the parts of JAX's result, and the C++ function for them: svd(a, compute_uv=False) is svdvals(a).
The tables are by function; no rule depends on a single row."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Variant:
    flags: dict  # for these values
    function: str  # this function
    dropped: tuple = ()  # without these arguments, which mean nothing to it
    fields: tuple = ()  # and of its result these parts; without parts, all
    kept: tuple = ()  # flags that are arguments of it too


GIVEN = object()  # any value but None

VARIANTS = {
    "jax.lax.mul": [Variant({"out_dtype": GIVEN}, "lax::mul_with_out_dtype", kept=("out_dtype",))],
    "jax.lax.linalg.qr": [Variant({"pivoting": True}, "lax::linalg::qr_with_pivoting", ("use_magma",))],
    "jax.numpy.linalg.qr": [Variant({"mode": "r"}, "linalg::qr", (), ("r",))],
    "jax.numpy.linalg.svd": [
        Variant({"compute_uv": False, "hermitian": True}, "linalg::svd", (), ("s",), ("hermitian",)),
        Variant({"compute_uv": False}, "linalg::svdvals", ("full_matrices", "hermitian")),
    ],
    "jax.scipy.linalg.eigh": [Variant({"eigvals_only": True}, "scipy::linalg::eigvalsh")],
    "jax.scipy.linalg.eigh_tridiagonal": [
        Variant({"eigvals_only": False}, "scipy::linalg::eigh_tridiagonal_with_vectors", ("tol", "key"))],
    "jax.scipy.linalg.expm_frechet": [Variant({"compute_expm": False}, "scipy::linalg::expm_frechet", (), ("frechet",))],
    "jax.scipy.linalg.funm": [Variant({"disp": False}, "scipy::linalg::funm_with_error")],
    "jax.scipy.linalg.hessenberg": [Variant({"calc_q": True}, "scipy::linalg::hessenberg_with_q")],
    "jax.scipy.linalg.lu": [Variant({"permute_l": True}, "scipy::linalg::lu_with_permuted_l")],
    "jax.scipy.linalg.qr": [
        Variant({"mode": "r", "pivoting": True}, "scipy::linalg::qr_with_pivoting", (), ("r", "p")),
        Variant({"mode": "r"}, "scipy::linalg::qr", (), ("r",)),
        Variant({"pivoting": True}, "scipy::linalg::qr_with_pivoting"),
    ],
    "jax.scipy.linalg.qr_multiply": [Variant({"pivoting": True}, "scipy::linalg::qr_multiply_with_pivoting")],
    "jax.scipy.linalg.svd": [Variant({"compute_uv": False}, "scipy::linalg::svdvals", ("full_matrices",))],
    "jax.scipy.special.logsumexp": [Variant({"return_sign": True}, "scipy::special::logsumexp_with_sign")],
}
# Arguments that change no result: copies of arrays that never change, the progress of a search, what JAX's types say
# of members of an axis; optax's option to forward {.value, .grad, .value_fn}, which every transformation here takes.
IDLE_OF = {
    "jax.numpy.astype": {"copy": (True, False), "device": (None,)},
    "jax.lax.all_gather": {"to": ("varying", "invariant")},
    "optax.scale_by_zoom_linesearch": {"verbose": (True, False)},
    "optax.conditionally_mask": {"forward_extra_args": (True, False)},
    "optax.conditionally_transform": {"forward_extra_args": (True, False)},
}
# SciPy's arguments that mean nothing where arrays never change, in JAX too.
IDLE = ("overwrite_a", "overwrite_b", "overwrite_c", "check_finite", "lwork", "lapack_driver", "turbo", "debug")


def variant_of(name: str, parameters: tuple, args: list, kwargs: dict) -> Variant | None:
    """Returns the first variant whose flags the call has, positional or by keyword."""
    bound = bound_arguments(parameters, args, kwargs)
    defaults = {parameter.name: parameter.default for parameter in parameters}
    for variant in VARIANTS.get(name, ()):
        if all(bound.get(flag) is not None if value is GIVEN else bound.get(flag, defaults.get(flag) == "True") == value
               for flag, value in variant.flags.items()):
            return variant
    return None


def bound_arguments(parameters: tuple, args: list, kwargs: dict) -> dict:
    return {**dict(zip((parameter.name for parameter in parameters), args)), **kwargs}


def without_idle(name: str, parameters: tuple, args: list, kwargs: dict) -> tuple[list, dict]:
    """Returns the arguments without those that have no effect. A position after one of them becomes a keyword."""
    bound = bound_arguments(parameters, args, kwargs)
    idle = idle_of(name, bound)
    if not idle:
        return args, kwargs
    first = next(i for i, parameter in enumerate(parameters) if parameter.name in idle)
    behind = [parameter.name for parameter in parameters[first:]][:max(len(args) - first, 0)]
    moved = {key: bound[key] for key in behind}
    return args[:first], {key: value for key, value in {**moved, **kwargs}.items() if key not in idle}


def idle_of(name: str, bound: dict) -> set:
    """Returns the arguments of a call that have no effect."""
    if name.startswith(("jax.scipy.linalg.", "jax.scipy.cluster.")):
        return {key for key in IDLE if key in bound}
    return {key for key, values in IDLE_OF.get(name, {}).items() if key in bound and bound[key] in values}
