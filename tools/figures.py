# SPDX-License-Identifier: Apache-2.0
"""Writes figures to docs/figures: JSON with the circumstances of a measurement, and one line for each row of
numbers."""

import datetime
import json
import os
import pathlib
import platform
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDED = ROOT / "docs" / "figures"


def place(build: pathlib.Path, name: str, record: bool) -> pathlib.Path:
    """Returns the path of the file: in docs/figures, or in the build folder if nothing is recorded."""
    folder = RECORDED if record else build / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{name}.json"


def circumstances(versions: dict[str, str]) -> dict:
    """Returns machine, day, commit, and the versions of the peers."""
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return {"machine": cpu, "cores": os.cpu_count(), "date": datetime.date.today().isoformat(), "commit": commit or "unknown",
            "versions": versions}


def text(value, indent: str = "") -> str:
    """Returns JSON in which lists, and dictionaries of numbers or texts, are one line."""
    if isinstance(value, dict) and (indent == "" or any(isinstance(part, (dict, list)) for part in value.values())):
        inner = indent + " "
        body = ",\n".join(f"{inner}{json.dumps(name)}: {text(part, inner)}" for name, part in value.items())
        return "{\n" + body + "\n" + indent + "}" + ("\n" if indent == "" else "")
    return json.dumps(value)
