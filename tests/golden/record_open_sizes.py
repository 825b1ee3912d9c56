#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record_open_sizes.py -- writes some functions of open_size_functions.py as tests/import/data/open/NAME.jax, and JAX's
results at sizes 1, 2, 7 and 33 as tests/golden/open_sizes.txt.

tests/import/load_open_sizes_test.cc reads them. A line has a name, the types of the arguments, and for each result its
shape, a weighted sum of its elements and the sum of their magnitudes; or "refused" if JAX rejects the sizes. The
arguments' elements are a function of their offsets (place_value)."""

import pathlib
import sys

import open_size_functions as cases  # sets up the environment that JAX reads
import jax
import numpy as np

jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")  # file names without folders

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "tests" / "import" / "data" / "open"
RECORDED = """
unary_tanh binary_atan2 broadcast_row broadcast_one whole_clz type_bitcast type_bitcast_narrow choose_clamp choose_select_scalar
move_reshape_split move_slice_step move_pad move_concat_self size_max size_floordiv size_of_product size_derived_sum size_constrained
size_equal size_floordiv_equal reduce_argmax reduce_softmax cumulative_sum cumulative_max cumulative_logsumexp cumulative_bool
window_stride window_pair_open window_open_window gather_dynamic_slice_in_dim gather_take_fill scatter_segment_open scatter_rows
sort_pairs sort_top_k_open sort_top_k_half sort_approx_min_open dot_mv dot_general dot_preferred einsum_three einsum_attention
conv_image_stride conv_grad_image fft_rfft linalg_cholesky_both linalg_solve_open linalg_eigh linalg_svd linalg_tridiagonal
linalg_svd_both random_uniform random_rbg random_randint control_scan control_fori control_cond_captures
control_switch_reshape control_jit_same_twice grad_mlp_open vmap_scan model_causal rare_nested_export rare_only_size
rare_platforms rare_logsumexp_b
""".split()


def place_value(text, shape, argument):
    """Returns the element at an offset, by the suffix of the type."""
    k = np.arange(int(np.prod(shape, dtype=np.int64)))
    element, values = text[:text.index("[")], text[text.index("]") + 1:]
    dtype = cases.DTYPES[element]
    if values.startswith("%"):
        x = (7 * k + 3) % int(values[1:])
    elif element == "pred":
        x = k % 3 == 0
    elif np.issubdtype(dtype, np.unsignedinteger):
        x = (k * 13 + argument) % 200
    elif np.issubdtype(dtype, np.integer):
        x = (k * 13 + argument) % 200 - 100
    else:
        place = (k * 37 + 11 * argument) % 64
        x = {"+": (place + 8) / 32, "u": (place - 32) / 40}.get(values, (place - 32) / 16)
    return x.reshape(shape).astype(dtype)


def fingerprint(result):
    x = np.asarray(result)
    shape = f"[{','.join(map(str, x.shape))}]"
    flat = x.astype(np.complex128 if np.iscomplexobj(x) else np.float64).ravel()
    numbers = flat.view(np.float64)
    weights = ((np.arange(numbers.size) * 29) % 31 - 15) / 16
    assert np.isfinite(numbers).all()
    return f"{shape} {np.sum(numbers * weights):.17g} {np.sum(np.abs(numbers)):.17g}"


def lines(name):
    exported = cases.exported(name)
    (DATA / f"{name}.jax").write_bytes(bytes(exported.serialize()))
    for sizes in cases.sizes_of(name):
        types = cases.CASES[name][1]
        shapes = [tuple(eval(s.replace("^", "**"), {}, dict(sizes))
                        for s in cases.symbols_of(t).split(",") if s.strip()) for t in types]
        arguments = [place_value(t, shape, i) for i, (t, shape) in enumerate(zip(types, shapes))]
        texts = [f"{t[:t.index('[')]}[{','.join(map(str, shape))}]{t[t.index(']') + 1:]}" for t, shape in zip(types, shapes)]
        try:
            results = [fingerprint(x) for x in jax.tree.leaves(exported.call(*arguments))]
        except ValueError as error:
            if "refining" in str(error):  # JAX can't, hilo can: what the function itself gives
                results = [fingerprint(x) for x in jax.tree.leaves(jax.jit(cases.CASES[name][0])(*arguments))]
            else:
                results = ["refused"]
        yield " | ".join([name, " ".join(texts), *results])


def main() -> int:
    DATA.mkdir(parents=True, exist_ok=True)
    text = "".join(line + "\n" for name in RECORDED for line in lines(name))
    (ROOT / "tests" / "golden" / "open_sizes.txt").write_text(text)
    print(f"{len(RECORDED)} functions, {text.count(chr(10))} calls")
    return 0


if __name__ == "__main__":
    sys.exit(main())
