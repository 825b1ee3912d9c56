# SPDX-License-Identifier: Apache-2.0
"""Parts of a run of JAX's tests: each has a state of its own, part_K_of_N, and all of one N make one table."""

import argparse
import pathlib
import re

import supervise
import table

NAME = re.compile(r"part_(\d+)_of_(\d+)")
SHARED = ("seed", "generated_cases")  # of identities: parts of other values are parts of another run


def checked(text: str) -> str:
    """"K/N" with 1 <= K <= N."""
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise argparse.ArgumentTypeError(f"got {text!r}; wanted K/N with 1 <= K <= N, for example 3/40")
    return text


def folder(state: pathlib.Path, part: str) -> pathlib.Path:
    number, parts = map(int, part.split("/"))
    return state if parts == 1 else state / f"part_{number}_of_{parts}"


def folders(state: pathlib.Path) -> dict[tuple[int, int], pathlib.Path]:
    """(K, N) -> the folder of the part. ValueError for parts of several N."""
    found = {tuple(map(int, NAME.fullmatch(path.name).groups())): path for path in sorted(state.glob("part_*_of_*"))
             if NAME.fullmatch(path.name)}
    counts = sorted({parts for _, parts in found})
    if len(counts) > 1:
        raise ValueError(f"{state}: parts of {' and of '.join(map(str, counts))}; wanted those of one run")
    return dict(sorted(found.items()))


def described(found: dict[tuple[int, int], pathlib.Path]) -> str:
    parts = next(iter(found))[1]
    missing = [str(number) for number in range(1, parts + 1) if (number, parts) not in found]
    return f"{len(found)} of {parts} parts" + (f"; missing: {', '.join(missing)}" if missing else "")


def merged(found: dict[tuple[int, int], pathlib.Path], names: list[str],
           files: list[str]) -> dict[str, list[table.Tests]]:
    """file -> what each engine did with it in all parts. Files that no part has begun are left out.
    ValueError for states of another seed."""
    results, shared = {}, None
    for file in files:
        rows = [[supervise.read_rows(path / name / f"{file}.jsonl") for path in found.values()] for name in names]
        for first in (part[0] for of_engine in rows for part in of_engine if part):
            own = {key: first["identity"][key] for key in SHARED}
            shared = shared or own
            if own != shared:
                raise ValueError(f"{file}: a part has {own}; wanted {shared}, as the first")
        if any(part for of_engine in rows for part in of_engine):
            results[file] = [table.joined([table.tests_of(part) for part in of_engine if part]) for of_engine in rows]
    return results
