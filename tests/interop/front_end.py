# SPDX-License-Identifier: Apache-2.0
"""Runs the front end's own test programs, unchanged, on the fake plugin (tests/backend/pjrt/fake_plugin.cc), which the
environment selects.

The plugin's events are late and its arrays are column-major. Needs no JAX, but takes the time of the reference
evaluator; make test runs a subset. The folder `examples` runs the examples, some of which train for long. Ends with "N
passed, N failed"."""

import argparse
import json
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path += [str(pathlib.Path(__file__).resolve().parent), str(ROOT / "tests" / "support"), str(ROOT / "tools")]
import front_end_elsewhere  # noqa: E402
import gtest_program  # noqa: E402
from report import report  # noqa: E402

DEVICES = 8  # as many as tests of replicas take
SHARDS = 8  # of a program; each has a time to end in


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the program hilo")
    parser.add_argument("--every", type=int, default=1, help="only each of so many tests")
    parser.add_argument("folders", nargs="*", default=front_end_elsewhere.FOLDERS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hilo_front_end_") as folder:
        return report(case for name in arguments.folders
                      for case in cases(arguments.command.resolve().parent / "tests", name, arguments.every, folder))


def cases(programs: pathlib.Path, name: str, every: int, folder: str):
    """Yields each test of a folder's program, or each `every`-th: its name, and its error."""
    options = pathlib.Path(folder, "fake.json")
    options.write_text(json.dumps({"library_path": str(programs / "libfake_plugin.so"), "create_options": {"device_count": DEVICES}}))
    variables = {"HILO_PJRT_PLUGINS": f"Fake:{options}", "JAX_PLATFORM_NAME": "Fake"}
    shards = [(every, 0)] if every > 1 else [(SHARDS, index) for index in range(SHARDS)]
    for number, index in shards:
        try:
            results = front_end_elsewhere.over(programs / f"test_{name}", number, index, folder, variables)
        except gtest_program.CannotList as error:
            yield name, str(error)
            return
        for result in results:
            if result.name not in front_end_elsewhere.OF_HOST.get(name, ()):
                yield f"{name} {result.name}", result.output


if __name__ == "__main__":
    sys.exit(main())
