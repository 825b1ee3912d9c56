#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""house_pictures.py -- draws the pictures of docs/contributing/architecture.md as SVG, light and dark.

The picture of the layers uses the table of tools/check_layers.py; the picture of one call uses the page's own table of
steps. `make docs` writes them."""

import colorsys
import pathlib
import re
import sys
from functools import cache

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_layers  # noqa: E402

PAGE = "docs/contributing/architecture.md"
FIGURES = "docs/figures"
PARTS = re.compile(r"^\| ([^|`]+) \| ((?:`[\w/*]+`(?:, )?)+(?:\.\.\.)?) \| ", re.M)  # of the page: part, folders
STEPS = re.compile(r"^\| ([\w ,]+) \| (`[\w/.]+`(?:, `[\w/.]+`)*) \| (.+) \|$", re.M)  # of the page: step, where, what happens
REST = "front end"  # the part whose row in the page ends with "..."
COLOURS = {"light": {"text": "#1f2328", "faint": "#656d76", "line": "#8c959f", "parts": 92},
           "dark": {"text": "#e6edf3", "faint": "#8d96a0", "line": "#6e7681", "parts": 24}}  # parts: lightness in percent
WIDTH, FLOOR, BOX, TOP, LEFT = 860, 34, 24, 64, 12
TEXT = 6.6  # width of a letter at 11 px


def pictures(page: str) -> dict[str, str]:
    """Returns the SVG texts by file name; `page` is the text of PAGE."""
    parts, steps = dict(parts_of(page)), STEPS.findall(page.partition("\n## One call")[2])
    return {f"{FIGURES}/{name}_{theme}.svg": picture(*drawn, colours) for theme, colours in COLOURS.items()
            for name, drawn in (("house", house(parts, colours)), ("call", call(steps, parts, colours)))}


def parts_of(page: str) -> list[tuple[str, list[str]]]:
    table = page.partition("\n## The parts")[2].partition("\n## ")[0]
    return [(part, re.findall(r"`([^`]+)`", folders)) for part, folders in PARTS.findall(table)]


def part_of(folder: str, parts: dict[str, list[str]]) -> str:
    """Returns the part with the longest matching entry: `backend/*` contains backend/cpu."""
    fitting = [(len(entry), part) for part, entries in parts.items() for entry in entries
               if folder == entry or folder.startswith(entry.removesuffix("/*") + "/") or folder == entry.removesuffix("/*")]
    return max(fitting)[1] if fitting else REST


@cache
def floor(folder: str) -> int:
    """Returns 0 for a folder that includes nothing; else one more than the highest folder that it may include."""
    return max((floor(below) + 1 for below in check_layers.LAYERS[folder]), default=0)


def house(parts: dict[str, list[str]], colours: dict) -> tuple[str, int, list[str]]:
    floors: dict[int, list[str]] = {}
    for folder in check_layers.LAYERS:
        floors.setdefault(floor(folder), []).append(folder)
    shown = [part for part in parts if any(part_of(folder, parts) == part for folder in check_layers.LAYERS)]
    lines, highest = legend(shown, colours), max(floors)
    top = TOP + 22 * ((len(shown) + 4) // 5)
    for level, folders in floors.items():
        y = top + FLOOR * (highest - level)
        widths = [len(folder) * TEXT + 18 for folder in folders]
        x = (WIDTH - sum(widths) - 8 * (len(widths) - 1)) / 2
        for folder, width in zip(folders, widths):
            lines += box(x, y, width, folder, tint(shown.index(part_of(folder, parts)), colours), colours)
            x += width + 8
    return "The folders of src/hilo: each may include folders of lower rows only", top + FLOOR * (highest + 1) + 4, lines


def call(steps: list[tuple[str, str, str]], parts: dict[str, list[str]], colours: dict) -> tuple[str, int, list[str]]:
    """Draws the steps from top to bottom, in a column for each part, with arrows between them."""
    folders = [[folder_of(file) for file in re.findall(r"`([^`]+)`", where)] for _, where, _ in steps]
    owners = [part_of(found[0], parts) for found in folders]
    columns = list(dict.fromkeys(owners))
    wide, lines = (WIDTH - 2 * LEFT) / len(columns), []
    for number, part in enumerate(columns):
        lines.append(f'<text x="{LEFT + wide * (number + 0.5):.0f}" y="{TOP}" text-anchor="middle" fill="{colours["faint"]}">{part}</text>')
    before = None
    for number, ((step, _, _), found, part) in enumerate(zip(steps, folders, owners)):
        column, y = columns.index(part), TOP + 18 + 46 * number
        x = LEFT + wide * column + 6
        if before is not None:
            lines += arrow(before, (x + (wide - 12) / 2, y), colours)
        lines += box(x, y, wide - 12, step, tint(list(parts).index(part), colours), colours,
                     ", ".join(dict.fromkeys(found)))
        before = (x + (wide - 12) / 2, y + 36)
    return "The first call of jit(f)(x): from the function to its results", TOP + 18 + 46 * len(steps) + 4, lines


def folder_of(where: str) -> str:
    """Returns the folder of the table for "hlo/passes" or "engine/planner.cc"."""
    return check_layers.folder_of(where + "/") or sys.exit(f"{PAGE}: {where} is in no folder of tools/check_layers.py")


def legend(parts: list[str], colours: dict) -> list[str]:
    lines = []
    for number, part in enumerate(parts):
        x, y = LEFT + 168 * (number % 5), 40 + 22 * (number // 5)
        lines.append(f'<rect x="{x}" y="{y}" width="14" height="14" rx="3" fill="{tint(number, colours)}" stroke="{colours["line"]}"/>')
        lines.append(f'<text x="{x + 20}" y="{y + 11}">{part}</text>')
    return lines


def box(x: float, y: float, width: float, text: str, fill: str, colours: dict, below: str = "") -> list[str]:
    height = 36 if below else BOX
    lines = [f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{height}" rx="4" fill="{fill}" stroke="{colours["line"]}"/>',
             f'<text x="{x + width / 2:.0f}" y="{y + 16}" text-anchor="middle">{text}</text>']
    if below:
        lines.append(f'<text x="{x + width / 2:.0f}" y="{y + 29}" text-anchor="middle" font-size="9" fill="{colours["faint"]}">{below}</text>')
    return lines


def arrow(start: tuple[float, float], end: tuple[float, float], colours: dict) -> list[str]:
    (x1, y1), (x2, y2) = start, end
    head = f"M {x2 - 4:.0f} {y2 - 6} L {x2:.0f} {y2 - 1} L {x2 + 4:.0f} {y2 - 6}"
    return [f'<path d="M {x1:.0f} {y1} V {(y1 + y2) / 2:.0f} H {x2:.0f} V {y2 - 1} {head}" fill="none" stroke="{colours["text"]}"/>']


def tint(number: int, colours: dict) -> str:
    red, green, blue = colorsys.hls_to_rgb(number * 47 % 360 / 360, colours["parts"] / 100, 0.6)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


def picture(title: str, height: int, lines: list[str], colours: dict) -> str:
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" '
                      f'font-family="system-ui, sans-serif" font-size="11" fill="{colours["text"]}">', f"<title>{title}</title>",
                      f'<text x="{LEFT}" y="22" font-size="15" font-weight="600">{title}</text>', *lines, "</svg>\n"])


if __name__ == "__main__":
    root = pathlib.Path(__file__).resolve().parent.parent
    for name, text in pictures((root / PAGE).read_text()).items():
        (root / name).write_text(text)
