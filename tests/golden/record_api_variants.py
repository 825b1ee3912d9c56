# SPDX-License-Identifier: Apache-2.0
"""record_api_variants.py ROWS OUT [--seed N] [--of 6] [--each 2] [--module jax.numpy] -- derives further rows from
recorded calls of JAX (docs/internal/jax_api.md): the same calls with another element type, nothing
along an axis, special values, other axes, arguments by keyword or by position. JAX computes the results; what JAX
refuses is left out. Only names with at most --of rows, --each variants a row. Then: tools/jax_api/run.py --rows OUT
--verbose. Needs jax 0.10.2 and optax, as ROWS says."""
import argparse
import base64
import copy
import gzip
import hashlib
import importlib.util
import inspect
import json
import pathlib
import random
import signal
import warnings

import jax
import numpy as np

SECONDS_A_ROW = 20
SPECIAL = [float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 1.0, -1.0, 1e30, -1e-30]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int8", "uint8", "int16", "int32", "uint32", "int64", "bool"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--of", type=int, default=6, help="only names with at most so many rows")
    parser.add_argument("--each", type=int, default=2, help="variants of a row")
    parser.add_argument("--module", default="", help="only names that begin so")
    arguments = parser.parse_args()
    spec = importlib.util.spec_from_file_location("read", arguments.rows / "read.py")
    read = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(read)
    rows = list(read.rows(str(arguments.rows)))
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["name"]] = counts.get(row["name"], 0) + 1
    chance = random.Random(arguments.seed)
    variants = []
    for row in rows:
        if counts[row["name"]] > arguments.of or not row["name"].startswith(arguments.module) or "error" in named(row["out"]):
            continue
        variants += [v for v in (variant(read, row, chance) for _ in range(arguments.each)) if v is not None]
    done = recorded(read, variants)
    arguments.out.mkdir(parents=True, exist_ok=True)
    with gzip.open(arguments.out / "rows_variants.jsonl.gz", "wt") as file:
        for row in sorted({row["id"]: row for row in done}.values(), key=lambda row: row["name"]):
            file.write(json.dumps(row) + "\n")
    print(f"{len(variants)} variants, {len(done)} that JAX takes")


def named(value) -> dict:
    return value if isinstance(value, dict) else {}


def variant(read, row: dict, chance: random.Random) -> dict | None:
    """The row with one thing changed; None where there is nothing to change."""
    changed = copy.deepcopy({key: row[key] for key in row if key not in ("jvp", "err64", "out")})
    ways = [other_type, nothing_along, special_values, other_axes, by_keyword, by_position, without_keyword]
    chance.shuffle(ways)
    for way in ways:
        if way(read, changed, chance):
            changed["from"] = f"{way.__name__} of {row['id']}"
            content = json.dumps([changed[key] for key in ("name", "args", "kwargs", "x64")] + [changed.get("call")])
            changed["id"] = hashlib.sha256(content.encode()).hexdigest()[:16]
            return changed
    return None


# ---- changes; each says whether it made one -------------------------------------------------------------------------
def arrays_of(read, row: dict) -> list[dict]:
    return [leaf for leaf in read.row_leaves(row) if leaf.get("np") != 2]


def put(read, leaf: dict, value: np.ndarray, name: str) -> None:
    leaf["array"] = array(np.asarray(value), name)


def other_type(read, row: dict, chance: random.Random) -> bool:
    leaves = [leaf for leaf in arrays_of(read, row) if leaf["array"]["dtype"] in FLOATS + INTEGERS]
    kinds = sorted({leaf["array"]["dtype"] for leaf in leaves})
    if not kinds:
        return False
    old = chance.choice(kinds)
    new = chance.choice([name for name in (FLOATS if old in FLOATS else INTEGERS) + ["complex64"] if name != old])
    if new in ("float64", "int64"):
        row["x64"] = True
    for leaf in leaves:
        if leaf["array"]["dtype"] == old:
            with np.errstate(all="ignore"):
                put(read, leaf, read.to_numpy(leaf).astype(read.np_dtype(new)), new)
    return True


def nothing_along(read, row: dict, chance: random.Random) -> bool:
    leaves = arrays_of(read, row)
    extents = sorted({size for leaf in leaves for size in leaf["array"]["shape"]} - {0})
    if not extents:
        return False
    none = chance.choice(extents)
    for leaf in leaves:
        shape = leaf["array"]["shape"]
        if none in shape:
            empty = [0 if size == none else size for size in shape]
            put(read, leaf, np.zeros(empty, read.np_dtype(leaf["array"]["dtype"])), leaf["array"]["dtype"])
    return True


def special_values(read, row: dict, chance: random.Random) -> bool:
    leaves = [leaf for leaf in arrays_of(read, row) if leaf["array"]["dtype"] in FLOATS and np.prod(leaf["array"]["shape"]) > 0]
    if not leaves:
        return False
    leaf = chance.choice(leaves)
    value = read.to_numpy(leaf)
    for _ in range(min(3, value.size)):
        with np.errstate(all="ignore"):
            value.reshape(-1)[chance.randrange(value.size)] = chance.choice(SPECIAL)
    put(read, leaf, value, leaf["array"]["dtype"])
    return True


def parameters(read, row: dict) -> list[str]:
    """Names of what may stand by position or by keyword."""
    try:
        own = inspect.signature(read.lookup(row["name"])).parameters.values()
    except (KeyError, ValueError, TypeError, AttributeError):
        return []
    return [p.name for p in own if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]


def other_axes(read, row: dict, chance: random.Random) -> bool:
    leaves = arrays_of(read, row)
    takes = parameters(read, row)
    wanted = [name for name in ("axis", "keepdims") if name in takes and takes.index(name) >= len(row["args"])]
    wanted += [name for name in row["kwargs"] if name in ("axis", "keepdims") and name not in wanted]
    if not leaves or not wanted:
        return False
    rank = len(leaves[0]["array"]["shape"])
    name = chance.choice(wanted)
    choices = [True, False] if name == "keepdims" else [*range(-rank, rank), None, {"tuple": list(range(min(2, rank)))}]
    row["kwargs"][name] = chance.choice(choices)
    return True


def by_keyword(read, row: dict, chance: random.Random) -> bool:
    takes = parameters(read, row)
    if len(row["args"]) < 2 or len(takes) < len(row["args"]) or row["name"].startswith("array."):
        return False
    kept = chance.randrange(1, len(row["args"]))
    row["kwargs"] = {**dict(zip(takes[kept:], row["args"][kept:])), **row["kwargs"]}
    row["args"] = row["args"][:kept]
    return True


def by_position(read, row: dict, chance: random.Random) -> bool:
    takes = parameters(read, row)
    at = len(row["args"])
    if at >= len(takes) or takes[at] not in row["kwargs"]:
        return False
    while at < len(takes) and takes[at] in row["kwargs"]:
        row["args"].append(row["kwargs"].pop(takes[at]))
        at += 1
    return True


def without_keyword(read, row: dict, chance: random.Random) -> bool:
    if not row["kwargs"]:
        return False
    del row["kwargs"][chance.choice(sorted(row["kwargs"]))]
    return True


# ---- results --------------------------------------------------------------------------------------------------------
def recorded(read, variants: list[dict]) -> list[dict]:
    done = []
    signal.signal(signal.SIGALRM, too_long)
    warnings.simplefilter("ignore")
    for x64 in (False, True):
        jax.config.update("jax_enable_x64", x64)
        for at, row in enumerate(variants):
            if at % 200 == 0:
                jax.clear_caches()
            if row["x64"] != x64:
                continue
            signal.alarm(SECONDS_A_ROW)
            try:
                row["out"] = encoded(read.run(row))
            except Exception:  # what JAX refuses, or gives as what rows have no form for, is no row
                continue
            finally:
                signal.alarm(0)
            done.append(row)
    return done


def too_long(*_) -> None:
    raise TimeoutError


def array(value: np.ndarray, name: str = "") -> dict:
    name = name or value.dtype.name
    shape = list(value.shape)
    return {"dtype": name, "shape": shape, "data": base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()}


def encoded(value):
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"float": value if np.isfinite(value) else str(value)}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, list):
        return [encoded(x) for x in value]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {"tree": type(value).__name__, "fields": {name: encoded(getattr(value, name)) for name in value._fields}}
    if isinstance(value, tuple):
        return {"tuple": [encoded(x) for x in value]}
    if isinstance(value, dict):
        return {"dict": {name: encoded(x) for name, x in value.items()}}
    if isinstance(value, np.dtype):
        return {"dtype": value.name}
    if isinstance(value, jax.Array) and jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key):
        data = np.asarray(jax.random.key_data(value))
        impl = str(jax.random.key_impl(value))
        return {"key": {"impl": impl, "shape": list(value.shape), "data": {"array": array(data)}}}
    if isinstance(value, jax.Array):
        out = {"array": array(np.asarray(value))}
        return {**out, "weak": True} if value.weak_type else out
    if isinstance(value, (np.ndarray, np.generic)):
        return {"array": array(np.asarray(value)), "np": 1}
    raise ValueError(f"no form for {type(value)}")


if __name__ == "__main__":
    main()
