# SPDX-License-Identifier: Apache-2.0
"""Lists the files of the project, and their includes."""

import pathlib
import re
import subprocess

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
CODE = (".cc", ".h", ".inc")
NOT_OURS = ("build", "demo", ".git", ".cache", ".venv")


def files(root: pathlib.Path) -> list[pathlib.Path]:
    """Returns all files of the project, relative to root: tracked and untracked ones that git doesn't ignore; outside a
    clone, all except build trees."""
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if done.returncode == 0:
        found = [pathlib.Path(name) for name in done.stdout.split("\0") if name]
    else:
        found = [path.relative_to(root) for path in root.rglob("*") if path.is_file()]
        found = [path for path in found if not path.parts[0].startswith(NOT_OURS)]
    return sorted(path for path in found if (root / path).is_file())


def code(root: pathlib.Path, *folders: str) -> list[pathlib.Path]:
    """Returns C++ files in these folders."""
    return [path for path in files(root) if path.suffix in CODE and path.parts[0] in folders]


def ends_of_paths(root: pathlib.Path) -> set[str]:
    """Returns every file's name with any number of its folders: "a.cc", "hlo/a.cc", ..."""
    parts = [path.parts for path in files(root)]
    return {"/".join(names[k:]) for names in parts for k in range(len(names))}


def includes(path: pathlib.Path) -> list[tuple[int, str, str]]:
    """Returns (line number, '<' or '"', name) of each #include."""
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := INCLUDE.match(line):
            found.append((number, match[1], match[2]))
    return found


def finish(violations: list[str]) -> int:
    """Prints each violation; returns the exit status of a check."""
    for violation in violations:
        print(violation)
    return 1 if violations else 0
