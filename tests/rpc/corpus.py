#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recorded programs of JAX with their inputs, run here and on a server of this machine: the results are the same files,
byte for byte. Programs on types that such files can't hold take random arguments, and print the same. Every --every-th
program of CASES/manifest.tsv; ends with "N passed, N failed, N skipped"."""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import ROOT, own_environment  # noqa: E402

NO_NUMPY = re.compile(r"\b(float[48]_\w+|u?int[24])\[")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("cases", type=pathlib.Path)
    arguments = parser.parse_args()
    hilo = arguments.build.resolve() / "bin" / "hilo"
    rows = [line.split("\t") for line in (arguments.cases / "manifest.tsv").read_text().splitlines() if not line.startswith("#")]
    chosen = {row[0]: bool(NO_NUMPY.search(row[4] + row[5])) for row in rows[::arguments.every]}
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="hilo_corpus_") as folder, server(hilo, pathlib.Path(folder)) as target:
        extract(arguments.cases, set(chosen), pathlib.Path(folder))
        for name, is_random in chosen.items():
            problem = difference(hilo, pathlib.Path(folder), name, target, is_random)
            passed, failed = passed + (not problem), failed + bool(problem)
            if problem:
                print(f"failed {name}: {problem}", flush=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


@contextlib.contextmanager
def server(hilo: pathlib.Path, folder: pathlib.Path):
    with subprocess.Popen([hilo, "serve", "--listen", "127.0.0.1:0", "--port-file", folder / "port", "--drain", "0"],
                          stdout=subprocess.PIPE, text=True, env=own_environment()) as process:
        process.stdout.readline()  # it is written once the server is up
        try:
            yield f"rpc:127.0.0.1:{(folder / 'port').read_text().strip()}"
        finally:
            process.terminate()


def extract(cases: pathlib.Path, names: set[str], folder: pathlib.Path):
    for archive in sorted(cases.glob("*.tar.gz")):
        with tarfile.open(archive) as files:
            for member in files:
                file = pathlib.PurePosixPath(member.name).name
                if member.isfile() and file.split(".")[0] in names:
                    with open(folder / file, "wb") as out:
                        shutil.copyfileobj(files.extractfile(member), out)


def difference(hilo: pathlib.Path, folder: pathlib.Path, name: str, target: str, is_random: bool) -> str:
    """What differs, or ""."""
    program = folder / f"{name}.mlirbc"
    inputs = sorted(folder.glob(f"{name}.in*.npy"), key=lambda path: int(path.name.split(".in")[1].split(".")[0]))
    given = ["--random", "1"] if is_random else [part for path in inputs for part in ("--input", path)]
    written, errors = [], []
    for place, flags in (("here", []), ("there", ["--jax_xla_backend=xrt", f"--jax_backend_target={target}"])):
        out = folder / f"{name}_{place}"
        kept = [] if is_random else ["--output-dir", out]
        done = subprocess.run([hilo, "run", program, *given, *kept, "--jax_enable_x64=true", *flags],
                              capture_output=True, text=True, env={**own_environment(), "HILO_CACHE": "off"})
        errors.append(f"{place}: {done.stderr.strip()[-300:]}" if done.returncode else "")
        printed = [line for line in done.stdout.splitlines() if " compiled in " not in line] if is_random else []
        written.append([printed, {path.name: path.read_bytes() for path in out.glob("*")}])
        shutil.rmtree(out, ignore_errors=True)
    if any(errors):
        return "; ".join(filter(None, errors))
    if not any(written[0]):
        return "no results"
    return "" if written[0] == written[1] else "the results differ"


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main())
