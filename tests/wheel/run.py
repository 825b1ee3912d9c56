#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the wheels of a build, installs `hilo` with pip in a fresh environment, and uses each of its parts there as a new
user. Compiles nothing of hilo itself.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import ROOT, argument_parser, run_each  # noqa: E402
from system_numpy import use_numpy  # noqa: E402

OUTSIDE = pathlib.Path(__file__).resolve().parent
WANTED = "INVALID_ARGUMENT, 0 in flight, slope 12\n"
PYTHON_PROGRAM = """
import hilo, numpy
square = hilo.parse('''HloModule square

ENTRY main {
  x = f64[3] parameter(0)
  ROOT y = f64[3] multiply(x, x)
}
''')
print(square.compile()(numpy.arange(3.0)))
"""
# A Python without the environment's and the shell's paths.
PATHS = ("HILO_", "JAX_", "PYTHON", "PKG_CONFIG", "CMAKE_", "LD_LIBRARY_PATH", "CPATH", "LIBRARY_PATH")
WITHOUT_PATHS = {name: value for name, value in os.environ.items() if not name.startswith(PATHS)}


def main() -> int:
    build = argument_parser(__doc__).parse_args().build.resolve()
    with tempfile.TemporaryDirectory(prefix="hilo_wheel_test_") as folder:
        place = Place(build, pathlib.Path(folder))
        return run_each((pip_installs_one_for_all_pythons, no_file_names_the_source_folder, command_runs,
                         python_module_runs, cmake_builds_without_boost, pkg_config_builds_in_one_line,
                         folders_are_printed, uninstall_leaves_nothing), lambda case: case(place))


class Place:
    """The folder of the test, with the wheels and the environment."""

    def __init__(self, build: pathlib.Path, folder: pathlib.Path):
        self.build, self.folder = build, folder
        self.environment = folder / "venv"
        self.python = self.environment / "bin" / "python"

    def wheel(self, name: str) -> pathlib.Path:
        return next((self.folder / "wheels").glob(f"{name}-*.whl"))

    def prefix(self) -> pathlib.Path:
        return next(self.environment.glob("lib/*/site-packages/hilo"))

    def printed(self, name: str) -> str:
        return run(self.python, "-m", "hilo", name).strip()


def run(*command, status: int = 0, **options) -> str:
    options.setdefault("env", WITHOUT_PATHS)
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)
    assert done.returncode == status, f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}"
    return done.stdout


def pip_installs_one_for_all_pythons(place):
    """NumPy is the system's."""
    run(sys.executable, ROOT / "tools" / "wheel.py", "--build", place.build, "--out", place.folder / "wheels", env=os.environ)
    assert "-py3-none-manylinux_2_28_x86_64" in place.wheel("hilo").name, place.wheel("hilo")
    run(sys.executable, "-m", "venv", "--system-site-packages", place.environment)
    run(place.python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", place.wheel("hilo"))
    assert not [path for path in place.prefix().rglob("*") if path.is_symlink()]


def no_file_names_the_source_folder(place):
    """Nor do compiled files: messages and CMake's files have relative paths."""
    names = [path for path in place.prefix().rglob("*") if path.is_file() and str(ROOT).encode() in path.read_bytes()]
    assert not names, names


def command_runs(place):
    said = run(place.environment / "bin" / "hilo", "--version")
    assert f"hilo {version()}" in said, said
    run(place.environment / "bin" / "hilo", "nothing", status=2)
    assert (place.environment / "share/man/man1/hilo.1").exists(), "no man page"


def python_module_runs(place):
    said = run(place.python, "-c", PYTHON_PROGRAM, env={**WITHOUT_PATHS, "JAX_PLATFORM_NAME": "Host"}, cwd=place.folder)
    assert said == "[0. 1. 4.]\n", said


def cmake_builds_without_boost(place):
    project = place.folder / "project"
    shutil.copytree(OUTSIDE, project, ignore=shutil.ignore_patterns("run.py", "__pycache__"))
    page = (ROOT / "docs/c_api.md").read_text()
    text, wanted = (re.search(rf"^```{language}\n(.*?)^```$", page, re.M | re.S)[1] for language in ("c", "text"))
    (project / "main.c").write_text(text)
    shutil.copy(ROOT / "tests/objects/page/pendulum.jax", project)
    run("cmake", "-S", project, "-B", project / "build", f"-Dhilo_DIR={place.printed('cmake-dir')}",
        "-DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    assert f"{place.prefix()}/third_party" in (project / "build/compile_commands.json").read_text(), "Boost isn't the wheel's"
    run("cmake", "--build", project / "build")
    environment = {**WITHOUT_PATHS, "JAX_PLATFORM_NAME": "Host", "HILO_CACHE": "off"}
    said = run(project / "build" / "outside", env=environment)
    assert said == WANTED, said
    said = run(project / "build" / "in_c", env=environment, cwd=project)
    assert said == wanted, said


def pkg_config_builds_in_one_line(place):
    folder = place.printed("pkg-config-dir")
    environment = {**WITHOUT_PATHS, "PKG_CONFIG_PATH": folder, "JAX_PLATFORM_NAME": "Host", "HILO_CACHE": "off"}
    flags = run("pkg-config", "--cflags", "--libs", "hilo", env=environment).split()
    run(os.environ.get("CXX", "g++"), OUTSIDE / "outside.cc", "-o", place.folder / "outside", *flags)
    said = run(place.folder / "outside", env=environment)
    assert said == WANTED, said


def folders_are_printed(place):
    assert pathlib.Path(place.printed("prefix")) == place.prefix()
    assert "pkg-config-dir" in run(place.python, "-m", "hilo", status=2)


def uninstall_leaves_nothing(place):
    run(place.python, "-m", "pip", "uninstall", "-q", "-y", "hilo")
    left = [path for path in place.environment.rglob("*hilo*")]
    assert not left, left


def version() -> str:
    return re.search(r"project\(hilo VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


if __name__ == "__main__":
    use_numpy()
    sys.exit(main())
