#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens the site that `make docs` built in a headless Chromium, from a server on loopback.

Checks that every page loads with its resources, that a page of the API reference shows its functions, and that the
search finds one. Ends with "N passed, N failed".

    open_site.py [--site site] [--chromium chromium]
"""

import argparse
import functools
import html
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 120
# page, with what is asked of it -> what the browser must show, as a pattern over its document
VIEWS = {
    "index.html": r"hilo is JAX for C\+\+",
    "tutorial/01_arrays.html": r"<h1[^>]*>[^<]+</h1>",
    "performance.html": r"ratios_light",
    "contributing/index.html": r"architecture",
    "errors.html": r"INVALID_ARGUMENT",
    "api/hilo_numpy.html": r'<h3 id="einsum">einsum',
    "api/hilo_scipy_stats.html": r"norm::pdf",
    "index.html?q=einsum": r'<article><h3><a href="[^"]*api/hilo_numpy.html#einsum"',
    "index.html?q=leaked+tracer": r"<article>",
}


DRIVER = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><iframe width="1200" height="800"></iframe>
<script>
const views = %s, frame = document.querySelector("iframe"), seen = {};
let at = 0;
function shown() { return frame.contentDocument ? frame.contentDocument.documentElement.outerHTML : ""; }
function tell() { return fetch("/seen", {method: "POST", body: JSON.stringify(seen)}); }
function open() { if (at < views.length) frame.src = views[at][0]; else tell(); }
setInterval(() => {
  if (at < views.length && new RegExp(views[at][1]).test(shown())) { seen[views[at++][0]] = true; tell(); open(); }
}, 50);
open();
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site and a page that opens each view until the expected content is visible, and receives its
    report."""
    seen: dict[str, bool] = {}
    missing: list[str] = []
    news = threading.Condition()

    def log_message(self, *_):
        pass

    def send_error(self, code, *arguments, **keywords):
        Handler.missing.append(f"{self.path}: {code}")
        super().send_error(code, *arguments, **keywords)

    def do_GET(self):
        if self.path != "/driver":
            return super().do_GET()
        return self.answer((DRIVER % json.dumps(list(VIEWS.items()))).encode())

    def do_POST(self):
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with Handler.news:
            Handler.seen.update(told)
            Handler.news.notify_all()
        self.answer(b"")

    def answer(self, body: bytes):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", type=pathlib.Path, default=ROOT / "site")
    parser.add_argument("--chromium", default="chromium")
    arguments = parser.parse_args()
    problems = {view: f"doesn't show {VIEWS[view]}" for view in unseen(arguments.chromium, arguments.site)}
    problems = {view: problems.get(view, "") for view in VIEWS}
    problems["what pages ask for"] = "; ".join(Handler.missing)
    problems["links"] = dead_links(arguments.site)
    for view, problem in problems.items():
        print(f"failed {view}: {problem}" if problem else f"passed {view}")
    failed = sum(bool(problem) for problem in problems.values())
    print(f"{len(problems) - failed} passed, {failed} failed")
    return 1 if failed else 0


def unseen(chromium: str, site: pathlib.Path) -> list[str]:
    """Returns the views that the browser didn't show in time."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="hilo_chromium_", ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen([chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                                    f"http://127.0.0.1:{server.server_address[1]}/driver"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with Handler.news:
            Handler.news.wait_for(lambda: len(Handler.seen) == len(VIEWS), timeout=SECONDS)
        browser.kill()
        browser.wait()
    server.shutdown()
    return [view for view in VIEWS if view not in Handler.seen]


def dead_links(site: pathlib.Path) -> str:
    """Returns links to pages, and to anchors in them, that don't exist."""
    texts = {page: page.read_text() for page in site.rglob("*.html")}
    places = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in texts.items()}
    dead = []
    for page, text in texts.items():
        for link in re.findall(r'href="([^"]+)"', text):
            target = urllib.parse.urlparse(html.unescape(link))
            file = (page.parent / urllib.parse.unquote(target.path)).resolve() if target.path else page.resolve()
            if target.scheme or target.netloc or target.path.startswith("/") or page.name == "404.html":
                continue
            if not file.exists() or (target.fragment and file in places and
                                     urllib.parse.unquote(target.fragment) not in places[file]
                                     and target.fragment != "#"):
                dead.append(f"{page.relative_to(site)}: {link}")
    return "; ".join(dead[:20])


if __name__ == "__main__":
    sys.exit(main())
