# SPDX-License-Identifier: Apache-2.0
"""served.py -- a server process for the tests of `hilo serve`."""

import contextlib
import signal
import subprocess

from command import own_environment


@contextlib.contextmanager
def server(place, *arguments, listen="127.0.0.1:0", prefix=(), environment=None):
    """Starts a server, by default at its own port; SIGTERM ends it. Its audit lines go to the file "audit". `prefix`: a
    command that starts the server, which is its last arguments."""
    with subprocess.Popen([*prefix, place.command, "serve", "--listen", listen, "--drain", "0", "--audit", "audit", *arguments],
                          cwd=place.folder, stdout=subprocess.PIPE, text=True,
                          env={**own_environment(), **(environment or {})}) as process:
        line = process.stdout.readline()  # it is written once the server is up
        assert line.startswith("serving at "), line
        process.target = f"rpc:{line.split()[-1]}"
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.rest = process.stdout.read()


def remote(process, *arguments):
    return (*arguments, "--jax_xla_backend=xrt", f"--jax_backend_target={process.target}")
