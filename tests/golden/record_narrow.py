# SPDX-License-Identifier: Apache-2.0
"""Writes narrow_floats.txt next to itself: how ml_dtypes rounds the 8- and 4-bit floats. Needs jax 0.10.2's wheels.

A line per type: its name, the bits of all its codes as f32, and pairs "f32 bits:code" of conversions. These are every
value of the type, every midpoint between neighbours, the f32 neighbours of each, and the edges of f32.
"""
import pathlib

import ml_dtypes
import numpy as np

NAMES = {
    "f8e5m2": "float8_e5m2",
    "f8e4m3fn": "float8_e4m3fn",
    "f8e4m3": "float8_e4m3",
    "f8e3m4": "float8_e3m4",
    "f8e4m3b11fnuz": "float8_e4m3b11fnuz",
    "f8e5m2fnuz": "float8_e5m2fnuz",
    "f8e4m3fnuz": "float8_e4m3fnuz",
    "f8e8m0fnu": "float8_e8m0fnu",
    "f4e2m1fn": "float4_e2m1fn",
}


def inputs(values):
    """Values, midpoints, and their neighbours, with both signs."""
    finite = np.unique(np.abs(values[np.isfinite(values)]).astype(np.float64))
    middles = (finite[1:] + finite[:-1]) / 2
    step = finite[-1] - finite[-2]
    beyond = np.array([finite[-1] + step / 2, finite[-1] + step, finite[-1] * 4, finite[0] / 2, 1e-45, 1e-30, 1e30,
                       3.4e38])
    with np.errstate(over="ignore"):
        exact = np.concatenate([finite, middles, beyond]).astype(np.float32)
    near = np.concatenate([exact, np.nextafter(exact, np.float32(np.inf)), np.nextafter(exact, np.float32(-np.inf))])
    near = np.unique(np.concatenate([near, np.array([np.inf], np.float32)]))
    return np.concatenate([near, -near])


def main():
    lines = []
    for name, dtype_name in NAMES.items():
        dtype = getattr(ml_dtypes, dtype_name)
        codes = np.arange(16 if name == "f4e2m1fn" else 256, dtype=np.uint8).view(dtype)
        values = codes.astype(np.float32)
        x = inputs(values)
        to = x.astype(dtype).view(np.uint8)
        lines.append(name)
        lines.append(" ".join(f"{bits:x}" for bits in values.view(np.uint32)))
        lines.append(" ".join(f"{bits:x}:{code:x}" for bits, code in zip(x.view(np.uint32), to)))
    pathlib.Path(__file__).with_name("narrow_floats.txt").write_text("\n".join(lines) + "\n")


main()
