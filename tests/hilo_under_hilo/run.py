#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs unchanged test programs and examples on hilo's own PJRT plugin, opened by hilo's loader like any other plugin.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import own_environment, run_cases  # noqa: E402
from front_end_elsewhere import OF_HOST  # noqa: E402

DEVICES = 8  # as many as tests of replicas take
SECONDS = 600


def run(place, program, *arguments):
    """The program on the plugin."""
    options = place.folder / "plugin.json"
    options.write_text(json.dumps({"library_path": str(place.build / "lib" / "libhilo_pjrt.so"),
                                   "create_options": {"cpu_device_count": DEVICES}}))
    environment = {**own_environment(), "HILO_CACHE": "off", "HILO_PJRT_PLUGINS": f"Plugin:{options}",
                   "JAX_PLATFORM_NAME": "Plugin", "HILO_RANDOM_PLATFORM": "Plugin", "TMPDIR": str(place.folder)}
    return subprocess.run([place.build / "bin" / program, *arguments], cwd=place.folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", timeout=SECONDS)


def all_pass(place, name, only="*"):
    done = run(place, pathlib.Path("tests", f"test_{name}"), "--gtest_brief=1",
               f"--gtest_filter={only}-{':'.join(OF_HOST.get(name, ()))}")
    passed = re.search(r"\[  PASSED  \] (\d+) tests?\.", done.stdout)
    assert done.returncode == 0 and passed and int(passed[1]) > 0, done.stdout[-4000:]


def it_is_the_platform(place):
    done = run(place, "hilo", "info")
    assert done.returncode == 0 and f"Plugin:{DEVICES - 1} cpu" in done.stdout, done.stdout


def transformations(place):
    all_pass(place, "transform")


def operations(place):
    all_pass(place, "lax")


def numpy(place):
    all_pass(place, "numpy")


def linear_algebra(place):
    all_pass(place, "linalg")


def examples(place):
    all_pass(place, "examples")


def random_programs(place):
    all_pass(place, "random_programs", "*OnTheEngineAsOnTheReference")


CASES = (it_is_the_platform, transformations, operations, numpy, linear_algebra, examples, random_programs)

if __name__ == "__main__":
    sys.exit(run_cases(__doc__, CASES, {}))
