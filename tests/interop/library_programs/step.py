# SPDX-License-Identifier: Apache-2.0
"""A step that a program runs again and again: it is timed, and its values are compared."""

import dataclasses
import typing


@dataclasses.dataclass(frozen=True)
class Step:
    """`function` is jitted and doesn't donate; `arguments` are those of each call."""
    function: typing.Callable
    arguments: tuple
