#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens the site that `make docs` built in a headless Chromium, from a server on loopback: every page is there with what it
asks for, a page of the API reference shows its functions, and the search finds one. Ends with "N passed, N failed".

    open_site.py [--site site] [--chromium chromium]
"""

import argparse
import functools
import html
import http.server
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
    "index.html": r"A C\+\+ function on arrays is traced to HLO",
    "tutorial/01_arrays.html": r"<h1[^>]*>[^<]+</h1>",
    "errors.html": r"INVALID_ARGUMENT",
    "api/hilo_numpy.html": r'<h3 id="einsum">einsum',
    "api/hilo_scipy_stats.html": r"norm::pdf",
    "index.html?q=einsum": r'<article><h3><a href="[^"]*api/hilo_numpy.html#einsum"',
    "index.html?q=leaked+tracer": r"<article>",
}


class Handler(http.server.SimpleHTTPRequestHandler):
    missing: list[str] = []

    def log_message(self, *_):
        pass

    def send_error(self, code, *arguments, **keywords):
        Handler.missing.append(f"{self.path}: {code}")
        super().send_error(code, *arguments, **keywords)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", type=pathlib.Path, default=ROOT / "site")
    parser.add_argument("--chromium", default="chromium")
    arguments = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=arguments.site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_address[1]}/"
    problems = {view: view_problem(arguments.chromium, base + view, wanted) for view, wanted in VIEWS.items()}
    problems["every link"] = dead_links(arguments.site)
    server.shutdown()
    for view, problem in problems.items():
        print(f"failed {view}: {problem}" if problem else f"passed {view}")
    failed = sum(bool(problem) for problem in problems.values())
    print(f"{len(problems) - failed} passed, {failed} failed")
    return 1 if failed else 0


def view_problem(chromium: str, address: str, wanted: str) -> str:
    Handler.missing.clear()
    with tempfile.TemporaryDirectory(prefix="hilo_chromium_") as profile:
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000",
                   f"--user-data-dir={profile}", "--enable-logging=stderr", "--dump-dom", address]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
    errors = re.findall(r"CONSOLE.*?\] \"(Uncaught.*?)\"", done.stderr)
    if done.returncode != 0 or errors or Handler.missing:
        return "; ".join([f"exit status {done.returncode}", *errors, *Handler.missing])
    return "" if re.search(wanted, done.stdout) else f"the page doesn't show {wanted}"


def dead_links(site: pathlib.Path) -> str:
    """Links of pages to pages and places in them that the site lacks."""
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
                                     urllib.parse.unquote(target.fragment) not in places[file] and target.fragment != "#"):
                dead.append(f"{page.relative_to(site)}: {link}")
    return "; ".join(dead[:20])


if __name__ == "__main__":
    sys.exit(main())
