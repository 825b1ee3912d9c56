# SPDX-License-Identifier: Apache-2.0
"""libhilo.so's C API (src/hilo/c/hilo.h) by ctypes: finds the library, declares its functions, turns their errors into
exceptions."""

import ctypes
import ctypes.util
import functools
import os
import pathlib

PACKAGE = pathlib.Path(__file__).resolve().parent
CODES = ("OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
         "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
         "UNAUTHENTICATED")


class HiloError(Exception):
    """An error of the library. `code` is its kind: "INVALID_ARGUMENT"."""

    def __init__(self, code: str, text: str):
        super().__init__(text)
        self.code = code


class LoadOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("function", ctypes.c_char_p), ("shapes", ctypes.POINTER(ctypes.c_char_p)),
                ("shape_count", ctypes.c_size_t)]


class CompileOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("threads", ctypes.c_int32), ("flags", ctypes.POINTER(ctypes.c_char_p)),
                ("flag_count", ctypes.c_size_t)]


class Array(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("path", ctypes.c_char_p), ("text", ctypes.c_char_p), ("type", ctypes.c_int32),
                ("rank", ctypes.c_int32), ("dimensions", ctypes.POINTER(ctypes.c_int64)), ("bytes", ctypes.c_size_t),
                ("alignment", ctypes.c_size_t)]


Handle, Text, Size, Int32 = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int32
Pointer = ctypes.POINTER
# Functions that return a code take char** error as their last parameter, which isn't listed.
WITH_CODE = {
    "hilo_set_flag": (Text, Text),
    "hilo_set_thread_count": (Int32,),
    "hilo_load": (Text, Pointer(LoadOptions), Pointer(Handle)),
    "hilo_load_bytes": (Text, Size, Text, Pointer(LoadOptions), Pointer(Handle)),
    "hilo_argument": (Handle, Size, Pointer(Array)),
    "hilo_result": (Handle, Size, Pointer(Array)),
    "hilo_program_write": (Handle, Text, Pointer(ctypes.c_void_p), Pointer(Size)),
    "hilo_grad": (Handle, Pointer(Size), Size, Pointer(Handle)),
    "hilo_vmap": (Handle, ctypes.c_int64, Pointer(Int32), Pointer(Handle)),
    "hilo_compile": (Handle, Pointer(CompileOptions), Pointer(Handle)),
    "hilo_save": (Handle, Text),
    "hilo_call": (Handle, Pointer(ctypes.c_void_p), Size, Pointer(ctypes.c_void_p), Size),
}
PLAIN = {
    "hilo_version": (Text, ()),
    "hilo_error_free": (None, (ctypes.c_void_p,)),
    "hilo_bytes_free": (None, (ctypes.c_void_p,)),
    "hilo_program_free": (None, (Handle,)),
    "hilo_function_free": (None, (Handle,)),
    "hilo_program_name": (Text, (Handle,)),
    "hilo_argument_count": (Size, (Handle,)),
    "hilo_result_count": (Size, (Handle,)),
    "hilo_function_pointer": (ctypes.c_void_p, (Handle, Pointer(ctypes.c_void_p))),
}


def version() -> str:
    """Returns the version of the library: "0.1.0"."""
    return library().hilo_version().decode()


def set_flag(name: str, value: object) -> None:
    """Sets a flag of the process: set_flag("jax_platform_name", "Host"). Flags that choose the client take effect only
    before the first compilation. Raises HiloError for an unknown name or an invalid value."""
    call("hilo_set_flag", name.encode(), str(value).encode())


def set_thread_count(threads: int) -> None:
    """Sets the number of threads that calls of the process share; 0 means the number of processors."""
    call("hilo_set_thread_count", threads)


@functools.cache
def library() -> ctypes.CDLL:
    """Returns the library: the file that HILO_LIBRARY names, else that of this package, else the system's. Raises
    ImportError if none exists."""
    own = sorted(PACKAGE.glob("lib*/**/libhilo.so.*"))  # libhilo.so is the linker's
    path = os.environ.get("HILO_LIBRARY") or (str(own[0]) if own else ctypes.util.find_library("hilo"))
    if path is None:
        raise ImportError("hilo: libhilo.so isn't there. Hint: the variable HILO_LIBRARY names it")
    try:
        open_openblas()
        found = ctypes.CDLL(path)
        for name, parameters in WITH_CODE.items():
            declare(found, name, ctypes.c_int, (*parameters, Pointer(ctypes.c_void_p)))
        for name, (result, parameters) in PLAIN.items():
            declare(found, name, result, parameters)
    except (OSError, AttributeError) as error:
        raise ImportError(f"hilo: {path} can't be loaded: {error}", path=path) from error
    return found


def declare(found: ctypes.CDLL, name: str, result, parameters) -> None:
    function = getattr(found, name)
    function.restype, function.argtypes = result, parameters


def open_openblas() -> None:
    """Opens PyPI's OpenBLAS if it is installed, so that hilo finds it by its name, in whichever folder of sys.path it is.
    Otherwise hilo looks next to its own package, then for the system's."""
    try:
        import scipy_openblas32
    except ImportError:
        return
    ctypes.CDLL(os.path.join(scipy_openblas32.get_lib_dir(), scipy_openblas32.get_library(fullname=True)))


def call(name: str, *arguments) -> None:
    """Calls a function of WITH_CODE. Raises HiloError."""
    error = ctypes.c_void_p()
    code = getattr(library(), name)(*arguments, ctypes.byref(error))
    if code == 0:
        return
    text = ctypes.string_at(error.value).decode(errors="replace") if error.value else CODES[code]
    library().hilo_error_free(error)
    raise HiloError(CODES[code], text)


def texts(values) -> ctypes.Array:
    """Returns an array of C strings."""
    return (ctypes.c_char_p * len(values))(*(value.encode() for value in values))
