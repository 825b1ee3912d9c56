#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes names.txt: the names of JAX's own tests of transformations and of keys, from the folder tests/ of a checkout
of JAX at the tag jax-v0.10.2. Only names are recorded."""

import ast
import pathlib
import sys

FILES = ["api_test", "lax_control_flow_test", "custom_api_test", "custom_root_test", "custom_linear_solve_test",
         "checkify_test", "jet_test", "tree_util_test", "debug_nans_test", "key_reuse_test"]


def names(folder: pathlib.Path) -> list[str]:
    """FILE.CLASS.TEST of every test, in the order of the files; one of several of a name counts once."""
    found = {}
    for file in FILES:
        for node in ast.parse((folder / f"{file}.py").read_text()).body:
            if isinstance(node, ast.ClassDef):
                found |= {f"{file}.{node.name}.{f.name}": None for f in node.body
                          if isinstance(f, ast.FunctionDef) and f.name.startswith("test")}
    return list(found)


if __name__ == "__main__":
    pathlib.Path(__file__).with_name("names.txt").write_text("\n".join(names(pathlib.Path(sys.argv[1]))) + "\n")
