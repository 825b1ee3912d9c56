#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_includes.py [ROOT] -- checks which folders include which library, and limits the number of files that include
the heaviest headers."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sources  # noqa: E402

# library: (prefixes of its headers, folders of src/hilo that may include it)
HOMES = {
    "LLVM": (("llvm/", "llvm-c/"), ("backend",)),
    "protobuf": (("google/protobuf/",), ("hlo/proto", "rpc")),
    "gRPC": (("grpc/", "grpcpp/"), ("rpc",)),
    "PJRT": (("xla/pjrt/", "pjrt_c_api"), ("pjrt", "pjrt_abi")),
}
# A file with LLJIT compiles in 6 to 10 s and takes up to 1.1 GB.
MAX_FILES = 3
HEAVY = {
    "LLJIT": ("llvm/ExecutionEngine/Orc/LLJIT.h",),
    "PassBuilder": ("llvm/Passes/PassBuilder.h",),
    "protobuf": ("google/protobuf/",),
}


def check(root: pathlib.Path) -> list[str]:
    violations, payers = [], {heavy: set() for heavy in HEAVY}
    for path in sources.code(root, "src", "tests", "tools", "examples", "bench"):
        for line, _, included in sources.includes(root / path):
            for library, (prefixes, homes) in HOMES.items():
                if included.startswith(prefixes) and not lives_in(path, homes):
                    where = ", ".join(f"src/hilo/{home}" for home in homes)
                    violations.append(f"{path}:{line}: {included}: {library} is included only under {where}")
            for heavy, prefixes in HEAVY.items():
                if included.startswith(prefixes):
                    payers[heavy].add(path.as_posix())
    for heavy, files in payers.items():
        if len(files) > MAX_FILES:
            violations.append(f"{heavy}: {len(files)} files include it; wanted at most {MAX_FILES}; got "
                              + ", ".join(sorted(files)))
    return violations


def lives_in(path: pathlib.Path, homes: tuple[str, ...]) -> bool:
    return any(path.is_relative_to(top) for home in homes for top in (f"src/hilo/{home}", f"tests/{home}", f"bench/{home}"))


if __name__ == "__main__":
    sys.exit(sources.finish(check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))))
