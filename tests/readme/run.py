#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows README.md as a new user.

Installs hilo, compiles the first program by the page's g++ line and by its CMakeLists.txt, and compares the output with
the page. Then compiles the other C++ blocks inside that program and runs the commands on the results. Also checks that
docs/command.md lists all subcommands, and only existing options.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import ROOT, argument_parser, run_each  # noqa: E402
from page_programs import difference  # noqa: E402

PAGE = (ROOT / "README.md").read_text()
MAX_LINES, MAX_ROWS = 120, 12  # of the page, and of its table of pages


def main() -> int:
    build = argument_parser(__doc__).parse_args().build.resolve()
    with tempfile.TemporaryDirectory(prefix="hilo_readme_") as folder:
        place = pathlib.Path(folder)
        return run_each((it_is_short, installs, the_line_of_gxx_compiles_the_program, cmake_compiles_the_program,
                         the_other_programs_compile_and_run, the_commands_run,
                         the_page_of_the_command_has_its_subcommands_and_options),
                        lambda case: case(place=place, build=build))


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)```$", PAGE, re.S | re.M)


def run(command: str, place: pathlib.Path) -> str:
    """Runs a command by a shell, with the environment that `make install` asks the user to set."""
    prefix = place / "prefix"
    environment = {**os.environ, "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig", "CMAKE_PREFIX_PATH": str(prefix), "HILO_CACHE": "off",
                   "LD_LIBRARY_PATH": f"{prefix}/lib", "PATH": f"{prefix}/bin:{os.environ['PATH']}", "HILO_PLATFORM": "Host"}
    done = subprocess.run(["sh", "-e", "-c", command], cwd=place, env=environment, text=True, capture_output=True)
    assert done.returncode == 0, f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def expect_output(got: str):
    wanted = re.search(r"It prints\n\n```\n(.*?)```", PAGE, re.S)[1]
    problem = difference(got, wanted)
    assert problem is None, problem


def it_is_short(**_):
    assert len(PAGE.splitlines()) <= MAX_LINES, f"README.md has {len(PAGE.splitlines())} lines; at most {MAX_LINES}"
    rows = [line for line in PAGE.partition("## Read on")[2].splitlines() if line.startswith("| ")]
    assert 2 < len(rows) <= MAX_ROWS + 1, f"the table of pages has {len(rows) - 1} rows; at most {MAX_ROWS}"


def installs(place, build):
    run(f"cmake --install '{build}' --prefix '{place}/prefix'", place)


def the_line_of_gxx_compiles_the_program(place, **_):
    (place / "first.cc").write_text(blocks("cpp")[0])
    expect_output(run(blocks("sh")[0], place))


def cmake_compiles_the_program(place, **_):
    project = place / "project"
    project.mkdir()
    (project / "first.cc").write_text(blocks("cpp")[0])
    (project / "CMakeLists.txt").write_text(blocks("cmake")[0])
    run("cmake -S project -B project/build && cmake --build project/build", place)
    expect_output(run("project/build/first", place))


def the_other_programs_compile_and_run(place, **_):
    """At the end of the first program's main."""
    first, *others = blocks("cpp")
    assert others, "README.md has one program only"
    headers = "".join(f"#include {name}\n" for other in others for name in re.findall(r'#include ("[^"]+")', other))
    end = first.rindex("}")
    (place / "first.cc").write_text(headers + first[:end] + "".join(others) + first[end:])
    run(blocks("sh")[0], place)


def the_commands_run(place, **_):
    _, *sessions = blocks("sh")
    assert sessions, "README.md shows no commands"
    for session in sessions:
        run(session, place)


def the_page_of_the_command_has_its_subcommands_and_options(place, **_):
    page = (ROOT / "docs" / "command.md").read_text()
    shown = re.findall(r"(?:^|\()hilo (\w+)([^#\n]*)", page, re.M)
    subcommands = set(re.findall(r"^  (\w+) ", run("hilo --help", place).partition("Subcommands:")[2], re.M))
    assert subcommands == {name for name, _ in shown}, f"docs/command.md lacks or invents {subcommands ^ {name for name, _ in shown}}"
    for name, rest in shown:
        described = run(f"hilo {name} --help", place)
        missing = [option for option in re.findall(r"--[\w-]+", rest) if option not in described]
        assert not missing, f"hilo {name} --help has no {missing}"


if __name__ == "__main__":
    sys.exit(main())
