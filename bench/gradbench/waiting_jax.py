#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GradBench's own JAX tool, but each run waits for its result: JAX returns before it is computed. Run it in a clone of
GradBench with python/gradbench in PYTHONPATH."""

import runpy
import sys

import jax
from gradbench import wrap

FOLDER = "python/gradbench/gradbench/tools/jax"
RUNS = wrap.multiple_runs


def waiting(**options):
    decorated = RUNS(**options)
    return lambda function: decorated(lambda argument: jax.block_until_ready(function(argument)))


wrap.multiple_runs = waiting
sys.path.insert(0, FOLDER)
runpy.run_path(f"{FOLDER}/run.py", run_name="__main__")
