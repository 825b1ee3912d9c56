# SPDX-License-Identifier: Apache-2.0
"""Reads and compares .npy files without NumPy, which the tests don't have."""

import ast
import math
import pathlib
import struct

CODES = {"b1": "?", "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q",
         "f2": "e", "f4": "f", "f8": "d", "c8": "f", "c16": "d"}


def read(path: pathlib.Path) -> tuple[str, tuple[int, ...], list]:
    """Returns (type such as "f4", shape, elements in C order); a complex element is two numbers."""
    data = path.read_bytes()
    if data[:6] != b"\x93NUMPY":
        raise ValueError(f"{path}: not an npy file")
    size_of_length = 2 if data[6] == 1 else 4
    length = int.from_bytes(data[8 : 8 + size_of_length], "little")
    start = 8 + size_of_length + length
    header = ast.literal_eval(data[8 + size_of_length : start].decode("latin-1"))
    kind, shape = header["descr"].lstrip("<|="), header["shape"]
    count = math.prod(shape) * (2 if kind.startswith("c") else 1)
    if header["fortran_order"] and len(shape) > 1:
        raise ValueError(f"{path}: in Fortran order")
    return kind, shape, list(struct.unpack_from(f"<{count}{CODES[kind]}", data, start))


def difference(got: pathlib.Path, wanted: pathlib.Path, dtype: str, relative: float, absolute: float) -> str:
    """Returns "" if |got - expected| <= relative * |expected| + absolute * max|expected| for all elements. NaN equals
    NaN."""
    try:
        (got_kind, got_shape, got_values), (kind, shape, values) = read(got), read(wanted)
    except (OSError, ValueError, KeyError, struct.error) as error:
        return str(error)
    if got_shape != shape or (got_kind != kind and dtype != "bfloat16"):
        return f"{got.name}: got {got_kind}{list(got_shape)}; wanted {kind}{list(shape)}"
    if dtype == "bfloat16":
        got_values, values = ([as_bfloat16(v) for v in side] for side in (got_values, values))
    largest = max((abs(v) for v in values if math.isfinite(v)), default=0.0)
    for i, (g, w) in enumerate(zip(got_values, values)):
        same = g == w or (g != g and w != w)
        if not same and not abs(g - w) <= relative * abs(w) + absolute * largest:
            return f"{got.name}: element {i}: got {g}; wanted {w}"
    return ""


def as_bfloat16(bits) -> float:
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0] if isinstance(bits, int) else bits
