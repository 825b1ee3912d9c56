# SPDX-License-Identifier: Apache-2.0
"""Programs that are smaller than a given one and may be slow for the same reason."""

import copy

import jax
import ops


def smaller(program: dict) -> list[dict]:
    """The most promising first: one op alone, cuts above and below, ops left out, halved extents."""
    with jax.enable_x64(True):
        values = value_shapes(program)
    count, first = len(program["ops"]), len(program["inputs"])
    found = []
    if count > 1:
        found += [alone(program, values, k) for k in range(count)]
        found += [cleaned({**program, "outputs": [first + k]}) for k in reversed(range(count - 1))]
        found += [replaced(program, values, k) for k in range(count - 1)]
        found += [without(program, k) for k in range(count) if same(values[first + k], values[program["ops"][k][1][0]])]
    extents = {n for _, shape, _ in program["inputs"] for n in shape if n >= 4}
    found += [halved(program, n) for n in sorted(extents, reverse=True)]
    return [candidate for candidate in found if candidate is not None and candidate["ops"]]


def value_shapes(program: dict) -> list:
    inputs = [jax.ShapeDtypeStruct(tuple(shape), ops.DTYPES[name]) for name, shape, _ in program["inputs"]]
    everything = {**program, "outputs": list(range(len(inputs) + len(program["ops"])))}
    return jax.eval_shape(ops.function_of(everything), *inputs)


def same(a, b) -> bool:
    return getattr(a, "shape", None) == getattr(b, "shape", ()) and a.dtype == b.dtype


def as_input(value) -> list | None:
    if isinstance(value, (tuple, list)) or ops.type_name(value.dtype) not in ops.DTYPES:
        return None
    return [ops.type_name(value.dtype), list(value.shape), "any"]


def alone(program: dict, values: list, k: int) -> dict | None:
    """Op k on inputs of its own."""
    first = len(program["inputs"])
    name, operands, parameters = program["ops"][k]
    inputs = [program["inputs"][v] if v < first else as_input(values[v]) for v in operands]
    if None in inputs:
        return None
    return {**program, "inputs": inputs, "outputs": [len(inputs)], "ops": [[name, list(range(len(inputs))), parameters]]}


def replaced(program: dict, values: list, k: int) -> dict | None:
    """Op k's result as an input."""
    first = len(program["inputs"])
    new = as_input(values[first + k])
    if new is None:
        return None

    def number(v: int) -> int:
        return first if v == first + k else v if v < first else v + 1

    moved = [[name, [number(v) for v in operands], parameters] for name, operands, parameters in program["ops"]]
    return cleaned({**program, "inputs": [*program["inputs"], new], "ops": moved, "outputs": [number(v) for v in program["outputs"]]})


def without(program: dict, k: int) -> dict:
    """Op k's first operand in place of its result."""
    gone, kept = len(program["inputs"]) + k, program["ops"][k][1][0]
    moved = [[name, [kept if v == gone else v for v in operands], parameters]
             for name, operands, parameters in program["ops"]]
    return cleaned({**program, "ops": moved, "outputs": [kept if v == gone else v for v in program["outputs"]]})


def cleaned(program: dict) -> dict:
    """Without what no output needs."""
    first = len(program["inputs"])
    needed = set(program["outputs"])
    for k in reversed(range(len(program["ops"]))):
        if first + k in needed:
            needed.update(program["ops"][k][1])
    number = {value: k for k, value in enumerate(sorted(needed))}
    kept = [op for k, op in enumerate(program["ops"]) if first + k in needed]
    return {**program, "inputs": [i for k, i in enumerate(program["inputs"]) if k in needed],
            "ops": [[name, [number[v] for v in operands], parameters] for name, operands, parameters in kept],
            "outputs": [number[v] for v in program["outputs"]]}


def halved(program: dict, extent: int) -> dict:
    """Every extent of the inputs that is this one, halved; what doesn't fit any more doesn't build."""
    result = copy.deepcopy(program)
    for each in result["inputs"]:
        each[1] = [n // 2 if n == extent else n for n in each[1]]
        if each[2].startswith("below "):
            each[2] = f"below {max(1, int(each[2].split()[1]) // 2)}"
    return result
