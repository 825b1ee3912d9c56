# SPDX-License-Identifier: Apache-2.0
"""Programs in HLO and StableHLO on NumPy arrays: reads, writes, differentiates, batches, compiles and runs them, without
JAX.

    program = hilo.load("model.mlir")
    step = program.grad(0).compile()
    value, gradient = step(x)
"""

from typing import TYPE_CHECKING

from hilo.library import HiloError, set_flag, set_thread_count, version

if TYPE_CHECKING:
    from hilo.program import ArrayType, Function, Program, load, parse

__all__ = ["ArrayType", "Function", "HiloError", "Program", "load", "parse", "set_flag", "set_thread_count", "version"]


def __getattr__(name: str):
    """Imports programs, and with them NumPy, when they are first used: `python -m hilo` and the plugin for JAX don't need
    them."""
    if name not in __all__:
        raise AttributeError(f"module 'hilo' has no attribute '{name}'")
    import hilo.program
    return getattr(hilo.program, name)
