# SPDX-License-Identifier: Apache-2.0
"""Python's callbacks: pure_callback, io_callback, debug.print and buffer_callback under hilo.

JAX writes them as custom calls with an attribute `index`, and passes the functions to each run as user data. The plugin
calls the handlers of this file through ctypes, which takes the interpreter's lock.
"""

import ctypes
import math
import traceback

import numpy as np

from jax_plugins.hilo import abi

# XLA's number for the user data of a run that holds its callbacks, in jaxlib 0.10: struct { PyObject** callbacks; }.
CALLBACKS_TYPE_ID = 7357244197867843242


def register(extension) -> None:
    """Registers the handlers of all targets that JAX writes for callbacks on CPUs."""
    for target, handler in HANDLERS.items():
        extension.register(target, ctypes.cast(handler, ctypes.c_void_p).value)


def returning_callback(frame: abi.CallFrame) -> None:
    """Calls a function with arrays and copies the returned values into the results."""
    results = [frame.results.values[i].contents for i in range(frame.results.size)]
    returned = callback_of(frame)(*map(value_of, arguments_of(frame)))
    if len(returned) != len(results):
        raise RuntimeError(f"callback returned {len(returned)} values; wanted {len(results)}")
    for buffer, value in zip(results, returned):
        if buffer.dtype != abi.TOKEN:
            store(buffer, value)


def filling_callback(frame: abi.CallFrame) -> None:
    """Calls a function with a context and views of the buffers; it fills the last ones."""
    from jax.experimental import buffer_callback
    results = [frame.results.values[i].contents for i in range(frame.results.size)]
    buffers = [MutableBuffer(buffer, False) for buffer in arguments_of(frame)] + [MutableBuffer(buffer, True) for buffer in results]
    callback_of(frame)(Context(buffer_callback.ExecutionStage.EXECUTE), *buffers)
    for buffer in buffers:
        buffer.write_back()


class Context:
    """The information on the run that a buffer callback receives."""

    def __init__(self, stage):
        self.stage = stage

    @property
    def stream(self):
        import jax
        raise jax.errors.JaxRuntimeError("UNIMPLEMENTED: XLA FFI GPU context is not available: a CPU has no stream")


class MutableBuffer:
    """A buffer of the run as an array, in place. Elements of fewer than 8 bits are copied out and back."""

    def __init__(self, buffer: abi.Buffer, writeable: bool):
        self._buffer, self.writeable = buffer, writeable
        self._array = load(buffer)
        self._array.flags.writeable = writeable

    shape = property(lambda self: self._array.shape)
    ndim = property(lambda self: self._array.ndim)
    dtype = property(lambda self: self._array.dtype)

    def __array__(self, dtype=None, copy=None):
        return np.array(self._array, dtype=dtype, copy=copy)

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()

    def write_back(self) -> None:
        if self.writeable and abi.DATA_TYPES[self._buffer.dtype][1] < 8:
            store(self._buffer, self._array)


def arguments_of(frame: abi.CallFrame) -> list:
    return [frame.arguments.values[i].contents for i in range(frame.arguments.size)]


def value_of(buffer: abi.Buffer):
    """Returns a copy of a buffer, which a callback may keep; None for a token."""
    return None if buffer.dtype == abi.TOKEN else load(buffer).copy()


def callback_of(frame: abi.CallFrame):
    """Returns the function of this call."""
    api = abi.Api.from_address(frame.api)
    type_id = ctypes.c_int64(CALLBACKS_TYPE_ID)
    get = abi.sized(abi.ContextGet, context=frame.context, type_id=ctypes.pointer(type_id))
    if abi.Function(api.execution_context_get)(ctypes.addressof(get)) or not get.data:
        raise RuntimeError("the run has no callbacks")
    callbacks = ctypes.c_void_p.from_address(get.data).value
    address = (ctypes.c_void_p * (index_of(frame) + 1)).from_address(callbacks)[index_of(frame)]
    return ctypes.cast(address, ctypes.py_object).value


def index_of(frame: abi.CallFrame) -> int:
    attributes = frame.attributes
    for i in range(attributes.size):
        name = attributes.names[i].contents
        if ctypes.string_at(name.ptr, name.len) == b"index" and attributes.types[i] == abi.ATTRIBUTE_SCALAR:
            return ctypes.c_uint64.from_address(abi.Scalar.from_address(attributes.values[i]).value).value
    raise RuntimeError("the call has no attribute `index`")


def load(buffer: abi.Buffer) -> np.ndarray:
    """Returns the buffer as an array: in place, or unpacked if an element has fewer than 8 bits."""
    name, bits = abi.DATA_TYPES[buffer.dtype]
    dtype = type_of(name)
    shape = tuple(buffer.dims[i] for i in range(buffer.rank))
    count = math.prod(shape)
    if count == 0:
        return np.empty(shape, dtype)
    if bits >= 8:
        memory = (ctypes.c_uint8 * (count * bits // 8)).from_address(buffer.data)
        return np.frombuffer(memory, dtype=np.uint8).view(dtype).reshape(shape)
    return unpack(bytes_of(buffer, count, bits), count, bits, name.startswith("int")).view(dtype).reshape(shape)


def store(buffer: abi.Buffer, value) -> None:
    """Copies an array into the buffer."""
    name, bits = abi.DATA_TYPES[buffer.dtype]
    if bits >= 8:
        target = load(buffer)
        value = np.asarray(value)
        if value.shape != target.shape or value.dtype != target.dtype:
            raise RuntimeError(f"callback returned {value.dtype}{list(value.shape)}; wanted {target.dtype}{list(target.shape)}")
        target[...] = value
        return
    flat = np.ascontiguousarray(value, dtype=type_of(name)).reshape(-1).view(np.uint8)
    if flat.size:
        bytes_of(buffer, flat.size, bits)[...] = pack(flat, bits)


def bytes_of(buffer: abi.Buffer, count: int, bits: int) -> np.ndarray:
    size = -(-count * bits // 8)
    return np.frombuffer((ctypes.c_uint8 * size).from_address(buffer.data), dtype=np.uint8)


def unpack(packed: np.ndarray, count: int, bits: int, signed: bool) -> np.ndarray:
    """Converts elements of `bits` bits, the first in the lowest bits, to bytes; signed ones keep their sign."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    values = ((packed[:, None] >> shifts) & ((1 << bits) - 1)).reshape(-1)[:count].astype(np.uint8)
    if not signed:
        return values
    sign = np.uint8(1 << (bits - 1))
    return ((values ^ sign).astype(np.int16) - int(sign)).astype(np.int8).view(np.uint8)


def pack(values: np.ndarray, bits: int) -> np.ndarray:
    """The inverse of unpack()."""
    each = 8 // bits
    padded = np.zeros(-(-values.size // each) * each, np.uint8)
    padded[:values.size] = values & ((1 << bits) - 1)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return np.bitwise_or.reduce(padded.reshape(-1, each) << shifts, axis=1).astype(np.uint8)


def type_of(name: str) -> np.dtype:
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes
        return np.dtype(getattr(ml_dtypes, name))


def handler_of(callback):
    """Returns a handler of XLA's FFI for a function of a frame. An exception of the function is the error of the
    call."""

    def handle(pointer):
        frame = pointer.contents
        try:
            if is_question(frame):
                return None
            callback(frame)
            return None
        except BaseException:
            text = "CpuCallback error calling callback: " + traceback.format_exc()
            create = abi.sized(abi.ErrorCreate, message=text.encode(), code=abi.CODE_INTERNAL)
            return abi.Function(abi.Api.from_address(frame.api).error_create)(ctypes.addressof(create))

    return abi.Handler(handle)


def is_question(frame: abi.CallFrame) -> bool:
    """Answers a query for the handler's version. Returns whether the call was such a query."""
    if not frame.extension_start:
        return False
    extension = abi.MetadataExtension.from_address(frame.extension_start)
    if extension.base.type != abi.EXTENSION_METADATA:
        return False
    version = extension.metadata.contents.api_version
    version.major, version.minor = 0, 3
    return True


HANDLERS = {  # kept alive here: the plugin has only their addresses
    "xla_ffi_python_cpu_callback": handler_of(returning_callback),
    "xla_ffi_partitioned_python_cpu_callback": handler_of(returning_callback),
    "xla_buffer_python_cpu_callback": handler_of(filling_callback),
}
