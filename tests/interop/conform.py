# SPDX-License-Identifier: Apache-2.0
"""Runs PyPI's pypjrt, which is independent of JAX, on the plugin: at least as many of its checks pass as on XLA's own
CPU plugin, and none fails. Ends with "N passed, N failed"."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from report import report  # noqa: E402

LEAST = 52  # of XLA's CPU plugin, of 63 checks
SECONDS = 300


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo of a build")
    arguments = parser.parse_args()
    return report(cases(arguments.command.resolve().parent.parent / "lib" / "libhilo_pjrt.so"))


def cases(plugin: pathlib.Path):
    """Yields each check that passed or failed. A check that is unsupported, or whose prerequisite is missing, is only
    counted."""
    with tempfile.TemporaryDirectory(prefix="hilo_conform_") as folder:
        file = pathlib.Path(folder) / "report.json"
        done = subprocess.run([sys.executable, "-m", "pypjrt.conform", plugin, "--json", file], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS)
        if not file.exists():
            yield "report", f"none; exit status {done.returncode}: {done.stdout[-400:]}"
            return
        checks = json.loads(file.read_text())["checks"]
    passed = 0
    for check in checks:
        if check["result"] in ("pass", "fail"):
            passed += check["result"] == "pass"
            yield check["id"], "" if check["result"] == "pass" else check["detail"]
    others = ", ".join(check["id"] for check in checks if check["result"] not in ("pass", "fail"))
    yield f"at least {LEAST} pass", "" if passed >= LEAST else f"{passed} do; unsupported or skipped: {others}"


if __name__ == "__main__":
    sys.exit(main())
