# SPDX-License-Identifier: Apache-2.0
"""Finds and loads libhilo_pjrt.so, and reports what is wrong if that fails."""

import ctypes
import os
import pathlib
import re
import warnings

NAME = "libhilo_pjrt.so"
OLDEST_JAXLIB, NEWEST_TESTED_JAXLIB = (0, 10, 0), (0, 12)


def check_jaxlib() -> None:
    """Raises ImportError for a jaxlib that is too old, and warns for one that is newer than those tested. JAX itself
    rejects the plugin if its PJRT C API has another major version."""
    import jaxlib.version
    found = jaxlib.version.__version__
    version = tuple(int(part) for part in re.findall(r"\d+", found)[:3])
    if version < OLDEST_JAXLIB:
        oldest = text_of(OLDEST_JAXLIB)
        raise ImportError(f"hilo: jaxlib; got version {found}; wanted >= {oldest}. Hint: pip install 'jaxlib>={oldest}'")
    if version[:2] > NEWEST_TESTED_JAXLIB:
        warnings.warn(f"hilo is tested with jaxlib {text_of(OLDEST_JAXLIB)} to {text_of(NEWEST_TESTED_JAXLIB)}; this is {found}", stacklevel=2)


def text_of(version: tuple) -> str:
    return ".".join(map(str, version))


def find() -> pathlib.Path:
    """Returns the plugin's path: JAX_HILO_LIBRARY, else the file in this package. Raises ImportError if it doesn't
    exist."""
    said = os.environ.get("JAX_HILO_LIBRARY")
    path = pathlib.Path(said) if said else pathlib.Path(__file__).resolve().parent / NAME
    if path.is_file():
        return path
    hint = "the variable JAX_HILO_LIBRARY names it" if said else "the wheel jax-hilo brings it (make wheel); or set JAX_HILO_LIBRARY"
    raise ImportError(f"hilo: {path}: no such file; wanted {NAME}. Hint: {hint}")


def load(path: pathlib.Path) -> int:
    """Returns the address of the plugin's PJRT_Api. Raises ImportError with the loader's reason if it can't be
    loaded."""
    import hilo.library  # the package hilo, on which jax-hilo depends: it has libhilo.so
    try:
        hilo.library.open_openblas()
        plugin = ctypes.CDLL(str(path))
        entry = plugin.GetPjrtApi
    except (OSError, AttributeError) as error:
        raise ImportError(f"hilo: {path} can't be loaded: {error}", path=str(path)) from error
    entry.restype = ctypes.c_void_p
    api = entry()
    if not api:
        raise ImportError(f"hilo: {path}: GetPjrtApi gives no table", path=str(path))
    return api
