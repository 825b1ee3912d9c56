#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_layers.py [ROOT] -- checks that includes go down only. This file is the map of
docs/contributing/architecture.md as a table.

A folder may include the folders in its row, and transitively those of their rows, except through a seam: a folder that
includes `client` sees client's headers, not the engine below. Every folder may include `base` and `types`.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sources  # noqa: E402

LAYERS = {
    "base": (),
    "types": ("base",),
    "hlo/ir": ("types",),
    "hlo/ops": ("hlo/ir",),
    "hlo/ops/ext": ("hlo/build",),
    "hlo/text": ("hlo/ops",),
    "hlo/proto": ("hlo/text",),
    "hlo/build": ("hlo/ops",),
    "hlo/verify": ("hlo/ops",),
    "hlo/eval": ("hlo/ops",),
    "hlo/rewrite": ("hlo/build", "hlo/eval"),
    "hlo/passes": ("hlo/rewrite", "hlo/verify", "hlo/ops/ext"),
    "hlo/sharding": ("hlo/ops/ext",),
    "hlo/partition": ("hlo/passes", "hlo/sharding"),
    "hlo/buckets": ("hlo/partition",),
    "hlo/cost": ("hlo/passes",),
    "stablehlo/tree": (),
    "stablehlo/text": ("stablehlo/tree",),
    "stablehlo/bytecode": ("stablehlo/tree",),
    "stablehlo/devices": ("stablehlo/text", "hlo/sharding", "hlo/proto"),
    "stablehlo/translate": ("stablehlo/devices", "hlo/build", "hlo/text"),
    "stablehlo/write": ("stablehlo/translate",),
    "stablehlo": ("stablehlo/bytecode", "stablehlo/write"),
    "device": ("hlo/ir",),
    "backend": ("device", "hlo/ops"),
    "backend/host": ("backend", "hlo/text"),
    "engine": ("hlo/passes", "hlo/partition", "hlo/text", "device"),
    "backend/cpu/load": ("backend/cpu/library", "hlo/proto"),
    "backend/cpu/abi": ("hlo/ir",),
    "backend/cpu/runtime": ("backend/cpu/abi", "hlo/ops"),
    "backend/cpu/library": ("backend/cpu/runtime", "backend/host", "engine"),
    "backend/cpu/emit": ("backend/cpu/load",),
    "backend/cpu/aarch64": ("backend/cpu/emit",),
    "backend/cpu/object": ("backend/cpu/emit", "hlo/cost"),
    "backend/cpu/codegen": ("backend/cpu/object",),
    "backend/cpu": ("backend/cpu/load",),
    "backend/cuda": ("backend", "engine"),
    "pjrt_abi": (),
    "backend/pjrt": ("backend/cuda", "backend/host", "hlo/passes", "hlo/proto", "io", "stablehlo", "pjrt_abi"),
    "backend/reference": ("backend/host", "hlo/eval", "hlo/cost"),
    "replica": ("device",),
    "replica/mpi": ("replica",),
    "rpc": ("device", "hlo/proto"),
    "rpc/service": ("rpc", "backend/host"),
    "rpc/worker": ("rpc/service", "client"),
    "rpc/server": ("rpc/worker",),
    "rpc/client": ("rpc", "client", "backend/host"),
    "rpc/command": ("rpc/server", "rpc/client"),
    "rpc/grpc": ("rpc/server", "rpc/client"),
    "client": ("backend", "replica", "stablehlo", "hlo/text", "hlo/proto", "hlo/cost"),
    "inspect/bisect": ("hlo/eval",),
    "inspect/dumps": ("inspect/graph", "hlo/proto"),
    "inspect/explain": ("client", "backend/cpu/load", "inspect/graph"),
    "inspect/graph": ("device", "hlo/text", "hlo/cost"),
    "inspect/profile": ("inspect/graph",),
    "inspect/simulate": ("hlo/cost", "hlo/partition"),
    "inspect": ("client", "inspect/dumps", "inspect/profile"),
    "pjrt": ("client", "backend/host", "stablehlo", "hlo/partition", "hlo/text", "hlo/proto", "pjrt_abi"),
    "array": ("device", "client"),
    "trace": ("array", "hlo/build"),
    "mesh": ("trace", "hlo/partition"),
    "tree": ("mesh",),
    "transform": ("tree", "hlo/passes", "hlo/ops/ext", "hlo/buckets"),
    "lax": ("transform", "hlo/ops/ext"),
    "rules": ("lax",),
    "import": ("transform", "hlo/passes", "stablehlo", "hlo/proto"),
    "c": ("import", "client", "backend/cpu/load"),
    "numpy": ("lax", "io"),
    "random": ("numpy",),
    "linalg": ("numpy",),
    "fft": ("numpy",),
    "scipy": ("linalg", "fft", "random"),
    "nn": ("random",),
    "image": ("numpy",),
    "segment": ("numpy",),
    "optim": ("nn", "scipy"),
    "io": ("types",),
    "training": ("random", "io"),
}
# Folders through which a walk goes down: their headers, from the top. A file includes none of those above its own,
# which it includes first.
WALKS = {"backend/cpu/emit/region": ("region", "loop_forms", "reducer", "loop", "nodes", "index", "state", "facts",
                                     "node_traits", "interleave")}
ANYWHERE = ("base", "types")
SEAMS = ("client",)
# The one file that names every tenant of device/.
FILE_EXTRAS = {"client/platforms.cc": ("backend/cpu", "backend/cuda", "backend/host", "backend/pjrt", "backend/reference")}
# Lists without code, expanded where a name is needed: headers that users reach may include them.
LISTS = ("hlo/ir/elementwise.inc", "hlo/ir/extensions.inc")
# Headers in C, for users and for the files that implement them; they include nothing of hilo.
C_HEADERS = ("hilo/ffi.h", "hilo/lapack_ffi.h", "hilo/c/hilo.h")
GENERATED = ("hilo/version.h", "hilo/xrt/v1/xrt.grpc.pb.h")
# What a header that users reach may include in addition to hilo and the standard library.
PUBLIC_SYSTEM = ("boost/pfr",)


def closure(folder: str) -> set[str]:
    """Returns the folders that `folder` may include."""
    allowed, pending = {folder, *ANYWHERE}, list(LAYERS[folder])
    while pending:
        name = pending.pop()
        if name not in allowed or name == folder:
            allowed.add(name)
            if name not in SEAMS:
                pending += LAYERS[name]
    return allowed


def folder_of(path: str) -> str | None:
    """Returns the table's row for a path such as "backend/cpu/emit/dot.cc": the longest matching prefix."""
    rows = [row for row in LAYERS if path.startswith(row + "/")]
    return max(rows, key=len, default=None)


def check(root: pathlib.Path) -> list[str]:
    violations = []
    base = root / "src" / "hilo"
    for path in sources.code(root, "src"):
        name = path.relative_to("src/hilo").as_posix() if path.is_relative_to("src/hilo") else path.as_posix()
        shown = path.relative_to("src").as_posix()
        if not is_umbrella(shown) and shown not in C_HEADERS:
            violations += check_file(root / path, path.as_posix(), name)
    violations += check_public_headers(base)
    return violations


def is_umbrella(header: str) -> bool:
    """hilo/hilo.h, hilo/core.h, hilo/nn.h: headers next to the folders are for users, and include the headers in
    them."""
    return header.startswith("hilo/") and header.count("/") == 1 and header not in GENERATED + C_HEADERS


def check_file(path: pathlib.Path, shown: str, name: str) -> list[str]:
    folder = folder_of(name)
    if folder is None:
        return [f"{shown}: its folder is in no layer. Hint: add a row to tools/check_layers.py"]
    allowed = closure(folder) | set(FILE_EXTRAS.get(name, ()))
    violations = []
    for line, kind, included in sources.includes(path):
        if is_umbrella(included):
            violations.append(f"{shown}:{line}: {included} is for users; include what you use")
        elif included.startswith("hilo/") and included not in GENERATED + C_HEADERS:
            target = folder_of(included.removeprefix("hilo/"))
            if target not in allowed:
                violations.append(f"{shown}:{line}: {folder} may not include {included} (of {target})")
    return violations + check_own_header_first(path, shown, name) + check_walk(path, shown, name.rpartition("/")[0])


def check_walk(path: pathlib.Path, shown: str, folder: str) -> list[str]:
    if folder not in WALKS:
        return []
    heights = {f"hilo/{folder}/{room}.h": place for place, room in enumerate(WALKS[folder])}
    if path.suffix == ".h" and path.stem not in WALKS[folder]:
        return [f"{shown}: is in no place of the walk through {folder}. Hint: add it to WALKS in tools/check_layers.py"]
    rooms = [(line, included) for line, _, included in sources.includes(path) if included in heights]
    own = heights.get(f"hilo/{folder}/{path.stem}.h", heights[rooms[0][1]] if rooms else 0)
    return [f"{shown}:{line}: the walk through {folder} goes down, and {included} is above this file" for line, included in rooms
            if heights[included] < own]


def check_own_header_first(path: pathlib.Path, shown: str, name: str) -> list[str]:
    if path.suffix != ".cc" or not path.with_suffix(".h").exists():
        return []
    own = "hilo/" + name.removesuffix(".cc") + ".h"
    found = sources.includes(path)
    if found and found[0][2] == own:
        return []
    return [f"{shown}: includes {found[0][2] if found else 'nothing'} first; wanted its own header, {own}"]


def check_public_headers(base: pathlib.Path) -> list[str]:
    """Headers reachable from hilo.h include only the standard library, PFR and hilo, and nothing of hlo/ or
    backend/cpu."""
    violations, seen, pending = [], set(), ["hilo/hilo.h"]
    while pending:
        name = pending.pop()
        path = base.parent / name
        if name in seen or not path.exists():
            continue
        seen.add(name)
        for line, kind, included in sources.includes(path):
            where = f"src/{name}:{line}"
            if included.startswith("hilo/"):
                pending.append(included)
                if included.startswith(("hilo/hlo/", "hilo/backend/cpu/")) and included.removeprefix("hilo/") not in LISTS:
                    violations.append(f"{where}: users reach this header from hilo.h; it may not include {included}")
            elif ("/" in included or included.endswith(".h")) and not included.startswith(PUBLIC_SYSTEM):
                violations.append(f"{where}: users reach this header from hilo.h; it may not include <{included}>")
    return violations


if __name__ == "__main__":
    sys.exit(sources.finish(check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))))
