# SPDX-License-Identifier: Apache-2.0
"""hilo under JAX. JAX finds this package at its start and calls initialize(). `JAX_PLATFORMS=hilo` then selects hilo.

`options` reads the environment variables; hilo's docs/jax.md describes them.
"""

import os

from jax_plugins.hilo import callbacks, library, options, registration

PRIORITY = 100  # above jaxlib's own CPU client (0), below that of a GPU


def initialize() -> None:
    """Registers hilo's plugin with JAX, and Python's callbacks and handlers with the plugin.

    Errors: ImportError, which says what is missing. JAX logs it and goes on without hilo.
    """
    library.check_jaxlib()
    path = library.find()
    os.environ.setdefault("HILO_DENORMALS", "flush")  # as XLA on CPU, whose numbers JAX's users know
    api = library.load(path)

    import jax._src.xla_bridge
    jax._src.xla_bridge.register_plugin("hilo", priority=PRIORITY, library_path=str(path), options=options.create_options)
    extension = registration.FfiExtension(api)
    callbacks.register(extension)
    registration.forward_from_jax(extension)
