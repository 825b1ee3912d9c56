#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of docs/debugging.md in one folder and compares what they leave and print with what the page shows.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them. --write puts what this machine shows into
the page.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "debugging.md"
PROGRAM = re.compile(r"`softmax.hlo`:\n\n```hlo\n(.*?)```", re.S)
COMMAND = re.compile(r"```sh\n(.*?)```", re.S)
FILES = re.compile(r"(It leaves\n\n```\n)(.*?)(```)", re.S)
TABLE = re.compile(r"(at the end of the process:\n\n```\n)(.*?)(```)", re.S)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    page = PAGE.read_text()
    try:
        files, table = session(page, arguments.build.resolve() / "bin")
    except AssertionError as error:
        print(f"{error}\nfailed commands")
        return 1
    print("passed commands")
    if arguments.write:
        PAGE.write_text(TABLE.sub(rf"\1{table}\3", FILES.sub(rf"\1{files}\3", page)))
        return 0
    failed = 0
    for case, shown, got in (("files", FILES.search(page)[2], files), ("table", what(TABLE.search(page)[2]), what(table))):
        failed += shown != got
        print(f"passed {case}" if shown == got else f"the page shows\n{shown}\nthe command gives\n{got}\nfailed {case}")
    return 1 if failed else 0


def session(page: str, binaries: pathlib.Path) -> tuple[str, str]:
    """The dumps that the commands leave, and the table of the profile."""
    with tempfile.TemporaryDirectory(prefix="hilo_debugging_") as folder:
        place = pathlib.Path(folder)
        (place / "softmax.hlo").write_text(PROGRAM.search(page)[1])
        kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(("JAX_", "HILO_"))}
        table = ""
        for command in COMMAND.findall(page):
            done = subprocess.run(["bash", "-c", f"{command.strip()} & echo $! > pid; wait $!"], cwd=place, text=True,
                                  capture_output=True, timeout=120, env={**kept, "PATH": f"{binaries}:{os.environ['PATH']}"})
            assert done.returncode == 0, f"{command}: exit status {done.returncode}\n{done.stderr}"
            table += "".join(line + "\n" for line in done.stderr.splitlines() if "--jax_hlo_profile" in command)
            pathlib.Path(f"/tmp/perf-{(place / 'pid').read_text().strip()}.map").unlink(missing_ok=True)
        return "".join(f"{p.relative_to(place)}\n" for p in sorted((place / "dumps").rglob("*")) if p.is_file()), table


def what(table: str) -> set[str]:
    """The last column: times differ from run to run, and the order with them."""
    return {re.split(" {2,}", line)[-1].split(": ")[0] for line in table.splitlines()}


if __name__ == "__main__":
    sys.exit(main())
