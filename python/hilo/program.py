# SPDX-License-Identifier: Apache-2.0
"""Programs and compiled functions."""

from __future__ import annotations

import ctypes
import dataclasses
import os
from collections.abc import Sequence
from typing import Any

import numpy

from hilo import library

PLAIN_TYPES = {"pred": "bool", "s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32",
               "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"}
# Types of the package ml_dtypes. An element of fewer than 8 bits takes a byte, there as here.
NARROW_TYPES = {"bf16": "bfloat16", "s2": "int2", "s4": "int4", "u2": "uint2", "u4": "uint4", "f4e2m1fn": "float4_e2m1fn",
                "f8e3m4": "float8_e3m4", "f8e4m3": "float8_e4m3", "f8e4m3fn": "float8_e4m3fn", "f8e4m3fnuz": "float8_e4m3fnuz",
                "f8e4m3b11fnuz": "float8_e4m3b11fnuz", "f8e5m2": "float8_e5m2", "f8e5m2fnuz": "float8_e5m2fnuz",
                "f8e8m0fnu": "float8_e8m0fnu"}


@dataclasses.dataclass(frozen=True)
class ArrayType:
    """What an argument or a result is. `shape` is None if the program leaves sizes open."""
    path: str  # "args[0]['w']" in files of jax.export; else the name in the program, or a number
    text: str  # "f32[4,3]", or "f32[b,3]" if sizes are open
    shape: tuple[int, ...] | None

    @property
    def dtype(self) -> numpy.dtype:
        """Returns NumPy's type. Raises ImportError if it is one of ml_dtypes, and that isn't installed."""
        name = self.text.partition("[")[0]
        if name in PLAIN_TYPES:
            return numpy.dtype(PLAIN_TYPES[name])
        try:
            import ml_dtypes
        except ImportError as error:
            raise ImportError(f"hilo: {self.path} is {self.text}, which NumPy doesn't have. Hint: pip install ml_dtypes") from error
        return numpy.dtype(getattr(ml_dtypes, NARROW_TYPES[name]))

    def array_of(self, value: Any) -> numpy.ndarray:
        """Returns the value as an array of this type whose elements are adjacent. Lists and numbers take the type; arrays
        must have it. Raises TypeError."""
        array = value if isinstance(value, numpy.ndarray) else numpy.asarray(value)
        if not isinstance(value, (numpy.ndarray, numpy.generic)) and not hasattr(value, "__array__"):
            array = array.astype(self.dtype)
        if array.dtype != self.dtype or array.shape != self.shape:
            raise TypeError(f"{self.path}: got {array.dtype}{list(array.shape)}; wanted {self.text}")
        return numpy.require(array, requirements=["C", "A"])


class Program:
    """A program that can be written, transformed and compiled. load() and parse() return it."""

    def __init__(self, handle: int):
        self._handle = ctypes.c_void_p(handle)
        found = library.library()
        self._free = found.hilo_program_free  # modules may be gone when the interpreter ends
        self.name: str = found.hilo_program_name(self._handle).decode()
        self.arguments = tuple(self._array("hilo_argument", k) for k in range(found.hilo_argument_count(self._handle)))
        self.results = tuple(self._array("hilo_result", k) for k in range(found.hilo_result_count(self._handle)))

    def __del__(self):
        if hasattr(self, "_free"):
            self._free(self._handle)

    def __repr__(self) -> str:
        take, give = (", ".join(f"{a.path}: {a.text}" for a in arrays) for arrays in (self.arguments, self.results))
        return f"<Program {self.name}({take}) -> ({give})>"

    def __str__(self) -> str:
        return self.text()

    def text(self, format: str = "stablehlo") -> str:
        """Returns the program as text: "stablehlo" (MLIR) or "hlo". Raises HiloError for what StableHLO doesn't have."""
        if format not in ("stablehlo", "hlo"):
            raise ValueError(f"format: got {format!r}; wanted 'stablehlo' or 'hlo'. Hint: write() returns bytes")
        return self.write(format).decode()

    def write(self, format: str) -> bytes:
        """Returns the program in a format that parse() reads: "stablehlo", "bytecode", "hlo" or "proto"."""
        address, count = ctypes.c_void_p(), ctypes.c_size_t()
        library.call("hilo_program_write", self._handle, format.encode(), ctypes.byref(address), ctypes.byref(count))
        try:
            return ctypes.string_at(address.value, count.value)
        finally:
            library.library().hilo_bytes_free(address)

    def grad(self, *arguments: int) -> Program:
        """Returns the program whose results are those of this one, then the gradients of the first one, a scalar, with
        respect to these arguments (default: argument 0)."""
        chosen = arguments or (0,)
        return _program("hilo_grad", self._handle, (ctypes.c_size_t * len(chosen))(*chosen), len(chosen))

    def vmap(self, size: int, axes: Sequence[int | None] | None = None) -> Program:
        """Returns the program that computes a batch: each result gets a first dimension of this size. `axes` has each
        argument's dimension of this size, or None if the batch shares it; default: 0 for all."""
        if axes is not None and len(axes) != len(self.arguments):
            raise ValueError(f"axes: got {len(axes)}; wanted one for each of {len(self.arguments)} arguments")
        numbers = None if axes is None else (ctypes.c_int32 * len(axes))(*(-1 if axis is None else axis for axis in axes))
        return _program("hilo_vmap", self._handle, size, numbers)

    def compile(self, threads: int = 0, **flags: object) -> Function:
        """Compiles the program. `threads` of a call: 0 means the process's pool, 1 the caller's alone. Flags are those of
        jit: compile(hilo_compile_seconds=60)."""
        options = [f"{name}={value}" for name, value in flags.items()]
        own = library.CompileOptions(ctypes.sizeof(library.CompileOptions), threads, library.texts(options), len(options))
        handle = ctypes.c_void_p()
        library.call("hilo_compile", self._handle, ctypes.byref(own), ctypes.byref(handle))
        return Function(self, handle.value)

    def _array(self, function: str, index: int) -> ArrayType:
        array = library.Array(size=ctypes.sizeof(library.Array))
        library.call(function, self._handle, index, ctypes.byref(array))
        shape = tuple(array.dimensions[:array.rank]) if array.type != 0 else None
        return ArrayType(array.path.decode(), array.text.decode(), shape)


class Function:
    """A compiled program. It may be called by several threads at once; Python's lock is free meanwhile."""

    def __init__(self, program: Program, handle: int):
        self.program, self._handle = program, ctypes.c_void_p(handle)
        self._free = library.library().hilo_function_free

    def __del__(self):
        if hasattr(self, "_free"):
            self._free(self._handle)

    def __repr__(self) -> str:
        return f"<Function of {self.program!r}>"

    def __call__(self, *values: Any) -> Any:
        """Runs the program on arrays, and returns its result, or a tuple if it has several. Raises TypeError for a wrong
        argument, HiloError for an error of the program."""
        types = self.program.arguments
        if len(values) != len(types):
            raise TypeError(f"{self.program.name}: got {len(values)} arguments; wanted {len(types)}")
        arguments = [wanted.array_of(value) for wanted, value in zip(types, values)]
        results = [numpy.empty(result.shape, result.dtype) for result in self.program.results]
        library.call("hilo_call", self._handle, _addresses(arguments), len(arguments), _addresses(results), len(results))
        return results[0] if len(results) == 1 else tuple(results)

    def save(self, path: str | os.PathLike) -> None:
        """Writes the compiled program to a file, which load() reads and compile() then only starts."""
        library.call("hilo_save", self._handle, os.fsencode(path))

    def pointer(self) -> tuple[int, int]:
        """Returns the address of a C function, int (*)(const void* const* arguments, void* const* results, void*
        context), and its context, for compiled code that calls the program without Python. They live as long as this."""
        context = ctypes.c_void_p()
        address = library.library().hilo_function_pointer(self._handle, ctypes.byref(context))
        return address, context.value


def load(path: str | os.PathLike, *, function: str | None = None, shapes: Sequence[str] = ()) -> Program:
    """Reads a program from a file: StableHLO as text or bytecode, HLO as text or proto, a file of jax.export, or a
    compiled program. `function`: the entry of an MLIR module; `shapes`: types of all arguments, "f32[8,3]", for a
    program that leaves sizes open. Raises HiloError with the place of a mistake."""
    return _program("hilo_load", os.fsencode(path), ctypes.byref(_load_options(function, shapes)))


def parse(program: str | bytes, *, source: str = "program", function: str | None = None, shapes: Sequence[str] = ()) -> Program:
    """Reads a program from memory, as load() does from a file. `source` names it in messages."""
    data = program.encode() if isinstance(program, str) else bytes(program)
    return _program("hilo_load_bytes", data, len(data), source.encode(), ctypes.byref(_load_options(function, shapes)))


def _load_options(function: str | None, shapes: Sequence[str]) -> library.LoadOptions:
    return library.LoadOptions(ctypes.sizeof(library.LoadOptions), None if function is None else function.encode(),
                               library.texts(shapes), len(shapes))


def _program(function: str, *arguments) -> Program:
    handle = ctypes.c_void_p()
    library.call(function, *arguments, ctypes.byref(handle))
    return Program(handle.value)


def _addresses(arrays: list[numpy.ndarray]) -> ctypes.Array:
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
