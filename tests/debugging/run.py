#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of docs/debugging.md in one folder and compares their files and output with the page.

The page's pictures are from the same session. The graph is compared byte for byte, the flame graph except for its
times. Pages are shown as Chromium draws them; only their links and sizes are compared, because they contain times.
Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them. --write puts this machine's output into
the page, and the pictures next to it.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "debugging.md"
PICTURES = ROOT / "docs" / "pictures"
MAX_BYTES = 200_000
PROGRAM = re.compile(r"`softmax.hlo`:\n\n```hlo\n(.*?)```", re.S)
COMMAND = re.compile(r"```sh\n(.*?)```", re.S)
FILES = re.compile(r"(It leaves\n\n```\n)(.*?)(```)", re.S)
PICTURE = re.compile(r"!\[[^]]*\]\(([^)]*)\)")
TABLE = re.compile(r"(at the end of the process:\n\n```\n)(.*?)(```)", re.S)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    page = PAGE.read_text()
    with tempfile.TemporaryDirectory(prefix="hilo_debugging_") as folder:
        place = pathlib.Path(folder)
        try:
            files, table = session(page, arguments.build.resolve() / "bin", place)
        except AssertionError as error:
            print(f"{error}\nfailed commands")
            return 1
        print("passed commands")
        if arguments.write:
            PAGE.write_text(TABLE.sub(rf"\1{table}\3", FILES.sub(rf"\1{files}\3", page)))
            write_pictures(place)
            return 0
        cases = [("files", FILES.search(page)[2], files), ("table", what(TABLE.search(page)[2]), what(table)),
                 ("graph", (PICTURES / "graph.svg").read_text(), (place / "graph.svg").read_text()),
                 ("flame", bars(PICTURES / "flame.svg"), bars(place / "profile" / "flame.svg")),
                 ("pictures", [], missing_pictures(page))]
    failed = 0
    for case, shown, got in cases:
        failed += shown != got
        print(f"passed {case}" if shown == got else f"the page shows\n{shown}\nthe command gives\n{got}\nfailed {case}")
    return 1 if failed else 0


def session(page: str, binaries: pathlib.Path, place: pathlib.Path) -> tuple[str, str]:
    """The dumps that the commands leave in a folder, and the table of the profile."""
    (place / "softmax.hlo").write_text(PROGRAM.search(page)[1])
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(("JAX_", "HILO_"))}
    table = ""
    for command in COMMAND.findall(page):
        done = subprocess.run(["bash", "-c", f"{command.strip()} & echo $! > pid; wait $!"], cwd=place, text=True,
                              capture_output=True, timeout=120, env={**kept, "HILO_CACHE": "off", "PATH": f"{binaries}:{os.environ['PATH']}"})
        assert done.returncode == 0, f"{command}: exit status {done.returncode}\n{done.stderr}"
        table += "".join(line + "\n" for line in done.stderr.splitlines() if "--jax_hlo_profile" in command)
        pathlib.Path(f"/tmp/perf-{(place / 'pid').read_text().strip()}.map").unlink(missing_ok=True)
    return "".join(f"{p.relative_to(place)}\n" for p in sorted((place / "dumps").rglob("*")) if p.is_file()), table


def bars(flame: pathlib.Path) -> list[str]:
    """What a flame graph's bars stand for, without the times that order them."""
    return sorted(re.findall(r"<g><title>(.*?): [\d.]+ ms, [\d.]+ %</title>", flame.read_text()))


def missing_pictures(page: str) -> list[str]:
    """Pictures that the page shows and that aren't there or are too large, and those that it doesn't show."""
    shown = set(PICTURE.findall(page))
    there = {f"pictures/{path.name}" for path in PICTURES.iterdir() if path.stat().st_size < MAX_BYTES}
    return sorted(shown ^ there)


def write_pictures(place: pathlib.Path) -> None:
    PICTURES.mkdir(exist_ok=True)
    shutil.copy(place / "graph.svg", PICTURES)
    shutil.copy(place / "profile" / "flame.svg", PICTURES)
    (passes,) = (place / "dumps" / "hlo_per_pass").glob("*.softmax.index.html")
    photograph(passes, PICTURES / "passes.png", "1000,700")
    (graph,) = (place / "dumps" / "hlo_graph").glob("*.softmax.optimized.html")
    photograph(graph, PICTURES / "graph.png", "900,1100")


def photograph(page: pathlib.Path, picture: pathlib.Path, size: str) -> None:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    assert browser is not None, "pictures of pages need Chromium"
    subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={size}",
                    f"--user-data-dir={page.parent}/browser", f"--screenshot={picture}", page.as_uri()],
                   check=True, stderr=subprocess.DEVNULL, timeout=120)


def what(table: str) -> set[str]:
    """The last column: times differ from run to run, and the order with them."""
    return {re.split(" {2,}", line)[-1].split(": ")[0] for line in table.splitlines()}


if __name__ == "__main__":
    sys.exit(main())
