#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ratio_picture.py [FIGURES] [FOLDER] -- draws the picture of README.md: how many times as fast as jaxlib some programs
of `make bench` are.

Reads the file that bench/peers.py writes. Writes ratios_light.svg and ratios_dark.svg into the folder."""

import json
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs" / "figures"
PEER = "jaxlib"
# Rows of bench/rows.cc, as a reader calls them: fast ones, equal ones and slow ones.
SHOWN = {
    "add_8": "call that adds 8 numbers (JAX: from Python)",
    "digits_step_first_call": "training step, first call: compiling",
    "digits_step": "training step of a small network",
    "sort_1M": "sort 1,000,000 numbers",
    "conv3x3_nhwc_28_to_rhs": "3x3 convolution, gradient of its kernel",
    "conv3x3_nhwc_28": "3x3 convolution",
    "fft_1M": "FFT of 1,000,000 numbers",
    "muladd_tanh_16M": "tanh(x * y + z), 16,000,000 numbers",
    "cholesky_1000x16x16": "1,000 Cholesky factors of 16x16",
    "while_1e6": "while loop, 1,000,000 steps",
    "scatter_add_1M": "scatter-add of 1,000,000 numbers",
    "softmax_4096x1024": "softmax of 4096x1024",
    "sum_axis1_4096": "row sums of 4096x4096",
    "matmul_1024": "matrix product, 1024x1024",
}
COLOURS = {"light": {"text": "#1f2328", "faint": "#656d76", "line": "#d0d7de", "faster": "#0969da", "slower": "#bc4c00"},
           "dark": {"text": "#e6edf3", "faint": "#8d96a0", "line": "#30363d", "faster": "#4493f8", "slower": "#db6d28"}}
WIDTH, ROW, TOP, LEFT, RIGHT = 760, 24, 58, 290, 70
LEAST, MOST = 0.5, 32.0  # ends of the axis, which is logarithmic
MARKS = (0.5, 1, 2, 4, 8, 16, 32)


def main() -> int:
    figures = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FIGURES / "peers.json"
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else FIGURES
    measured = json.loads(figures.read_text())
    if not ratios(measured):
        print(f"left out: the picture of ratios ({PEER} was not measured)")
        return 0
    for name, text in pictures(measured).items():
        (folder / name).write_text(text)
    return 0


def pictures(figures: dict) -> dict[str, str]:
    """Returns the SVG texts by file name."""
    return {f"ratios_{theme}.svg": picture(figures, colours) for theme, colours in COLOURS.items()}


def ratios(figures: dict) -> dict[str, float]:
    """Returns ratios by readable names, the largest first, without rows that the run lacks."""
    rows = figures["microseconds"]
    found = {label: rows[row][PEER] / rows[row]["hilo"] for row, label in SHOWN.items() if PEER in rows.get(row, {})}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def picture(figures: dict, colours: dict) -> str:
    bars = ratios(figures)
    height = TOP + ROW * len(bars) + 44
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" '
             f'font-family="system-ui, sans-serif" font-size="13" fill="{colours["text"]}">',
             f"<title>hilo's speed, {PEER}'s is 1</title>",
             f'<text x="12" y="22" font-size="16" font-weight="600">Times as fast as {PEER} {figures["versions"][PEER]}, on {figures["cores"]} cores</text>']
    bottom = TOP + ROW * len(bars)
    for mark in MARKS:
        x = place(mark)
        lines.append(f'<line x1="{x}" y1="{TOP - 6}" x2="{x}" y2="{bottom}" stroke="{colours["text" if mark == 1 else "line"]}"/>')
        lines.append(f'<text x="{x}" y="{TOP - 12}" text-anchor="middle" font-size="11" fill="{colours["faint"]}">{mark:g}x</text>')
    for number, (label, ratio) in enumerate(bars.items()):
        lines += bar(TOP + ROW * number, label, ratio, colours)
    lines.append(f'<text x="12" y="{bottom + 20}" font-size="11" fill="{colours["faint"]}">{figures["machine"]}; medians of '
                 f'{figures["rounds"]} rounds in turn; commit {figures["commit"]}, {figures["date"]}.</text>')
    lines.append(f'<text x="12" y="{bottom + 36}" font-size="11" fill="{colours["faint"]}">Some of the rows of docs/performance.md; denormals '
                 "are flushed on both sides. The axis is logarithmic.</text>")
    return "\n".join([*lines, "</svg>\n"])


def bar(top: int, label: str, ratio: float, colours: dict) -> list[str]:
    one, end = place(1), place(min(max(ratio, LEAST), MOST))
    colour = colours["faster" if ratio >= 1 else "slower"]
    return [f'<text x="{LEFT - 10}" y="{top + 16}" text-anchor="end">{label}</text>',
            f'<rect x="{min(one, end)}" y="{top + 4}" width="{max(round(abs(end - one), 1), 1)}" height="{ROW - 9}" rx="2" fill="{colour}"/>',
            f'<text x="{max(one, end) + 6}" y="{top + 16}" font-weight="600" fill="{colour}">{shown(ratio)}</text>']


def shown(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}"


def place(ratio: float) -> float:
    """Returns the position of a ratio on the axis."""
    return round(LEFT + (WIDTH - LEFT - RIGHT) * math.log(ratio / LEAST) / math.log(MOST / LEAST), 1)


if __name__ == "__main__":
    sys.exit(main())
