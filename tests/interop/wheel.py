# SPDX-License-Identifier: Apache-2.0
"""Builds the wheels hilo and jax-hilo, installs them in a fresh environment, and runs programs on hilo there. Missing parts
are reported by the package. Ends with "N passed, N failed"."""

import argparse
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from report import report  # noqa: E402

SECONDS = 600
PROGRAM = """
import jax, jax.numpy as jnp
assert "hilo" in jax.devices()[0].client.platform_version, jax.devices()[0].client.platform_version
x = jnp.arange(12.0).reshape(3, 4)
step = jax.jit(jax.grad(lambda w: jnp.sum(jnp.tanh(x @ w) ** 2)))
assert step(jnp.ones(4)).shape == (4,)
assert jnp.allclose(jnp.linalg.inv(jnp.eye(3) * 2), jnp.eye(3) / 2)
assert jax.pure_callback(lambda v: v + 1, jax.ShapeDtypeStruct((), jnp.float32), jnp.float32(1)) == 2
print("ran on", len(jax.devices()), "devices")
"""
OPENBLAS = """
import jax.numpy as jnp
jnp.linalg.inv(jnp.eye(3)).block_until_ready()
print({line.split("/")[-3] for line in open("/proc/self/maps") if "/libscipy_openblas.so" in line})
"""
DENORMAL = "import jax.numpy as jnp; print('a tenth of it is', float(jnp.float32(2e-38) * 0.1))"
PROGRAM_WITHOUT_CALLBACKS = "".join(line + "\n" for line in PROGRAM.splitlines() if "callback" not in line)  # they stay at home


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo of a build")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hilo_wheel_") as folder:
        return report(cases(arguments.command.resolve(), pathlib.Path(folder)))


def cases(command: pathlib.Path, folder: pathlib.Path):
    build = command.parent.parent
    problem = run([sys.executable, ROOT / "tools" / "wheel.py", "--build", build, "--out", folder])
    yield "are built", problem
    if problem:
        return
    wheels = sorted(folder.glob("*.whl"))
    python = folder / "venv" / "bin" / "python"
    # jaxlib comes from the environment of this script; the wheels go into a fresh one.
    problem = run([sys.executable, "-m", "venv", folder / "venv"]) or run([python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", *wheels])
    yield "are installed", problem
    if problem:
        return
    outer = {"PYTHONPATH": next(path for path in sys.path if path.endswith("site-packages"))}
    yield "runs where JAX_PLATFORMS says hilo", run([python, "-c", PROGRAM], "ran on 1 devices", JAX_PLATFORMS="hilo,cpu", **outer)
    yield "is the default", run([python, "-c", PROGRAM], "ran on 1 devices", JAX_PLATFORMS="", **outer)
    yield "has as many devices as wanted", run([python, "-c", PROGRAM], "ran on 4 devices", JAX_HILO_DEVICES="4", **outer)
    yield "has zeros for denormals, as jaxlib", run([python, "-c", DENORMAL], "a tenth of it is 0.0", JAX_PLATFORMS="hilo,cpu", **outer)
    yield "keeps denormals if wanted", run([python, "-c", DENORMAL], "a tenth of it is 2.0", JAX_PLATFORMS="hilo,cpu",
                                           HILO_DENORMALS="keep", **outer)
    yield "takes PyPI's OpenBLAS", run([python, "-c", OPENBLAS], "scipy_openblas32", JAX_PLATFORMS="hilo,cpu", **outer)
    yield "leaves jaxlib's client", run([python, "-c", "import jax; print(jax.devices()[0].client.platform_version)"], "cpu",
                                        JAX_PLATFORMS="cpu", **outer)
    yield "names a wrong option", run([python, "-c", "import jax; jax.devices()"], "JAX_HILO_DEVICES: got 'many'; wanted an integer", 1,
                                      JAX_HILO_DEVICES="many", JAX_PLATFORMS="hilo", **outer)
    yield "names a missing library", run([python, "-c", "import jax_plugins.hilo as h; h.initialize()"], "no such file", 1,
                                         JAX_HILO_LIBRARY="/nowhere.so", **outer)
    yield "works with nothing else of hilo", run([python, "-c", PROGRAM], "ran on", LD_LIBRARY_PATH="", **outer)
    with serving(command) as address:
        yield "runs on a server", run([python, "-c", PROGRAM_WITHOUT_CALLBACKS], "ran on 1 devices", JAX_PLATFORMS="hilo,cpu",
                                      JAX_HILO_TARGET=f"rpc:{address}", **outer)
        on_server = {"JAX_PLATFORMS": "hilo,cpu", "JAX_HILO_TARGET": f"rpc:{address}", **outer}
        yield "names what a server needs", without_grpc(
            folder, lambda: run([python, "-c", PROGRAM], "the backend xrt needs libhilo_grpc.so", 1, **on_server))


@contextlib.contextmanager
def serving(command: pathlib.Path):
    """Starts the build's server; returns its address."""
    with subprocess.Popen([command, "serve", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server.stdout.readline().split()[-1]  # serving at 127.0.0.1:PORT
        finally:
            server.terminate()


def without_grpc(folder: pathlib.Path, action) -> str:
    """Returns the result of `action` while the installed package lacks libhilo_grpc.so."""
    library = next(folder.glob("venv/lib/*/site-packages/hilo/lib/libhilo_grpc.so"))
    library.rename(library.with_suffix(".away"))
    try:
        return action()
    finally:
        library.with_suffix(".away").rename(library)


def run(command, wanted: str = "", status: int = 0, **variables) -> str:
    """Returns the error of a command that should end with this status and message."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "JAX_PLATFORMS", "JAX_HILO_LIBRARY")}
    done = subprocess.run(list(map(str, command)), env=environment | variables, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=SECONDS)
    if done.returncode == status and wanted in done.stdout:
        return ""
    return f"exit status {done.returncode}; wanted {status} and {wanted!r}: {done.stdout[-600:]}"


if __name__ == "__main__":
    sys.exit(main())
