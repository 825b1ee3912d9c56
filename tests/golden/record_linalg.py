# SPDX-License-Identifier: Apache-2.0
"""record_linalg.py LAX_FILE SCIPY_FILE -- records jax 0.10.2's linear algebra and special functions of several
parameters.

For tests/lax/linalg_golden_test.cc and tests/scipy/linalg/linalg_test.cc. A row is C++, an arrow, and Python if it
differs. A prefix "d NAME " selects the derivative along ones in that input."""
import sys

import jax
import jax.numpy as jnp
import jax.scipy.linalg as sl
import jax.scipy.special as sp
import numpy as np
from jax import lax
from jax.lax import linalg as ll

GENERAL = np.array([[1.0, 2.0, 0.0], [-0.5, 0.25, 1.0], [0.75, 0.0, 0.5]])
TURNED = np.array([[0.0, -1.0, 0.5], [1.0, 0.25, 1.0], [0.5, 2.0, -1.0]])
INPUTS = {
    "m": np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]]),
    "lopsided": np.array([[4.0, 9.0, 7.0], [1.0, 3.0, 5.0], [0.5, -1.0, 2.0]]),
    "g": GENERAL,
    "t": TURNED,
    "tall": np.array([[1.0, 2.0], [-0.5, 0.25], [0.75, 3.0], [2.0, -1.0]]),
    "wide": np.array([[1.0, 2.0, 0.5], [-0.5, 0.25, 4.0]]),
    "z": GENERAL + 1j * TURNED,
    "v": np.array([1.0, -2.0, 0.5]),
    "w": np.array([2.0, -1.0]),
    "dl": np.array([9.0, 3.0, -2.0, 1.0]),
    "d": np.array([1.0, 0.5, 2.0, -1.0]),
    "du": np.array([2.0, 1.0, 0.25, 9.0]),
    "b": np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0], [-2.0, 1.0]]),
    "ones": np.array([0.0, 1.0, 1.0]),
    "zeros": np.array([0.0, 0.0, 0.0]),
    "a5": np.array([0.5, 2.0, 3.5, 1.25, 7.0]),
    "b5": np.array([1.5, 0.75, 2.0, 4.0, 2.5]),
    "c5": np.array([2.25, 3.0, 6.5, 5.75, 8.0]),
    "p5": np.array([0.125, 0.5, 0.75, 0.875, 0.0625]),
    "x5": np.array([0.0, 1.0, 2.5, 0.5, np.inf]),
    "none5": np.zeros(5),
}
LAX = [
    "tridiagonal_solve(dl, d, du, b) -> ll.tridiagonal_solve(dl, d, du, b)",
    "tridiagonal_solve(dl, d, du, b, {.perturb_singular = true}) -> ll.tridiagonal_solve(dl, d, du, b, perturb_singular=True)",
    "tridiagonal_solve(ones, ones, ones, m) -> ll.tridiagonal_solve(ones, ones, ones, m)",
    "tridiagonal_solve(zeros, zeros, zeros, m) -> ll.tridiagonal_solve(zeros, zeros, zeros, m)",
    *[f"d {name} tridiagonal_solve(dl, d, du, b) -> ll.tridiagonal_solve(dl, d, du, b)" for name in ("dl", "d", "du", "b")],
    *[f"qdwh({a}).{field} -> ll.qdwh({a})[{i}]" for a in ("g", "tall") for i, field in enumerate(("u", "h"))],
    "numpy::astype(qdwh(g).num_iters, numpy::float32) -> ll.qdwh(g)[2]",
    "d g qdwh(g).u -> ll.qdwh(g)[0]",
    "d g qdwh(g).h -> ll.qdwh(g)[1]",
    *[f"qr_with_pivoting({a}).r -> ll.qr({a}, pivoting=True)[1]" for a in ("g", "tall", "wide")],
    "qr_with_pivoting(tall, false).q -> ll.qr(tall, pivoting=True, full_matrices=False)[0]",
    "numpy::astype(qr_with_pivoting(wide).p, numpy::float32) -> ll.qr(wide, pivoting=True)[2]",
    # Not of `wide`: JAX 0.10.2 takes the last columns of x for those of x[:, p] there.
    *[f"d {a} qr_with_pivoting({a}, false).r -> ll.qr({a}, pivoting=True, full_matrices=False)[1]" for a in ("g", "tall")],
    "d lopsided cholesky(lopsided, {.symmetrize_input = false}) -> ll.cholesky(lopsided, symmetrize_input=False)",
    "d lopsided cholesky(lopsided) -> ll.cholesky(lopsided)",
    *[f"d lopsided eigh(lopsided, {{.lower = {text}, .symmetrize_input = false}}).w -> "
      f"ll.eigh(lopsided, lower={lower}, symmetrize_input=False)[1]" for text, lower in (("true", True), ("false", False))],
    "eigh(m, {.subset_by_index = {0, 3}}).w -> ll.eigh(m, subset_by_index=(0, 3))[1]",
    "betainc(a5, b5, p5) -> lax.betainc(a5, b5, p5)",
    "betainc(none5, b5, p5) -> lax.betainc(none5, b5, p5)",
    "d p5 betainc(a5, b5, p5) -> lax.betainc(a5, b5, p5)",
    "igammac(none5, x5) -> lax.igammac(none5, x5)",
    "igammac(a5, x5) -> lax.igammac(a5, x5)",
    "d a5 igammac(a5, b5) -> lax.igammac(a5, b5)",
    "random_gamma_grad(a5, b5) -> lax.random_gamma_grad(a5, b5)",
    "d a5 random_gamma_grad(a5, b5) -> lax.random_gamma_grad(a5, b5)",
    "d b5 random_gamma_grad(a5, b5) -> lax.random_gamma_grad(a5, b5)",
]
SCIPY = [
    *[f"qr_with_pivoting({a}).{field} -> sl.qr({a}, pivoting=True)[{i}]" for a in ("g", "tall", "wide")
      for i, field in enumerate(("q", "r"))],
    *[f'qr_with_pivoting({a}, {{.mode = "economic"}}).q -> sl.qr({a}, mode="economic", pivoting=True)[0]' for a in ("tall", "wide")],
    "qr_multiply(g, t).cq -> sl.qr_multiply(g, t)[0]",
    "qr_multiply(g, t).r -> sl.qr_multiply(g, t)[1]",
    'qr_multiply(g, t, {.mode = "left"}).cq -> sl.qr_multiply(g, t, mode="left")[0]',
    'qr_multiply(tall, w, {.mode = "left"}).cq -> sl.qr_multiply(tall, w, mode="left")[0]',
    "qr_multiply(tall, d).cq -> sl.qr_multiply(tall, d)[0]",
    'qr_multiply(wide, w, {.mode = "left"}).cq -> sl.qr_multiply(wide, w, mode="left")[0]',
    "parts_of(qr_multiply(z, t, {.conjugate = true}).cq) -> parts_of(sl.qr_multiply(z, t, conjugate=True)[0])",
    'parts_of(qr_multiply(z, v, {.mode = "left", .conjugate = true}).cq) -> parts_of(sl.qr_multiply(z, v, mode="left", conjugate=True)[0])',
    'qr_multiply_with_pivoting(tall, w, {.mode = "left"}).cq -> sl.qr_multiply(tall, w, mode="left", pivoting=True)[0]',
    "numpy::astype(qr_multiply_with_pivoting(tall, d).p, numpy::float32) -> sl.qr_multiply(tall, d, pivoting=True)[2]",
    "parts_of(funm(g, [](const Array& x) { return numpy::exp(x); })) -> parts_of(sl.funm(g, jnp.exp))",
    "parts_of(funm(t, [](const Array& x) { return numpy::sqrt(x); })) -> parts_of(sl.funm(t, jnp.sqrt))",
    "parts_of(sqrtm(g)) -> parts_of(sl.sqrtm(g))",
    "parts_of(sqrtm(t)) -> parts_of(sl.sqrtm(t))",
    "eigvalsh(m) -> sl.eigh(m, eigvals_only=True)",
    "lu_with_permuted_l(g).pl -> sl.lu(g, permute_l=True)[0]",
    "eigh_tridiagonal(v, w, {.select = \"i\", .select_range = {1, 2}}) -> sl.eigh_tridiagonal(v, w, eigvals_only=True, select='i', select_range=(1, 2))",
    'd lopsided solve(lopsided, v, {.lower = true, .assume_a = "pos"}) -> sl.solve(lopsided, v, lower=True, assume_a="pos")',
    *[f"polar({a}).{field} -> sl.polar({a})[{i}]" for a in ("g", "tall") for i, field in enumerate(("unitary", "posdef"))],
    "special::hyp1f1(a5, b5, p5) -> sp.hyp1f1(a5, b5, p5)",
    "special::hyp2f1(a5, b5, c5, p5) -> sp.hyp2f1(a5, b5, c5, p5)",
    *[f"d {name} special::hyp1f1(a5, b5, p5) -> sp.hyp1f1(a5, b5, p5)" for name in ("a5", "b5", "p5")],
    *[f"d {name} special::hyp2f1(a5, b5, c5, p5) -> sp.hyp2f1(a5, b5, c5, p5)" for name in ("a5", "b5", "c5", "p5")],
]


def parts_of(z):
    return jnp.stack([z.real, z.imag])


def number(value: float) -> str:
    return "kNan" if np.isnan(value) else ("kInf" if value > 0 else "-kInf") if np.isinf(value) else repr(float(value))


def input_line(name: str, value: np.ndarray) -> str:
    parts = np.stack([value.real, value.imag], -1) if np.iscomplexobj(value) else value
    kind = "c64" if np.iscomplexobj(value) else "f32"
    return (f'[[maybe_unused]] const Array {name} = golden_input("{kind}[{",".join(map(str, value.shape))}]", '
            f'VALUES({", ".join(map(number, parts.reshape(-1)))}));')


def row_line(row: str, scope: dict) -> str:
    cpp, _, python = row.partition(" -> ")
    if not cpp.startswith("d "):
        return f"NEAR({values(eval(python, scope))}, {cpp})"
    _, name, cpp = cpp.split(" ", 2)
    f = eval(f"lambda {name}: {python}", dict(scope))
    return f"NEAR({values(jax.jvp(f, (scope[name],), (jnp.ones_like(scope[name]),))[1])}, slope_of([&](const Array& {name}) {{ return {cpp}; }}, {name}))"


def values(result) -> str:
    return f"VALUES({', '.join(map(number, np.asarray(result).reshape(-1)))})"


def write(path: str, rows: list[str]) -> None:
    arrays = {name: jnp.asarray(value, jnp.complex64 if np.iscomplexobj(value) else jnp.float32)
              for name, value in INPUTS.items()}
    scope = {**arrays, "jnp": jnp, "lax": lax, "ll": ll, "sl": sl, "sp": sp, "parts_of": parts_of}
    head = (f"// SPDX-License-Identifier: Apache-2.0\n// {path.rpartition('/')[2]} -- written by tests/golden/record_linalg.py with jax "
            "0.10.2.\n// clang-format off\n")
    lines = [input_line(name, value) for name, value in INPUTS.items()] + [row_line(row, scope) for row in rows]
    open(path, "w").write(head + "\n".join(lines) + "\n")


write(sys.argv[1], LAX)
write(sys.argv[2], SCIPY)
