# SPDX-License-Identifier: Apache-2.0
"""Handlers that Python registers (jax.ffi.register_ffi_target) reach the plugin through PJRT's FFI extension."""

import ctypes
import logging

from jax_plugins.hilo import abi

PLATFORM = b"Host"
TYPED = 1  # api_version of XLA's FFI
logger = logging.getLogger(__name__)


class FfiExtension:
    """The FFI extension of a plugin, by the address of its PJRT_Api. ImportError if it has none."""

    def __init__(self, api: int):
        extension = abi.PjrtApi.from_address(api).extension_start
        while extension and extension.contents.type != abi.PJRT_EXTENSION_FFI:
            extension = ctypes.cast(extension.contents.next, ctypes.POINTER(abi.ExtensionBase))
        if not extension:
            raise ImportError("hilo: the plugin has no FFI extension, without which callbacks and handlers of Python can't reach it")
        ffi = ctypes.cast(extension, ctypes.POINTER(abi.PjrtFfi)).contents
        self._register = abi.Function(ffi.register_handler)

    def register(self, name: str, handler: int) -> None:
        """Makes the handler at an address the one that custom calls of this target reach. RuntimeError if the plugin refuses."""
        target = name.encode()
        arguments = abi.sized(abi.RegisterHandler, target_name=target, target_name_size=len(target), handler=handler,
                              platform_name=PLATFORM, platform_name_size=len(PLATFORM), traits=0)
        if self._register(ctypes.addressof(arguments)):
            raise RuntimeError(f"hilo: the plugin refuses a handler for custom call {name!r}")


def forward_from_jax(extension: FfiExtension) -> None:
    """Registers what was and will be registered for the CPU with the plugin too; jaxlib's own client gets it as before.

    hilo has handlers of its own for LAPACK and others; a target that has one keeps it.
    """
    from jaxlib import xla_client

    def handler(name, function, platform, api_version, traits):
        xla_client._xla.register_custom_call_target(name, function, platform, api_version, traits)
        text = name.decode() if isinstance(name, bytes) else name
        if api_version != TYPED:
            logger.debug("custom call %s has the untyped interface, which hilo does not call", text)
            return
        extension.register(text, address_of(function))

    xla_client.register_custom_call_handler("cpu", handler)


def address_of(function) -> int:
    """The address in a capsule, or in the capsule of the stage `execute`."""
    capsule = function["execute"] if isinstance(function, dict) else function
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer(capsule, name(capsule))
