# SPDX-License-Identifier: Apache-2.0
"""python -m hilo cmake-dir | pkg-config-dir | prefix -- prints the folder in which CMake (`-Dhilo_DIR=`), pkg-config
(`PKG_CONFIG_PATH`) or other builds find the library of this package. The command `hilo` does everything else."""

import sys

from hilo.library import PACKAGE

FOLDERS = {"cmake-dir": "hiloConfig.cmake", "pkg-config-dir": "hilo.pc", "prefix": "include"}  # the file or folder in each


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] not in FOLDERS:
        print(__doc__, file=sys.stderr)
        return 2
    found = next(PACKAGE.rglob(FOLDERS[sys.argv[1]]), None)
    if found is None:
        print(f"hilo: {PACKAGE} has no library. Hint: pip install hilo", file=sys.stderr)
        return 1
    print(found.parent)
    return 0


if __name__ == "__main__":
    sys.exit(main())
