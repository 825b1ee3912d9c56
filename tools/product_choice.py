#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures which products are faster with hilo's own kernels than with OpenBLAS, and writes the table that selects
them.

For each shape of bench/race_products.cc it has OpenBLAS's time divided by hilo's, with both libraries' kernels for AVX2
and for AVX-512, on one thread of one core."""

import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "src/hilo/backend/cpu/library/products/product_choice.inc"
CORE_TYPES = {"avx2": "HASWELL", "avx512": "SKYLAKEX"}  # OpenBLAS's, so that it uses the same instructions


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--core", default="1", help="where it runs (1)")
    arguments = parser.parse_args()
    ratios = {isa: measure(arguments, isa) for isa in CORE_TYPES}
    rows = ["// SPDX-License-Identifier: Apache-2.0",
            "// Written by tools/product_choice.py: m, n, k, right operand along k; OpenBLAS's time over hilo's for f32 and f64 with AVX2,",
            "// for f32 and f64 with AVX-512."]
    for shape, narrow in ratios["avx2"].items():
        m, n, k, along = shape.split()
        figures = ", ".join(x + "f" for x in narrow + ratios["avx512"][shape])
        rows.append(f"HILO_PRODUCT({m}, {n}, {k}, {along}, {figures})")
    TABLE.write_text("\n".join(rows) + "\n")
    return 0


def measure(arguments, isa: str) -> dict:
    """Returns ratios by shape, in the order of the program."""
    command = ["taskset", "-c", arguments.core, arguments.build / "bin/bench/race_products", isa, str(arguments.rounds)]
    output = subprocess.run(command, env={**os.environ, "OPENBLAS_CORETYPE": CORE_TYPES[isa]}, text=True, check=True,
                            stdout=subprocess.PIPE).stdout
    return {shape: figures for shape, *figures in (line.split("\t") for line in output.splitlines())}


if __name__ == "__main__":
    sys.exit(main())
