# SPDX-License-Identifier: Apache-2.0
"""Checks that XLA reads hilo's HLO text, and rejects the texts that tests/hlo/text/xla_forms.txt lists as rejected.

Each text is read in a separate process, because XLA ends the process if a check fails. Ends with "N passed, N
failed"."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from jaxlib import _hlo  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from report import report  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FORMS = ROOT / "tests/hlo/text/xla_forms.txt"
TEST_SECONDS = 600
# Of the op table, what XLA has no op for: hilo's own where an axis has a name and where a tangent is not computed
# yet. It expects to see the start of an asynchronous pair, which these samples take as an argument.
NOT_XLAS = tuple(f"sample_{op}_" for op in (
    "hilo_all_gather", "hilo_all_to_all", "hilo_axis_index", "hilo_custom_vjp_tangent", "hilo_pmax", "hilo_pmin",
    "hilo_ppermute", "hilo_psum", "hilo_psum_scatter", "async-done", "async-update"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo")
    parser.add_argument("--match", default="", help="only texts whose name contains this")
    arguments = parser.parse_args()
    return report(judged(arguments.command, arguments.match))


def judged(command, match):
    for construct, xla, text in forms():
        if match in construct:
            problem = problem_of(text)
            yield f"form/{construct}", "" if bool(problem) == (xla == "refuses") else problem or "XLA reads it"
    with tempfile.TemporaryDirectory(prefix="hilo_texts_") as folder:
        subprocess.run([command.parent / "tests" / "test_hlo", "--gtest_filter=PrintedTexts.*"], check=True,
                       stdout=subprocess.DEVNULL, timeout=TEST_SECONDS, env={**os.environ, "HILO_TEXTS": folder})
        for path in sorted(pathlib.Path(folder).glob("*.hlo")):
            if match in path.stem and not path.stem.startswith(NOT_XLAS):
                yield f"printed/{path.stem}", problem_of(path.read_text())


def forms():
    """Returns (construct, "reads" or "refuses", text) of each case."""
    for case in FORMS.read_text().split("\n=== ")[1:]:
        head, _, rest = case.partition("\n")
        _, construct, xla, _ = head.split(" | ")
        yield construct, xla, rest.partition("\n---\n")[0] + "\n"


def problem_of(text) -> str:
    """Returns XLA's error for a text, or ""."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.write(write, json.dumps(error_of(text)).encode()[:65536])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else "XLA ends the process"


def error_of(text) -> str:
    try:
        _hlo.hlo_module_from_text(text)
    except Exception as error:  # noqa: BLE001: whatever XLA says is the finding
        return str(error)[:400]
    return ""


if __name__ == "__main__":
    sys.exit(main())
