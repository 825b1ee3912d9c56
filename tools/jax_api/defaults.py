# SPDX-License-Identifier: Apache-2.0
"""Derives further rows from the recorded ones: the same call with one more keyword argument, at its default. The result
is the row's, so JAX isn't needed. They show which arguments of JAX hilo lacks."""

import ast
import copy

from records import Row, numbered
from signatures import Parameter, entry_of


def rows_with_defaults(rows: list[Row]) -> list[Row]:
    """Returns for each name and each of its arguments with a plain default the first row without that argument, with
    the argument added."""
    found: dict[tuple[str, str], Row] = {}
    for row in sorted(rows, key=lambda row: len(row.data["args"]) + len(row.data["kwargs"])):
        if row.fails:
            continue
        for parameter in missing(row):
            if (row.name, parameter.name) not in found:
                found[row.name, parameter.name] = with_default(row, parameter)
    return list(found.values())


def missing(row: Row) -> list[Parameter]:
    """Returns the arguments that the row could have and lacks."""
    parameters = entry_of(row.name).parameters
    given = len(row.data["args"]) - row.name.startswith("array.")
    if any(parameter.kind == "list" for parameter in parameters):
        given = 0
    positional = [parameter.name for parameter in parameters if parameter.kind == "positional"][:given]
    return [parameter for parameter in parameters if parameter.name not in positional
            and parameter.name not in row.data["kwargs"]
            and parameter.default is not None and spelled(parameter.default) is not UNKNOWN]


UNKNOWN = object()


def spelled(default: str):
    """Converts Python's text of a default to a value of rows; UNKNOWN for other texts."""
    try:
        return value_of(ast.literal_eval(default))
    except (ValueError, SyntaxError):
        return UNKNOWN


def value_of(default):
    if default is ...:
        raise ValueError("no value of rows")
    if isinstance(default, float):
        return {"float": default}
    if isinstance(default, tuple):
        return {"tuple": [value_of(element) for element in default]}
    return default


def with_default(row: Row, parameter: Parameter) -> Row:
    data = copy.deepcopy(row.data)
    data["kwargs"][parameter.name] = spelled(parameter.default)
    data["id"] = f"{row.id}-{parameter.name}"
    data.pop("jvp", None)  # it counts arrays, whose order is the arguments'
    return numbered(data)
