# SPDX-License-Identifier: Apache-2.0
"""Tests pictures in headless Chromium.

For 10,000 nodes: no console error, few nodes in the document, calls open and close, the search works. For fused
programs: a small region is initially open, a large one closed, and both can be opened and closed. Prints "passed CASE"
or "failed CASE: why"; without Chromium "left out", which is no failure."""

import argparse
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NODES = 10_000
MAX_DRAWN = 1_000
SECONDS = 120
# Runs after the page's own script; the title carries what it saw out of the browser.
LARGE_PROBE = """<script>
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
REGION_PROBE = """<script>
const region = name => [...document.querySelectorAll('.node.region')].find(node => node.textContent.includes(name));
const panel = name => [...document.querySelectorAll('.inner > details')].find(
  details => details.querySelector('summary').textContent.startsWith(name));
const isOpen = name => panel(name) !== undefined && panel(name).open;
const small = 'row kernel small', large = 'map kernel large';
const seen = {first: [isOpen(small), isOpen(large)]};
seen.inside = [...panel(small).querySelectorAll('.node')].map(node => node.textContent);
region(small).click();
region(large).click();
seen.second = [isOpen(small), isOpen(large)];
region(small).click();
seen.third = [isOpen(small), isOpen(large)];
const search = document.querySelector('input');
search.value = 'tanh v7';
search.dispatchEvent(new Event('input'));
seen.found = document.querySelector('.count').textContent;
document.querySelector('.hits button').click();
seen.revealed = [...panel(large).querySelectorAll('.node.hit')].length;
document.title = 'seen ' + JSON.stringify(seen);
</script></body>"""


def program() -> str:
    lines = ["HloModule large", "", "body {", "  x.body = f32[4] parameter(0)", "  ROOT leaf.body = f32[4] tanh(x.body)", "}", "",
             "condition {", "  x.condition = f32[4] parameter(0)", "  ROOT no = pred[] constant(false)", "}", "", "ENTRY main {",
             "  v0 = f32[4] parameter(0)"]
    lines += [f"  v{i} = f32[4] add(v{i - 1}, v{max(0, i - 7)})" for i in range(1, NODES)]
    lines += [f"  ROOT loop = f32[4] while(v{NODES - 1}), condition=condition, body=body", "}"]
    return "\n".join(lines) + "\n"


def fused_program() -> str:
    """A row region of a few instructions, and a map region of a hundred."""
    lines = ["HloModule fused", "", "sum {", "  a = f32[] parameter(0)", "  b = f32[] parameter(1)", "  ROOT s = f32[] add(a, b)",
             "}", "", "ENTRY main {", "  x = f32[40,64] parameter(0)", "  zero = f32[] constant(0)",
             "  total = f32[40] reduce(x, zero), dimensions={1}, to_apply=sum",
             "  wide = f32[40,64] broadcast(total), dimensions={0}",
             '  small = f32[40,64] divide(x, wide), metadata={source_file="train.py" source_line=7}',
             "  v0 = f32[1000] parameter(1)"]
    lines += [f"  v{i} = f32[1000] {'tanh' if i % 2 else 'negate'}(v{i - 1})" for i in range(1, 100)]
    lines += ["  large = f32[1000] add(v99, v0)", "  ROOT t = (f32[40,64], f32[1000]) tuple(small, large)", "}"]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo")
    arguments = parser.parse_args()
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("left out: graph_page, no Chromium is installed")
        return 0
    results = []
    with tempfile.TemporaryDirectory(prefix="hilo_graph_") as folder:
        place = pathlib.Path(folder)
        for name, text, flags, probe, judge in (("large", program(), [], LARGE_PROBE, large_problems),
                                                ("fused", fused_program(), ["--compiled"], REGION_PROBE, region_problems)):
            results += [(f"{name}/{case}", problem) for case, problem in
                        problems(browse(browser, arguments.command, place, name, text, flags, probe), judge)]
    for case, problem in results:
        print(f"{'failed' if problem else 'passed'} graph_page/{case}" + (f": {problem}" if problem else ""))
    failed = sum(bool(problem) for _, problem in results)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


def browse(browser, command, place, name, text, flags, probe):
    source, page = place / f"{name}.hlo", place / f"{name}.html"
    source.write_text(text)
    subprocess.run([command, "convert", "--to", "html", *flags, source, "-o", page], check=True, timeout=SECONDS)
    page.write_text(page.read_text().replace("</body>", probe))
    return subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={place}/profile",
                           "--enable-logging=stderr", "--dump-dom", page.as_uri()], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", timeout=SECONDS)


def problems(done, judge):
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    yield "no_console_error", "; ".join(console)[:500]
    title = re.search(r"<title>seen (\{.*?\})</title>", done.stdout)
    if title is None:
        yield "probe", "the page's script didn't come to its end"
        return
    seen = json.loads(html.unescape(title.group(1)))
    for case, good in judge(seen):
        yield case, "" if good else str(seen)


def large_problems(seen):
    yield "few_nodes_are_drawn", 0 < seen["first"] < MAX_DRAWN and 0 < seen["last"] < MAX_DRAWN
    yield "calls_open_and_close", (seen["opened"], seen["closed"]) == (2, 0)
    yield "search_finds_and_shows", seen["found"] == "1 found" and seen["revealed"]


def region_problems(seen):
    yield "a_small_region_stands_open", seen["first"] == [True, False]
    yield "regions_open_and_close", (seen["second"], seen["third"]) == ([False, True], [True, True])
    inside = " ".join(seen["inside"])
    yield "boxes_have_shape_line_and_cost", all(text in inside for text in ("f32[40,64]", "train.py:7", "2.56 kflop"))
    yield "search_finds_within_regions", (seen["found"], seen["revealed"] > 0) == ("6 found", True)


if __name__ == "__main__":
    sys.exit(main())
