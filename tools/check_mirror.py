#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_mirror.py [ROOT] [--list] -- checks that tests mirror sources.

The tests of src/hilo/A/B.cc, or of a header without such a file that defines functions, are tests/A/B_test.cc, or a
table tests/A/B.cases or B.hlo, or tables in a folder tests/A/B. At least LEAST percent of the sources have tests. Files
for several instruction sets (B_avx2.cc, B_sse2.cc) are one source, B. Each test file outside of the folders in SPECIAL
mirrors a source, as B_test.cc or B_TOPIC_test.cc. --list prints the percentage of each folder and its sources without
tests.
"""

import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sources  # noqa: E402

LEAST = 61
# Folders of tests/ whose tests are about no single source.
SPECIAL = ("adbench", "allocations", "alone", "buckets", "efforts", "examples", "gradbench", "hostile_costs",
           "linked_lapack", "manners", "moved_reductions", "out_of_memory", "programs", "random_programs", "robotics",
           "status", "stopped", "threads")
INSTRUCTION_SET = re.compile(r"_(?:sse2|avx2|avx512|avx512vnni|avx512bf16|avxvnni|amx)$")
FUNCTION = re.compile(r"^[^/\n]*\)(?: const)?(?: noexcept)?(?: -> [^{;]*)? \{", re.M)


def main() -> int:
    root = pathlib.Path(next((word for word in sys.argv[1:] if word != "--list"), "."))
    if "--list" in sys.argv:
        print_list(root)
        return 0
    return sources.finish(check(root))


def check(root: pathlib.Path, least: int = LEAST) -> list[str]:
    violations = [f"{path}: mirrors no file of src/hilo, and its folder is not in SPECIAL of tools/check_mirror.py"
                  for path in strays(root)]
    mirrored = has_tests(root)
    count = sum(mirrored.values())
    if 100 * count < least * len(mirrored):
        violations.append(f"{count} of {len(mirrored)} sources have tests at their path; wanted {least} %")
    return violations


def has_tests(root: pathlib.Path) -> dict[pathlib.Path, bool]:
    """For each source, without "src/hilo" and its suffix."""
    tests = {path.relative_to("tests") for path in sources.files(root) if path.parts[0] == "tests"}
    folders = {path.parent for path in tests if path.suffix in (".cases", ".hlo")}
    return {stem: bool({stem.with_name(stem.name + end) for end in ("_test.cc", ".cases", ".hlo")} & tests) or stem in folders
            for stem in with_functions(root)}


def with_functions(root: pathlib.Path) -> list[pathlib.Path]:
    """Sources that need tests."""
    files = [path for path in sources.code(root, "src") if path.is_relative_to("src/hilo")]
    bodies = {path.with_suffix("") for path in files if path.suffix == ".cc"}
    headers = {path.with_suffix("") for path in files
               if path.suffix == ".h" and FUNCTION.search((root / path).read_text())}
    return sorted({without_set(path.relative_to("src/hilo")) for path in bodies | headers})


def without_set(stem: pathlib.Path) -> pathlib.Path:
    return stem.with_name(INSTRUCTION_SET.sub("", stem.name))


def strays(root: pathlib.Path) -> list[pathlib.Path]:
    """Test files that mirror no source."""
    stems = {path.relative_to("src/hilo").with_suffix("") for path in sources.code(root, "src") if path.is_relative_to("src/hilo")}
    stems |= {without_set(stem) for stem in stems}
    found = []
    for path in sources.files(root):
        is_test = path.name.endswith("_test.cc") or path.suffix == ".cases"
        if path.parts[0] != "tests" or not is_test or path.parts[1] in SPECIAL:
            continue
        words = path.name.removesuffix("_test.cc").removesuffix(".cases").split("_")
        names = {"_".join(words[:k]) for k in range(1, len(words) + 1)}
        folder = path.parent.relative_to("tests")
        if not any(folder / name in stems for name in names):
            found.append(path)
    return found


def print_list(root: pathlib.Path) -> None:
    folders = collections.defaultdict(list)
    for stem, tested in has_tests(root).items():
        folders[stem.parent].append((stem.name, tested))
    for folder, entries in sorted(folders.items()):
        missing = [name for name, tested in entries if not tested]
        print(f"{folder.as_posix():36} {len(entries) - len(missing):4} of {len(entries):4}  {' '.join(missing)}")
    tested = [entry[1] for entries in folders.values() for entry in entries]
    print(f"all: {sum(tested)} of {len(tested)}, {100 * sum(tested) / len(tested):.1f} %")


if __name__ == "__main__":
    sys.exit(main())
