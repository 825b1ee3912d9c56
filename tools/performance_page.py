# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/performance.md and the picture of README.md, from the figures that `make bench` and `make
race` wrote to docs/figures (RECORD=1)."""

import json
import pathlib

import ratio_picture

PAGE = "docs/performance.md"
FIGURES = "docs/figures"
OLDER = "0.10.2"  # the version of jaxlib whose figures the summary still shows
EQUAL = 0.95  # a ratio from here on is no loss: equal columns differ by more
NAMES = {"hilo, denormals kept": "denormals kept", "jaxlib, memory kept": "jaxlib, its freed memory kept", "numpy": "NumPy and SciPy",
         "scipy": "SciPy", "ducc0": "ducc0", "torch": "PyTorch", "torch, compiled": "PyTorch, compiled", "mlx": "MLX"}
OTHERS = "numpy", "ducc0", "torch", "torch, compiled", "mlx"
WIDTHS = {"avx512": "AVX-512", "avx2": "AVX2, on both sides", "sse2": "SSE2, on both sides"}
RATIOS = ("programs", "geometric mean", "least", "a tenth is below", "median", "nine tenths are below", "number below 0.9")


def pages(root: pathlib.Path) -> dict[str, str]:
    """Returns texts by path: the page with its generated parts, and the pictures."""
    if not (root / PAGE).exists():
        return {}
    peers, race, older_peers, older_race = (json.loads((root / FIGURES / f"{name}.json").read_text())
                                            for name in ("peers", "race", f"peers_{OLDER}", f"race_{OLDER}"))
    page = (root / PAGE).read_text()
    for name, text in (("summary", summary(peers, race, older_peers, older_race)), ("race", race_tables(race)),
                       ("others", others_table(peers)), ("peers", peers_table(peers))):
        page = with_part(page, name, text)
    return {PAGE: page, **{f"{FIGURES}/{name}": text for name, text in ratio_picture.pictures(peers).items()}}


def with_part(page: str, name: str, text: str) -> str:
    """Returns `page` with the lines between "<!-- generated: NAME -->" and "<!-- end -->" replaced by `text`."""
    begin = f"<!-- generated: {name} -->\n"
    before, _, rest = page.partition(begin)
    return before + begin + text + rest[rest.index("<!-- end -->"):]


def summary(peers: dict, race: dict, older_peers: dict, older_race: dict) -> str:
    ratios, older = ratios_of(peers), ratio_mean(ratios_of(older_peers))
    lines = [f"| measured | jaxlib | programs | geometric mean | least | slower than jaxlib | with jaxlib {OLDER} |",
             "|---|---|---|---|---|---|---|",
             f"| known programs, {peers['cores']} cores | {peers['versions']['jaxlib']} | {len(ratios)} | {ratio_mean(ratios):.2f} "
             f"| {ratios[0]:.2f} | {sum(ratio < EQUAL for ratio in ratios)} | {older:.2f} |"]
    for width, measured in race.items():
        count, mean, least, *_, below = measured["classes"]["all"]
        older = older_race[width]["classes"]["all"][1]
        lines.append(f"| random programs, one thread, {WIDTHS[width]} | {measured['versions']['jaxlib']} | {count} | {mean:.2f} "
                     f"| {least:.2f} | {below} | {older:.2f} |")
    return "\n".join(lines) + "\n"


def ratios_of(peers: dict, name: str = "jaxlib") -> list[float]:
    return sorted(row[name] / row["hilo"] for row in peers["microseconds"].values() if name in row)


def others_table(peers: dict) -> str:
    """What users would choose instead of JAX; nothing if no such peer ran."""
    lines = ["Known programs, compared with what users would choose instead on arrays. Rows for which it has no op are missing:", "",
             "| compared with | rows | geometric mean | least | rows where hilo is slower |", "|---|---|---|---|---|"]
    for name in OTHERS:
        ratios = ratios_of(peers, name)
        slower = [f"{row} {times[name] / times['hilo']:.2f}" for row, times in peers["microseconds"].items()
                  if name in times and times[name] / times["hilo"] < EQUAL]
        if ratios:
            lines.append(f"| {NAMES[name]} | {len(ratios)} | {ratio_mean(ratios):.2f} | {ratios[0]:.2f} | {', '.join(slower) or 'none'} |")
    return "\n".join(lines) + "\n" if len(lines) > 4 else ""


def ratio_mean(ratios: list[float]) -> float:
    product = 1.0
    for ratio in ratios:
        product *= ratio ** (1 / len(ratios))
    return product


def race_tables(race: dict) -> str:
    lines = []
    for width, measured in race.items():
        first, last = measured["seeds"]
        lines += [f"{WIDTHS[width]}; seeds {first} to {last}, threads: {measured['threads']}, processor time. {measured['machine']}; jaxlib "
                  f"{measured['versions']['jaxlib']}; commit {measured['commit']}, {measured['date']}:", "",
                  "| class | " + " | ".join(RATIOS) + " |", "|---" * (len(RATIOS) + 1) + "|"]
        for name, (count, *ratios, below) in measured["classes"].items():
            lines.append(f"| {name} | {count} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + f" | {below} |")
        lines.append("")
    return "\n".join(lines)


def peers_table(peers: dict) -> str:
    rows = peers["microseconds"]
    others = [name for name in next(iter(rows.values())) if name != "hilo"]
    others += sorted({name for row in rows.values() for name in row} - {"hilo", *others}, key=list(NAMES).index)
    versions = ", ".join(f"{NAMES.get(name, name)} {version}" for name, version in peers["versions"].items())
    lines = [f"Medians of {peers['rounds']} rounds in microseconds. {peers['machine']}, {peers['cores']} cores; {versions}; "
             f"commit {peers['commit']}, {peers['date']}.", "",
             "| row | hilo | " + " | ".join(f"{NAMES.get(name, name)} | ratio" for name in others) + " |",
             "|---|---|" + "---|---|" * len(others)]
    for name, row in rows.items():
        cells = [f"{row[other]:.2f} | {row[other] / row['hilo']:.2f}" if other in row else "- | -" for other in others]
        lines.append(f"| {name} | {row['hilo']:.2f} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
