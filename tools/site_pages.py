# SPDX-License-Identifier: Apache-2.0
"""Hooks for MkDocs: add the API reference to the site as pages under api/, which aren't files of docs/. The menu lists
them. Runs in Debian's python3, as mkdocs does."""

import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import api_reference  # noqa: E402
from mkdocs.structure.files import File  # noqa: E402

FOLDER = tempfile.TemporaryDirectory(prefix="hilo_reference_")


def on_config(config, **_):
    build = pathlib.Path(os.environ.get("HILO_BUILD", api_reference.ROOT / "build"))
    pages = api_reference.pages(api_reference.entries_of(api_reference.ROOT, build.resolve()))
    folder = pathlib.Path(FOLDER.name) / "api"
    folder.mkdir()
    for name, text in {**pages, "index.md": index(pages)}.items():
        (folder / name).write_text(text)
    config["nav"].append({"API reference": "api/index.md"})
    return config


def index(pages: dict[str, str]) -> str:
    """Returns a line for each page, by its title."""
    lines = [f"- [{text.partition(chr(10))[0].removeprefix('# ')}]({name})" for name, text in pages.items()]
    return "# API reference\n\nA page for each namespace. The search finds every name.\n\n" + "\n".join(lines) + "\n"


def on_files(files, config, **_):
    folder = pathlib.Path(FOLDER.name)
    for page in sorted(folder.rglob("*.md")):
        name = page.relative_to(folder).as_posix()
        files.append(File(name, str(folder), config["site_dir"], config["use_directory_urls"]))
    return files
