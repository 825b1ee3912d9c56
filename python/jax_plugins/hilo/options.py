# SPDX-License-Identifier: Apache-2.0
"""Converts environment variables to options of hilo's client."""

import os

VARIABLES = {  # variable -> option of the plugin, its type, what it means
    "JAX_HILO_DEVICES": ("cpu_device_count", int, "how many devices the client has"),
    "JAX_HILO_PLATFORM_NAME": ("platform_name", str, "the platform that JAX sees: cpu (its rules for CPUs apply) or hilo"),
    "JAX_HILO_TARGET": ("target", str, "where programs run: local, or rpc:HOST:PORT for a server (hilo serve)"),
}


def create_options() -> dict:
    """Returns options for PJRT_Client_Create. JAX calls this when it creates the client, so its own settings are
    complete. Errors: ValueError for a variable whose value has not its option's type.
    """
    found = {}
    for variable, (option, kind, _) in VARIABLES.items():
        text = os.environ.get(variable, "")
        if not text:
            continue
        try:
            found[option] = kind(text)
        except ValueError:
            raise ValueError(f"{variable}: got {text!r}; wanted {'an integer' if kind is int else 'text'}") from None
    if "cpu_device_count" not in found and (count := devices_of_jax()) > 0:
        found["cpu_device_count"] = count
    return found


def devices_of_jax() -> int:
    """Returns jax_num_cpu_devices, which programs and JAX's tests set for the CPU; -1 if it is unset."""
    import jax
    return jax.config.jax_num_cpu_devices
