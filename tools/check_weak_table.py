#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_weak_table.py [ROOT] -- checks that tests/golden/weak_calls.txt covers each function of jax.numpy, lax, nn and
scipy that hilo has.

A row calls the function and compares the types of its results with JAX's. Functions without a row are listed there with
a reason."""

import fnmatch
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sources  # noqa: E402

CALLS = "tests/golden/weak_calls.txt"
SPACES = {"jax.numpy.linalg": "linalg", "jax.numpy.fft": "fft", "jax.numpy": "numpy", "jax.lax": "lax", "jax.lax.linalg": "lax::linalg",
          "jax.nn": "nn", "jax.ops": "ops", "jax.image": "image"}
KEYWORDS = {"switch": "switch_", "delete": "delete_"}


def spelled(name: str) -> str:
    """jax.scipy.stats.norm.pdf -> scipy::stats::norm::pdf"""
    module, _, function = name.rpartition(".")
    space = SPACES.get(module) or module.removeprefix("jax.").replace(".", "::")
    return f"{space}::{KEYWORDS.get(function, function)}"


def wanted(root: pathlib.Path) -> list[str]:
    """Returns the functions of JAX that hilo has."""
    missing = [line.split("\t")[0] for line in (root / "tools/jax_api/reasons.tsv").read_text().splitlines() if not line.startswith("#")]
    names = []
    for line in (root / "tools/jax_api/names.tsv").read_text().splitlines():
        name, _, kind = line.partition("\t")
        inside = re.match(r"jax\.(numpy|lax|nn|ops|image|scipy)\.", name) and "Rotation" not in name and not name.startswith("jax.nn.init")
        if inside and kind.split("\t")[0] in ("function", "ufunc") and not any(fnmatch.fnmatch(name, pattern) for pattern in missing):
            names.append(name)
    return names


def called(text: str) -> set[str]:
    names = set()
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        left_out = re.match(r"- (\S+)::<([\w ]+)>: \S", line)
        for space, listed in [(left_out[1], left_out[2])] if left_out else re.findall(r"([\w:]+)::<([\w ]+)>\(", line):
            names |= {f"{space}::{name}" for name in listed.split()}
        names |= set(re.findall(r"([a-z]\w*(?:::\w+)+)\(", line.partition(" ;; ")[0]))
    return names


def check(root: pathlib.Path) -> list[str]:
    have = called((root / CALLS).read_text())
    return [f"{CALLS}: no row calls {spelled(name)} ({name}), and no line leaves it out. Hint: add a row and run "
            "tests/golden/record_weak_table.py" for name in wanted(root) if spelled(name) not in have]


if __name__ == "__main__":
    sys.exit(sources.finish(check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))))
