# SPDX-License-Identifier: Apache-2.0
"""Forwards handlers that Python registers (jax.ffi.register_ffi_target) to the plugin, through PJRT's FFI extension."""

import ctypes
import logging

from jax_plugins.hilo import abi

PLATFORM = b"Host"
TYPED = 1  # api_version of XLA's FFI
logger = logging.getLogger(__name__)


class FfiExtension:
    """The FFI extension of a plugin, found by the address of its PJRT_Api. Raises ImportError if it has none."""

    def __init__(self, api: int):
        self._api = abi.PjrtApi.from_address(api)
        extension = self._api.extension_start
        while extension and extension.contents.type != abi.PJRT_EXTENSION_FFI:
            extension = ctypes.cast(extension.contents.next, ctypes.POINTER(abi.ExtensionBase))
        if not extension:
            raise ImportError("hilo: the plugin has no FFI extension, without which callbacks and handlers of Python can't reach it")
        self._register = abi.Function(ctypes.cast(extension, ctypes.POINTER(abi.PjrtFfi)).contents.register_handler)

    def register(self, name: str, handler: int) -> bool:
        """Registers the handler at an address for custom calls of this target. Returns False if the target has one
        already. Raises RuntimeError with the plugin's message if it rejects the handler."""
        target = name.encode()
        arguments = abi.sized(abi.RegisterHandler, target_name=target, target_name_size=len(target), handler=handler,
                              platform_name=PLATFORM, platform_name_size=len(PLATFORM), traits=0)
        error = self._register(ctypes.addressof(arguments))
        if not error:
            return True
        code, message = self._take(error)
        if code == abi.CODE_ALREADY_EXISTS:
            return False
        raise RuntimeError(f"hilo: the plugin refuses a handler for custom call {name!r}: {message}")

    def _take(self, error: int) -> tuple[int, str]:
        """Returns code and message of an error, and destroys it."""
        code, message = abi.sized(abi.PjrtErrorGetCode, error=error), abi.sized(abi.PjrtErrorMessage, error=error)
        abi.Function(self._api.error_get_code)(ctypes.addressof(code))
        abi.Function(self._api.error_message)(ctypes.addressof(message))
        text = ctypes.string_at(message.message, message.message_size).decode(errors="replace")
        abi.Function(self._api.error_destroy)(ctypes.addressof(abi.sized(abi.PjrtErrorDestroy, error=error)))
        return code.code, text


def forward_from_jax(extension: FfiExtension) -> None:
    """Registers all handlers for the CPU with the plugin too, past and future ones. jaxlib's own client still gets
    them. hilo's own handlers, for LAPACK and others, take precedence for their targets.
    """
    from jaxlib import xla_client

    def handler(name, function, platform, api_version, traits):
        xla_client._xla.register_custom_call_target(name, function, platform, api_version, traits)
        text = name.decode() if isinstance(name, bytes) else name
        if api_version != TYPED:
            logger.debug("custom call %s has the untyped interface, which hilo does not call", text)
            return
        if not extension.register(text, address_of(function)):
            logger.debug("custom call %s has a handler already, which stays", text)

    xla_client.register_custom_call_handler("cpu", handler)


def address_of(function) -> int:
    """Returns the address in a capsule, or in the capsule of the stage `execute`."""
    capsule = function["execute"] if isinstance(function, dict) else function
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer(capsule, name(capsule))
