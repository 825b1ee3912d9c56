# SPDX-License-Identifier: Apache-2.0
"""Programs in HLO and StableHLO on NumPy arrays: reads, writes, differentiates, batches, compiles and runs them, without
JAX.

    program = hilo.load("model.mlir")
    step = program.grad(0).compile()
    value, gradient = step(x)
"""

from hilo.library import HiloError, set_flag, set_thread_count, version
from hilo.program import ArrayType, Function, Program, load, parse

__all__ = ["ArrayType", "Function", "HiloError", "Program", "load", "parse", "set_flag", "set_thread_count", "version"]
