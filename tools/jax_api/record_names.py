#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records the public names and parameters of jax and optax in names.tsv next to this file.

    python record_names.py          in an environment that has jax and optax

A line has a name, its kind, and for a function its parameters as Python writes them ("a, axis=None, *,
keepdims=False"). Kinds: function, class, constant, type (a scalar type), ufunc (a function with methods), method and
property (of an array).
"""

import importlib
import inspect
import pathlib

PLACE = pathlib.Path(__file__).resolve().parent / "names.tsv"
MODULES = """jax.numpy jax.numpy.fft jax.numpy.linalg jax.lax jax.lax.linalg jax.random jax.nn jax.nn.initializers
jax.image jax.ops jax.scipy.cluster.vq jax.scipy.fft jax.scipy.integrate jax.scipy.interpolate jax.scipy.linalg
jax.scipy.ndimage jax.scipy.optimize jax.scipy.signal jax.scipy.sparse.linalg jax.scipy.spatial.transform
jax.scipy.special jax.scipy.stats optax optax.losses optax.schedules""".split()
# Modules inside of modules whose members count: jax.scipy.stats.norm.pdf.
INNER = ("jax.scipy.stats",)


def main() -> None:
    lines = []
    for module in MODULES:
        lines += lines_of(module, importlib.import_module(module))
    lines += array_lines()
    PLACE.write_text("".join(sorted(lines)))
    print(f"{len(lines)} names")


def lines_of(module: str, found) -> list[str]:
    lines = []
    for name in sorted(vars(found)):
        value = getattr(found, name)
        if name.startswith("_") or name in ("annotations", "typing"):
            continue
        if inspect.ismodule(value):
            if module in INNER and value.__name__.startswith(module + "."):
                lines += lines_of(f"{module}.{name}", value)
            continue
        lines.append(line_of(f"{module}.{name}", value))
        if inspect.isclass(value) and module == "jax.scipy.spatial.transform":
            lines += [line_of(f"{module}.{name}.{member}", getattr(value, member))
                      for member in sorted(vars(value)) if not member.startswith("_")]
    return lines


def line_of(name: str, value) -> str:
    return f"{name}\t{kind_of(value)}\t{parameters_of(value)}\n"


def kind_of(value) -> str:
    if type(value).__name__ == "_ScalarMeta":
        return "type"
    if type(value).__name__ == "ufunc":
        return "ufunc"
    if inspect.isclass(value):
        return "class"
    return "function" if callable(value) else "constant"


def parameters_of(value) -> str:
    if not callable(value):
        return ""
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return ""
    words, after_star = [], False
    for parameter in parameters:
        if parameter.name == "self":
            continue
        if parameter.kind == parameter.KEYWORD_ONLY and not after_star:
            words.append("*")
            after_star = True
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        after_star = after_star or parameter.kind == parameter.VAR_POSITIONAL
        words.append(stars + parameter.name + default_text(parameter))
    return ", ".join(words)


def default_text(parameter) -> str:
    default = parameter.default
    if default is parameter.empty:
        return ""
    return "=" + (repr(default) if isinstance(default, (bool, int, float, str, type(None), tuple)) else "...")


def array_lines() -> list[str]:
    import jax
    import jax.numpy as jnp
    lines = []
    for name in sorted(set(dir(jax.Array)) | set(dir(jnp.zeros(2)))):
        if name.startswith("_") and not name.startswith("__"):
            continue
        value = getattr(jax.Array, name, None)
        if value is None or name in dir(object):
            continue
        kind = "property" if isinstance(value, property) or not callable(value) else "method"
        lines.append(f"array.{name}\t{kind}\t{parameters_of(value) if kind == 'method' else ''}\n")
    return lines


if __name__ == "__main__":
    main()
