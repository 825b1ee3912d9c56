# SPDX-License-Identifier: Apache-2.0
"""The interpreter of tests that need NumPy."""

import importlib.util
import os
import sys

SYSTEM = "/usr/bin/python3"


def use_numpy():
    """Goes on under the system's interpreter, for which tools/packages.txt installs NumPy, if this one has none."""
    if importlib.util.find_spec("numpy") is None and os.path.realpath(sys.executable) != os.path.realpath(SYSTEM):
        os.execv(SYSTEM, [SYSTEM, *sys.argv])
