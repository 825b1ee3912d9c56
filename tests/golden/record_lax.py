# SPDX-License-Identifier: Apache-2.0
"""record_lax.py FOLDER -- evaluates the rows of tests/golden/lax_cases.txt with jax 0.10.2, like record_numpy.py, and
writes FOLDER/SECTION_golden.inc (FOLDER is tests) for each section."""
import pathlib
import re
import sys

import jax
import jax.nn.initializers
import jax.numpy as jnp
import numpy as np

import record_numpy as numpy_rows

HEAD = "// SPDX-License-Identifier: Apache-2.0\n// {} -- written by tests/golden/record_lax.py with jax 0.10.2.\n// clang-format off\n"


def python_of(cpp: str) -> str:
    text = re.sub(r"\b(lax|nn|image|random)::", lambda m: "lax." if m[1] == "lax" else f"jax.{m[1]}.", cpp)
    return numpy_rows.python_of(text)


def main() -> None:
    out = pathlib.Path(sys.argv[1])
    scope = {name: jnp.asarray(array) for name, array in numpy_rows.INPUTS.items()}
    scope |= {"jnp": jnp, "jax": jax, "np": np, "lax": jax.lax, "nn": jax.nn, "int32": jnp.int32, "float32": jnp.float32,
              "uint8": jnp.uint8, "uint32": jnp.uint32}
    sections: dict[str, list[str]] = {}
    section: list[str] = []
    for line in (numpy_rows.HERE / "lax_cases.txt").read_text().splitlines():
        if line.startswith("[") and line.endswith("]"):
            section = sections.setdefault(line[1:-1], [])
        elif line.strip() and not line.startswith("#"):
            cpp, _, python = (part.strip() for part in line.partition(";;"))
            section.append(numpy_rows.row(cpp, python or python_of(cpp.lstrip("! ")), scope))
    if numpy_rows.MISTAKES:
        sys.exit("\n".join(numpy_rows.MISTAKES))
    for name, rows in sections.items():
        path = out / f"{name}_golden.inc"
        path.parent.mkdir(exist_ok=True)
        path.write_text(HEAD.format(path.name) + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
