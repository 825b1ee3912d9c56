#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs hilo in each way of docs/installing.md, builds outside projects as a new user, runs them, and uninstalls.

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

OUTSIDE = pathlib.Path(__file__).resolve().parent
WITHOUT_PATHS = {key: value for key, value in os.environ.items()
                 if key not in ("LD_LIBRARY_PATH", "PKG_CONFIG_PATH", "CMAKE_PREFIX_PATH", "MAKEFLAGS", "MFLAGS")}
# Of hilo's own sources as part of another project, compiled for real: no more is needed to see that they would.
SAMPLE = ("unity/hilo/0/hilo/io/0.cc", "src/hilo/backend/cpu/library/fft/short_lines_avx2.cc")


def main() -> int:
    arguments = argument_parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory(prefix="hilo_install_") as scratch:
        scratch = pathlib.Path(scratch)
        prefix = scratch / "outer" / "prefix"
        context = {"build": arguments.build.resolve(), "jobs": arguments.jobs, "scratch": scratch, "prefix": prefix}
        return run_each((make_install_says_how_to_go_on, installed_headers_include_what_is_installed,
                         pkg_config_builds_and_runs, programs_in_c_build_and_run, one_line_builds_and_runs,
                         runs_where_it_is_opened_later, companions_are_opened_when_they_are_needed,
                         companions_may_be_in_a_folder_of_their_version, installed_command_runs,
                         find_package_builds_and_runs_where_the_prefix_was_moved,
                         fetch_content_leaves_both_projects_alone, install_twice_leaves_no_old_file,
                         uninstall_leaves_nothing, cmake_install_is_uninstalled_too, a_staged_install_is_whole,
                         uninstall_keeps_what_others_installed, a_prefix_without_rights_is_refused),
                        lambda case: case(**context))


def run(*command, status=0, **options) -> str:
    options.setdefault("env", WITHOUT_PATHS)
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)
    assert done.returncode == status, f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}"
    return done.stdout


def make(target, build, prefix, **options) -> str:
    """`make install` of what is built: -o, since the tests don't build."""
    return run("make", "-C", ROOT, "--no-print-directory", "-o", "build", target, f"BUILD={build}", f"PREFIX={prefix}",
               **options)


def make_install_says_how_to_go_on(build, prefix, **_):
    said = make("install", build, prefix)
    assert (prefix / "include/hilo/version.h").exists(), "no hilo/version.h"
    cpu = list(prefix.glob("include/hilo/backend/cpu/*"))
    assert not cpu, f"the engine's own headers are installed: {cpu}"
    assert f"PKG_CONFIG_PATH={prefix}/lib/pkgconfig" in said and f"-DCMAKE_PREFIX_PATH={prefix}" in said, said


def installed_headers_include_what_is_installed(prefix, **_):
    missing = set()
    for header in (prefix / "include").rglob("*.h"):
        for name in re.findall(r'#\s*include "(hilo/[^"]+)"', header.read_text()):
            if not (prefix / "include" / name).exists():
                missing.add(f"{header.relative_to(prefix)} includes {name}")
    assert not missing, sorted(missing)


def pkg_config_flags(prefix) -> list[str]:
    environment = {**WITHOUT_PATHS, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    return run("pkg-config", "--cflags", "--libs", "hilo", env=environment).split()


def pkg_config_builds_and_runs(prefix, scratch, **_):
    """The line that `make install` says; without LD_LIBRARY_PATH."""
    run("g++", OUTSIDE / "first.cc", "-o", scratch / "by_pkg_config", *pkg_config_flags(prefix))
    expect_slope(run(scratch / "by_pkg_config"))


def programs_in_c_build_and_run(prefix, scratch, **_):
    """The program of docs/c_api.md by its command, and by CMake in a project without C++."""
    folder = scratch / "in_c"
    folder.mkdir()
    page = (ROOT / "docs/c_api.md").read_text()
    text, commands, wanted = (re.search(rf"^```{language}\n(.*?)^```$", page, re.M | re.S)[1] for language in ("c", "sh", "text"))
    (folder / "main.c").write_text(text)
    shutil.copy(ROOT / "tests/objects/page/pendulum.jax", folder)
    environment = {**WITHOUT_PATHS, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig"), "JAX_PLATFORM_NAME": "Host"}
    said = run("sh", "-ec", commands, cwd=folder, env=environment)
    assert said == wanted, said
    (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(in_c C)\nfind_package(hilo REQUIRED)\n"
                                           "add_executable(by_cmake main.c)\ntarget_link_libraries(by_cmake hilo::c)\n")
    run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder / "build")
    said = run(folder / "build" / "by_cmake", cwd=folder, env=environment)
    assert said == wanted, said


def one_line_builds_and_runs(prefix, scratch, **_):
    run("g++", "-std=c++20", OUTSIDE / "outside.cc", f"-I{prefix}/include", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-lhilo",
        "-o", scratch / "by_hand")
    expect_version(run(scratch / "by_hand"))


def runs_where_it_is_opened_later(prefix, scratch, **_):
    """A program that has never heard of hilo opens a library that brings it, and threads of both compute."""
    plugin, opener = scratch / "libplugin.so", scratch / "opener"
    run("g++", "-shared", "-fPIC", OUTSIDE / "plugin.cc", "-o", plugin, *pkg_config_flags(prefix))
    run("g++", OUTSIDE / "opener.cc", "-o", opener)
    text = run(opener, plugin, env={**WITHOUT_PATHS, "JAX_PLATFORM_NAME": "Host"})
    assert text == "number 52\n", text


def companions_are_opened_when_they_are_needed(prefix, scratch, **_):
    """The code generator where nothing has compiled the program before; inspection for a profile; never a server's
    client or MPI."""
    def opened(**variables) -> set[str]:
        said = run(scratch / "by_pkg_config", env={**WITHOUT_PATHS, "LD_DEBUG": "files", "JAX_PLATFORM_NAME": "Host", **variables})
        return set(re.findall(r"calling init: .*/libhilo_(\w+)\.so", said))
    cache = str(scratch / "cache")
    for variables, wanted in (({"HILO_CACHE": "off"}, {"codegen"}), ({"HILO_CACHE": cache}, {"codegen"}), ({"HILO_CACHE": cache}, set()),
                              ({"HILO_CACHE": cache, "JAX_HLO_PROFILE": "1"}, {"codegen", "inspect"})):
        got = opened(**variables)
        assert got == wanted, f"{variables}: got {got}; wanted {wanted}"


def companions_may_be_in_a_folder_of_their_version(prefix, scratch, **_):
    """As in Debian's packages, of which several versions may be installed."""
    version = re.search(r"libhilo\.so\.(\d+\.\d+)$", "\n".join(str(path) for path in (prefix / "lib").iterdir()), re.M)[1]
    folder = prefix / "lib" / f"hilo-{version}"
    folder.mkdir()
    (prefix / "lib/libhilo_codegen.so").rename(folder / "libhilo_codegen.so")
    try:
        expect_slope(run(scratch / "by_pkg_config", env={**WITHOUT_PATHS, "HILO_CACHE": "off"}))
    finally:
        (folder / "libhilo_codegen.so").rename(prefix / "lib/libhilo_codegen.so")
        folder.rmdir()


def installed_command_runs(prefix, scratch, **_):
    """And the project that it makes finds this prefix. tests/new_project builds one."""
    expect_version(run(prefix / "bin" / "hilo", "--version"))
    run(prefix / "bin" / "hilo", "new", scratch / "mine")
    run("cmake", "-G", "Ninja", "-S", scratch / "mine", "-B", scratch / "mine" / "build")
    cache = (scratch / "mine" / "build" / "CMakeCache.txt").read_text()
    assert f"hilo_DIR:PATH={prefix}/lib/cmake/hilo" in cache, cache


def find_package_builds_and_runs_where_the_prefix_was_moved(prefix, scratch, jobs, **_):
    """Also where the name has a space. Then it is moved back."""
    moved, tree = scratch / "moved to", scratch / "find_package"
    prefix.rename(moved)
    try:
        run("cmake", "-G", "Ninja", "-S", OUTSIDE / "find_package", "-B", tree, f"-DCMAKE_PREFIX_PATH={moved}")
        run("ninja", "-C", tree, "-j", jobs)
        expect_version(run(tree / "outside"))
        expect_slope(run(tree / "first"))
    finally:
        moved.rename(prefix)


def fetch_content_leaves_both_projects_alone(scratch, build, jobs, **_):
    """Compiles the outside programs and some of hilo's sources, and links what is built: all of hilo would take
    minutes."""
    tree = scratch / "fetch_content"
    configured = run("cmake", "-G", "Ninja", "-S", OUTSIDE / "fetch_content", "-B", tree, f"-DHILO_SOURCE={ROOT}",
                     "-DCMAKE_CXX_COMPILER_LAUNCHER=")
    assert "hilo: CMAKE_BUILD_TYPE is empty" in configured, configured
    hilo = tree / "_deps" / "hilo-build"
    objects = [f"_deps/hilo-build/CMakeFiles/hilo.dir/{name}.o" for name in SAMPLE]
    planned = run("ninja", "-C", tree, "-n", "-v")
    for line in planned.splitlines():
        if "hilo.dir/" in line and " -c " in line:
            assert " -w " in line and "-fvisibility=hidden" not in line and "-flto" not in line and "-std=c++20" in line, line
    assert "hilo_pjrt.dir" not in planned and "hilo_rpc.dir" not in planned, "what nobody links is built"
    run("ninja", "-C", tree, "-j", jobs, *objects, "CMakeFiles/outside.dir/Unity/unity_0_cxx.cxx.o",
        "CMakeFiles/first.dir/Unity/unity_0_cxx.cxx.o")
    for library in (*(build / "lib").glob("libhilo.so*"), build / "lib" / "libhilo_codegen.so"):
        shutil.copy(library, hilo / library.name, follow_symlinks=False)
    for program in ("outside", "first"):
        link = run("ninja", "-C", tree, "-t", "commands", "-s", program).strip()
        run("sh", "-c", link, cwd=tree)
    expect_version(run(tree / "outside"))
    expect_slope(run(tree / "first"))


def install_twice_leaves_no_old_file(build, prefix, **_):
    manifest = prefix / "share/hilo/installed.txt"
    stale = prefix / "include/hilo/gone.h"
    stale.write_text("")
    manifest.write_text(manifest.read_text() + "file include/hilo/gone.h\n")
    make("install", build, prefix)
    assert not stale.exists(), "a file of the older version is still there"


def uninstall_leaves_nothing(build, prefix, **_):
    make("uninstall", build, prefix)
    expect_nothing(prefix)
    said = make("uninstall", build, prefix, status=2)
    assert "hilo is not installed under" in said, said


def cmake_install_is_uninstalled_too(build, prefix, **_):
    run("cmake", "--install", build, "--prefix", prefix)
    run("cmake", "-P", prefix / "share/hilo/uninstall.cmake")
    expect_nothing(prefix)


def a_staged_install_is_whole(build, scratch, **_):
    """As packages are made: DESTDIR is no part of any path."""
    stage = scratch / "stage"
    run("cmake", "--install", build, "--prefix", "/usr", "--strip", env={**WITHOUT_PATHS, "DESTDIR": str(stage)})
    listed = (stage / "usr/share/hilo/installed.txt").read_text().splitlines()
    missing = [line for line in listed if line.startswith("file ") and not os.path.lexists(stage / "usr" / line[5:])]
    assert not missing and len(listed) > 100, missing
    assert str(stage) not in "".join(path.read_text() for path in stage.rglob("*.cmake")), "the stage is in the package"
    run("cmake", "-P", stage / "usr/share/hilo/uninstall.cmake")
    expect_nothing(stage / "usr")


def uninstall_keeps_what_others_installed(build, prefix, **_):
    (prefix / "lib").mkdir(parents=True)
    (prefix / "lib" / "other.so").write_text("")
    (prefix / "share").mkdir()
    make("install", build, prefix)
    (prefix / "include/hilo/mine.h").write_text("")
    make("uninstall", build, prefix)
    left = sorted(path.relative_to(prefix).as_posix() for path in prefix.rglob("*"))
    assert left == ["include", "include/hilo", "include/hilo/mine.h", "lib", "lib/other.so", "share"], left


def a_prefix_without_rights_is_refused(build, **_):
    """In one sentence. Root can't write to /proc either."""
    said = make("install", build, "/proc/hilo", status=2)
    assert "cannot write under /proc/hilo. Hint: " in said and "CMake" not in said, said


def expect_nothing(prefix: pathlib.Path):
    left = list(prefix.rglob("*")) if prefix.exists() else []
    assert not left and not prefix.exists(), f"left behind: {left or prefix}"


def expect_slope(text: str):
    """After what hilo says on stderr where it looks for a GPU."""
    assert text.endswith("slope 12\n"), text


def expect_version(text: str):
    version = next(line.split()[2] for line in (ROOT / "CMakeLists.txt").read_text().splitlines()
                   if line.startswith("project(hilo VERSION "))
    assert version in text, f"got {text!r}; wanted the version {version}"


if __name__ == "__main__":
    sys.exit(main())
