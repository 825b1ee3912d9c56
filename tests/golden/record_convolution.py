# SPDX-License-Identifier: Apache-2.0
"""Prints tests/lax/convolution_golden.inc: JAX's results for convolutions, their gradients and their vmap on small
integers, for which every order of summing is exact. Needs jax 0.10.2."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def whole(shape, seed=0):
    """The numbers of whole() in tests/lax/convolution_test.cc."""
    count = int(np.prod(shape))
    return jnp.asarray(((np.arange(count) * 7 + 3 * seed) % 11 - 5).reshape(shape), jnp.float32)


def show(name, value):
    value = np.asarray(value)
    sizes = ", ".join(map(str, value.shape))
    numbers = ", ".join(str(int(v)) for v in value.ravel())
    print(f'{{"{name}", {{{sizes}}}, {{{numbers}}}}},')


def with_gradients(name, f, lhs, rhs):
    out, pullback = jax.vjp(f, lhs, rhs)
    to_lhs, to_rhs = pullback(whole(out.shape, 2))
    show(name, out)
    show(name + " to lhs", to_lhs)
    show(name + " to rhs", to_rhs)


def with_vmaps(name, f, lhs, rhs):
    """Batched lhs, rhs, both; `lhs` and `rhs` are shapes."""
    for what, axes in ("lhs", (1, None)), ("rhs", (None, 2)), ("both", (2, 0)):
        stacked = [
            whole(shape if axis is None else shape[:axis] + (2,) + shape[axis:], seed)
            for seed, (shape, axis) in enumerate(zip((lhs, rhs), axes))
        ]
        show(f"{name} over {what}", jax.vmap(f, axes)(*stacked))


def general(strides, padding, lhs_dilation=None, rhs_dilation=None, numbers=None, features=1, batches=1):
    def f(lhs, rhs):
        return lax.conv_general_dilated(
            lhs, rhs, strides, padding, lhs_dilation, rhs_dilation, numbers, features, batches
        )

    return f


NHWC = ("NHWC", "HWIO", "NHWC")
print("// SPDX-License-Identifier: Apache-2.0")
print("// Written by tests/golden/record_convolution.py with jax 0.10.2: name, shape, values.")
with_gradients("same", general((2, 2), "SAME", numbers=NHWC), whole((1, 4, 5, 2)), whole((3, 2, 2, 2), 1))
with_gradients("same lower", general((2,), "SAME_LOWER"), whole((1, 2, 5)), whole((2, 2, 4), 1))
with_gradients("valid", general((1, 2), "VALID"), whole((2, 1, 3, 4)), whole((2, 1, 2, 2), 1))
with_gradients("dilated", general((2,), [(2, -1)], (3,), (2,)), whole((1, 2, 4)), whole((2, 2, 3), 1))
with_gradients("features", general((1,), [(1, 0)], features=2), whole((2, 4, 4)), whole((4, 2, 2), 1))
with_gradients("batches", general((2,), [(0, 1)], batches=2), whole((4, 2, 4)), whole((2, 2, 2), 1))
with_gradients("mixed layout", general((1,), "SAME", numbers=("WNC", "OWI", "CWN")), whole((4, 2, 1)), whole((2, 3, 1), 1))
with_vmaps("plain", general((1,), "VALID"), (1, 2, 3), (2, 2, 2))
with_vmaps("features", general((1,), "VALID", features=2), (1, 4, 2), (2, 2, 2))
with_vmaps("batches", general((1,), "VALID", batches=2), (2, 1, 3), (2, 1, 2))
x, k = whole((1, 3, 2)), whole((4, 2, 2), 1)
show("conv", lax.conv(whole((1, 2, 3, 3)), whole((2, 2, 2, 2), 1), (1, 1), "SAME"))
show("general padding", lax.conv_with_general_padding(whole((1, 1, 4)), whole((1, 1, 2), 1), (1,), [(1, 2)], (2,), (3,)))
for padding in "SAME", "VALID":
    show(f"transposed {padding}", lax.conv_transpose(x, k, (2,), padding))
show("transposed long stride", lax.conv_transpose(x, k, (5,), "SAME"))
show("transposed pairs", lax.conv_transpose(x, k, (2,), [(1, 2)], rhs_dilation=(2,)))
show("transposed consistent", lax.conv_transpose(x, k, (2,), [(1, 2)], use_consistent_padding=True))
show("transposed kernel", lax.conv_transpose(x, k, (2,), "SAME", transpose_kernel=True))
