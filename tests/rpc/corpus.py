#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs recorded programs of JAX locally and on a server of this machine, by `hilo conformance`, and compares the bits
of all results.

Runs every --every-th program of CASES/manifest.tsv. Ends with "N passed, N failed, N skipped"."""

import argparse
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import ROOT, own_environment  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("cases", type=pathlib.Path)
    arguments = parser.parse_args()
    hilo = arguments.build.resolve() / "bin" / "hilo"
    rows = [line for line in (arguments.cases / "manifest.tsv").read_text().splitlines() if not line.startswith("#")]
    only = ["--only", ",".join(row.split("\t")[0] for row in rows[::arguments.every])] if arguments.every > 1 else []
    with tempfile.TemporaryDirectory(prefix="hilo_corpus_") as folder, \
            server(hilo, pathlib.Path(folder), HILO_DENORMALS="flush") as target:  # as `hilo conformance` does it here
        here, there = (digests(hilo, pathlib.Path(folder), arguments.cases, [*only, *flags]) for flags in (
            [], ["--jax_xla_backend=xrt", f"--jax_backend_target={target}"]))
    bad = sorted(name for name in here.keys() | there.keys() if here.get(name) != there.get(name))
    for name in bad:
        print(f"failed {name}: here {here.get(name, 'nothing')}, there {there.get(name, 'nothing')}")
    print(f"{len(here) - len(bad)} passed, {len(bad)} failed, 0 skipped")
    return 1 if bad or not here else 0


@contextlib.contextmanager
def server(hilo: pathlib.Path, folder: pathlib.Path, **environment: str):
    with subprocess.Popen([hilo, "serve", "--listen", "127.0.0.1:0", "--port-file", folder / "port", "--drain", "0"],
                          stdout=subprocess.PIPE, text=True, env={**own_environment(), **environment}) as process:
        process.stdout.readline()  # it is written once the server is up
        try:
            yield f"rpc:127.0.0.1:{(folder / 'port').read_text().strip()}"
        finally:
            process.terminate()


def digests(hilo: pathlib.Path, folder: pathlib.Path, cases: pathlib.Path, options: list[str]) -> dict[str, str]:
    """Returns the hashes of the results of each completed program. conformance itself compares them with the recorded
    results, and has exit status 1 if one differs too much."""
    file = folder / "digests"
    file.unlink(missing_ok=True)
    done = subprocess.run([hilo, "conformance", "--digests", file, *options, cases], capture_output=True, text=True,
                          env={**own_environment(), "HILO_CACHE": "off"})
    assert done.returncode in (0, 1) and file.exists(), f"{done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}"
    return dict(line.split(" ") for line in file.read_text().splitlines())


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main())
