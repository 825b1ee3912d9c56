#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Creates a project with `hilo new`, builds it against the build tree and runs it.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import argument_parser, run_each  # noqa: E402


def main() -> int:
    arguments = argument_parser(__doc__).parse_args()
    hilo = arguments.build.resolve() / "bin" / "hilo"

    def run_in_folder(case):
        with tempfile.TemporaryDirectory(prefix="hilo_new_") as scratch:
            case(hilo, pathlib.Path(scratch), arguments.jobs)

    return run_each((a_new_project_builds_and_learns, a_folder_with_files_is_left_alone, odd_names_are_refused),
                    run_in_folder)


def run(*command, cwd=None, status=0) -> str:
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          cwd=cwd)
    assert done.returncode == status, f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}"
    return done.stdout


def a_new_project_builds_and_learns(hilo, scratch, jobs):
    said = run(hilo, "new", "sine", cwd=scratch)
    assert "cmake -S sine -B sine/build" in said, said
    run("cmake", "-S", "sine", "-B", "sine/build", cwd=scratch)
    run("cmake", "--build", "sine/build", "-j", jobs, cwd=scratch)
    assert list((scratch / "sine/build").rglob("cmake_pch.hxx.gch")), "hilo_precompile compiled no header"
    printed = run(scratch / "sine/build/sine", cwd=scratch)
    losses = [float(loss) for loss in re.findall(r"loss (\S+)", printed)]
    assert len(losses) == 5 and losses[-1] < 0.01, printed
    assert ".hidden.kernel" in printed, printed
    assert (scratch / "params.safetensors").exists(), "no checkpoint"


def a_folder_with_files_is_left_alone(hilo, scratch, jobs):
    (scratch / "project").mkdir()
    (scratch / "project" / "notes").write_text("mine")
    said = run(hilo, "new", scratch / "project", status=1)
    assert "the folder isn't empty" in said, said
    assert [path.name for path in (scratch / "project").iterdir()] == ["notes"]


def odd_names_are_refused(hilo, scratch, jobs):
    for name in ("2d", "a b", "all", "hilo", "x-y", "/"):
        said = run(hilo, "new", name, cwd=scratch, status=1)
        assert "is not a valid project name" in said, said
    assert not list(scratch.iterdir())
    run(hilo, "new", status=2)


if __name__ == "__main__":
    sys.exit(main())
