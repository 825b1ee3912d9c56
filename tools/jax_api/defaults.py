# SPDX-License-Identifier: Apache-2.0
"""Rows that nobody recorded, from rows that somebody did: the same call with one more argument, by keyword, at its
default. Its result is the row's, so that no JAX is needed. They show which of JAX's arguments hilo hasn't."""

import ast
import copy

from records import Row, numbered
from signatures import Parameter, entry_of


def rows_with_defaults(rows: list[Row]) -> list[Row]:
    """For each name and each of its arguments that has a plain default: the first row that doesn't give it, which
    then does."""
    found: dict[tuple[str, str], Row] = {}
    for row in sorted(rows, key=lambda row: len(row.data["args"]) + len(row.data["kwargs"])):
        if row.fails:
            continue
        for parameter in missing(row):
            if (row.name, parameter.name) not in found:
                found[row.name, parameter.name] = with_default(row, parameter)
    return list(found.values())


def missing(row: Row) -> list[Parameter]:
    """What the row could give and doesn't."""
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
    """Python's text of a default as a value of rows; UNKNOWN where it is none of those that have one."""
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
