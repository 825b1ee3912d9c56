# SPDX-License-Identifier: Apache-2.0
"""The structs of XLA's FFI and of PJRT's FFI extension that cross between Python and the plugin.

Source: XLA's ffi/api/c_api.h (versions 0.3 to 0.5) in jaxlib's wheel, and PJRT's C API 0.114.
"""

import ctypes

_pointer = ctypes.c_void_p


def _struct(name: str, *fields) -> type:
    """A struct whose first field is its own size. Most have a list of extensions as the next field."""
    return type(name, (ctypes.Structure,), {"_fields_": [("struct_size", ctypes.c_size_t), *fields]})


_extensions = ("extension_start", _pointer)

ByteSpan = type("ByteSpan", (ctypes.Structure,), {"_fields_": [("ptr", _pointer), ("len", ctypes.c_size_t)]})
Scalar = type("Scalar", (ctypes.Structure,), {"_fields_": [("dtype", ctypes.c_uint32), ("value", _pointer)]})
Version = _struct("Version", _extensions, ("major", ctypes.c_int), ("minor", ctypes.c_int))
Buffer = _struct("Buffer", _extensions, ("dtype", ctypes.c_uint32), ("data", _pointer), ("rank", ctypes.c_int64),
                 ("dims", ctypes.POINTER(ctypes.c_int64)))
_buffers = (_extensions, ("size", ctypes.c_int64), ("types", ctypes.POINTER(ctypes.c_uint32)),
            ("values", ctypes.POINTER(ctypes.POINTER(Buffer))))
Arguments = _struct("Arguments", *_buffers)
Results = _struct("Results", *_buffers)
Attributes = _struct("Attributes", _extensions, ("size", ctypes.c_int64), ("types", ctypes.POINTER(ctypes.c_uint32)),
                     ("names", ctypes.POINTER(ctypes.POINTER(ByteSpan))), ("values", ctypes.POINTER(_pointer)))
CallFrame = _struct("CallFrame", _extensions, ("api", _pointer), ("context", _pointer), ("stage", ctypes.c_uint32),
                    ("arguments", Arguments), ("results", Results), ("attributes", Attributes), ("future", _pointer))
Metadata = _struct("Metadata", ("api_version", Version), ("traits", ctypes.c_uint32), ("state_type_id", ctypes.c_int64))
ExtensionBase = _struct("ExtensionBase", ("type", ctypes.c_uint32), ("next", _pointer))
MetadataExtension = type("MetadataExtension", (ctypes.Structure,),
                         {"_fields_": [("base", ExtensionBase), ("metadata", ctypes.POINTER(Metadata))]})
ErrorCreate = _struct("ErrorCreate", _extensions, ("message", ctypes.c_char_p), ("code", ctypes.c_uint32))
ContextGet = _struct("ContextGet", _extensions, ("context", _pointer), ("type_id", ctypes.POINTER(ctypes.c_int64)),
                     ("data", _pointer))
# The table of functions, as far as it is used here.
Api = _struct("Api", _extensions, ("api_version", Version), ("internal_api", _pointer), ("error_create", _pointer),
              ("error_get_details", _pointer), ("error_destroy", _pointer), ("handler_register", _pointer),
              ("stream_get", _pointer), ("type_register", _pointer), ("execution_context_get", _pointer))

Handler = ctypes.CFUNCTYPE(_pointer, ctypes.POINTER(CallFrame))
Function = ctypes.CFUNCTYPE(_pointer, _pointer)  # of the tables: an error, or null

# PJRT: the first functions of its table, and its FFI extension.
PjrtApi = _struct("PjrtApi", ("extension_start", ctypes.POINTER(ExtensionBase)), ("api_version", Version), ("error_destroy", _pointer),
                  ("error_message", _pointer), ("error_get_code", _pointer))
PjrtErrorDestroy = _struct("PjrtErrorDestroy", _extensions, ("error", _pointer))
PjrtErrorMessage = _struct("PjrtErrorMessage", _extensions, ("error", _pointer), ("message", _pointer), ("message_size", ctypes.c_size_t))
PjrtErrorGetCode = _struct("PjrtErrorGetCode", _extensions, ("error", _pointer), ("code", ctypes.c_uint32))
PjrtFfi = type("PjrtFfi", (ctypes.Structure,), {"_fields_": [
    ("base", ExtensionBase), ("type_register", _pointer), ("user_data_add", _pointer), ("register_handler", _pointer)]})
RegisterHandler = _struct("RegisterHandler", ("target_name", ctypes.c_char_p), ("target_name_size", ctypes.c_size_t),
                          ("handler", _pointer), ("platform_name", ctypes.c_char_p), ("platform_name_size", ctypes.c_size_t),
                          ("traits", ctypes.c_uint32))

EXTENSION_METADATA = 1  # XLA_FFI_Extension_Metadata
PJRT_EXTENSION_FFI = 5  # PJRT_Extension_Type_FFI
STAGE_EXECUTE = 3  # XLA_FFI_ExecutionStage_EXECUTE
ATTRIBUTE_SCALAR = 3  # XLA_FFI_AttrType_SCALAR
CODE_ALREADY_EXISTS = 6  # PJRT_Error_Code_ALREADY_EXISTS
CODE_INTERNAL = 13  # XLA_FFI_Error_Code_INTERNAL
TOKEN = 17  # XLA_FFI_DataType_TOKEN

# XLA_FFI_DataType -> (name of the NumPy or ml_dtypes type, bits of an element in the buffer)
DATA_TYPES = {
    1: ("bool", 8), 30: ("int1", 1), 26: ("int2", 2), 21: ("int4", 4), 2: ("int8", 8), 3: ("int16", 16), 4: ("int32", 32),
    5: ("int64", 64), 31: ("uint1", 1), 27: ("uint2", 2), 22: ("uint4", 4), 6: ("uint8", 8), 7: ("uint16", 16), 8: ("uint32", 32),
    9: ("uint64", 64), 10: ("float16", 16), 11: ("float32", 32), 12: ("float64", 64), 16: ("bfloat16", 16),
    15: ("complex64", 64), 18: ("complex128", 128), 19: ("float8_e5m2", 8), 29: ("float8_e3m4", 8), 28: ("float8_e4m3", 8),
    20: ("float8_e4m3fn", 8), 23: ("float8_e4m3b11fnuz", 8), 24: ("float8_e5m2fnuz", 8), 25: ("float8_e4m3fnuz", 8),
    32: ("float4_e2m1fn", 4), 33: ("float8_e8m0fnu", 8),
}


def sized(struct: type, **fields):
    """Returns a struct with these fields and its own size."""
    return struct(struct_size=ctypes.sizeof(struct), **fields)
