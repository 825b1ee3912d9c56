# SPDX-License-Identifier: Apache-2.0
"""The parameters of JAX's functions, read from names.tsv (written by record_names.py)."""

import dataclasses
import functools
import pathlib

PLACE = pathlib.Path(__file__).resolve().parent / "names.tsv"
# Functions that JAX makes while it runs, so that names.tsv lacks them.
UFUNC_METHODS = {
    "reduce": "a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None",
    "accumulate": "a, axis=0, dtype=None, out=None",
    "outer": "A, B",
    "at": "a, indices, b=None, *, inplace=True",
    "reduceat": "a, indices, axis=0, dtype=None, out=None",
}
PLACES = "values=None, *, indices_are_sorted=False, unique_indices=False, mode=None, out_sharding=None"


@dataclasses.dataclass(frozen=True)
class Parameter:
    name: str
    kind: str  # positional, keyword, list (*args), rest (**kwargs)
    default: str | None  # as Python writes it


@dataclasses.dataclass(frozen=True)
class Entry:
    kind: str
    parameters: tuple[Parameter, ...]


@functools.cache
def entries() -> dict[str, Entry]:
    found = {}
    for line in PLACE.read_text().splitlines():
        name, kind, parameters = line.split("\t")
        found[name] = Entry(kind, parse(parameters))
    return found


def entry_of(name: str) -> Entry:
    """Returns the entry of a name in a row; a name that is not recorded has no parameters."""
    head, _, last = name.rpartition(".")
    if name.startswith("array.at."):
        return Entry("method", parse("mode=None, fill_value=None" if last == "get" else PLACES))
    if name in entries():
        return entries()[name]
    if is_ufunc_method(name):
        return Entry("method", parse(UFUNC_METHODS[last]))
    return Entry("function", ())


def is_ufunc_method(name: str) -> bool:
    """jax.numpy.add.reduce, but not jax.numpy.outer."""
    head, _, last = name.rpartition(".")
    return last in UFUNC_METHODS and head in entries()


def parse(text: str) -> tuple[Parameter, ...]:
    parameters, kind = [], "positional"
    for word in split(text):
        if word == "*":
            kind = "keyword"
        elif word.startswith("**"):
            parameters.append(Parameter(word[2:], "rest", None))
        elif word.startswith("*"):
            parameters.append(Parameter(word[1:], "list", None))
            kind = "keyword"
        else:
            name, equals, default = word.partition("=")
            parameters.append(Parameter(name, kind, default if equals else None))
    return tuple(parameters)


def split(text: str) -> list[str]:
    """Splits at commas outside of parentheses."""
    words, depth, word = [], 0, ""
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            words.append(word.strip())
            word = ""
        else:
            word += letter
    return [*words, word.strip()] if word.strip() else words
