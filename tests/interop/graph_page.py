# SPDX-License-Identifier: Apache-2.0
"""A picture of 10,000 nodes in headless Chromium: no console error, few nodes in the document, calls open and close,
the search finds. Prints "passed CASE" or "failed CASE: why"; without Chromium "left out", which is no failure."""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NODES = 10_000
MOST_DRAWN = 1_000
SECONDS = 120
# Runs after the page's own script; the title carries what it saw out of the browser.
PROBE = """<script>
const count = () => document.querySelectorAll('.node').length;
const seen = {first: count()};
document.querySelector('.scroll').scrollTo(0, 500000);
document.querySelector('.scroll').dispatchEvent(new Event('scroll'));
const search = document.querySelector('input');
search.value = 'while loop';
search.dispatchEvent(new Event('input'));
seen.found = document.querySelector('.count').textContent;
document.querySelector('.hits button').click();
const call = [...document.querySelectorAll('.node.calls')].find(node => node.textContent.includes('while'));
const open = () => document.querySelectorAll('.inner > details[open]').length;
call.click();
seen.opened = open();
call.click();
seen.closed = open();
search.value = 'leaf.body';
search.dispatchEvent(new Event('input'));
document.querySelector('.hits button').click();
seen.revealed = [...document.querySelectorAll('.node.hit')].some(node => node.textContent.includes('leaf.body'));
seen.last = count();
document.title = 'seen ' + JSON.stringify(seen);
</script></body>"""


def program() -> str:
    lines = ["HloModule large", "", "body {", "  x.body = f32[4] parameter(0)", "  ROOT leaf.body = f32[4] tanh(x.body)", "}", "",
             "condition {", "  x.condition = f32[4] parameter(0)", "  ROOT no = pred[] constant(false)", "}", "", "ENTRY main {",
             "  v0 = f32[4] parameter(0)"]
    lines += [f"  v{i} = f32[4] add(v{i - 1}, v{max(0, i - 7)})" for i in range(1, NODES)]
    lines += [f"  ROOT loop = f32[4] while(v{NODES - 1}), condition=condition, body=body", "}"]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo")
    arguments = parser.parse_args()
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("left out: graph_page, no Chromium is installed")
        return 0
    with tempfile.TemporaryDirectory(prefix="hilo_graph_") as folder:
        source, page = pathlib.Path(folder) / "large.hlo", pathlib.Path(folder) / "large.html"
        source.write_text(program())
        subprocess.run([arguments.command, "convert", "--to", "html", source, "-o", page], check=True, timeout=SECONDS)
        page.write_text(page.read_text().replace("</body>", PROBE))
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                               "--enable-logging=stderr", "--dump-dom", page.as_uri()], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace", timeout=SECONDS)
    failed = 0
    for case, problem in problems(done):
        print(f"{'failed' if problem else 'passed'} graph_page/{case}" + (f": {problem}" if problem else ""))
        failed += bool(problem)
    return 1 if failed else 0


def problems(done):
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    yield "no_console_error", "; ".join(console)[:500]
    title = re.search(r"<title>seen (\{.*?\})</title>", done.stdout)
    if title is None:
        yield "probe", "the page's script didn't come to its end"
        return
    seen = json.loads(title.group(1).replace("&quot;", '"'))
    yield "few_nodes_are_drawn", "" if 0 < seen["first"] < MOST_DRAWN and 0 < seen["last"] < MOST_DRAWN else str(seen)
    yield "calls_open_and_close", "" if (seen["opened"], seen["closed"]) == (2, 0) else str(seen)
    yield "search_finds_and_shows", "" if seen["found"] == "1 found" and seen["revealed"] else str(seen)


if __name__ == "__main__":
    sys.exit(main())
