#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds outside projects against an installed hilo and against its source tree, runs them, uninstalls.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUTSIDE = pathlib.Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="hilo_install_") as scratch:
        scratch = pathlib.Path(scratch)
        prefix = scratch / "outer" / "prefix"
        context = {"build": arguments.build, "jobs": arguments.jobs, "scratch": scratch, "prefix": prefix}
        for case in (installs, find_package_builds_and_runs, pkg_config_builds_and_runs,
                     runs_where_it_is_opened_later, installed_command_runs,
                     add_subdirectory_leaves_flags_alone, install_twice_leaves_no_old_file,
                     uninstall_leaves_nothing, uninstall_keeps_what_others_installed):
            try:
                case(**context)
                print(f"passed {case.__name__}", flush=True)
            except (AssertionError, OSError) as error:
                failed += 1
                print(f"{error}\nfailed {case.__name__}", flush=True)
    return 1 if failed else 0


def run(*command, **options) -> str:
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}"
    return done.stdout


def install(build, prefix):
    return run(sys.executable, ROOT / "tools" / "install.py", "install", "--build", build, "--prefix", prefix)


def uninstall(prefix):
    return run(sys.executable, ROOT / "tools" / "install.py", "uninstall", "--prefix", prefix)


def installs(build, prefix, **_):
    install(build, prefix)
    assert (prefix / "include/hilo/version.h").exists(), "no hilo/version.h"
    cpu = list(prefix.glob("include/hilo/backend/cpu/*"))
    assert not cpu, f"the engine's own headers are installed: {cpu}"


def find_package_builds_and_runs(prefix, scratch, jobs, **_):
    tree = scratch / "find_package"
    run("cmake", "-G", "Ninja", "-S", OUTSIDE / "find_package", "-B", tree, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("ninja", "-C", tree, "-j", jobs)
    expect_version(run(tree / "outside"))


def pkg_config_builds_and_runs(prefix, scratch, **_):
    environment = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "hilo", env=environment).split()
    program = scratch / "by_pkg_config"
    run("g++", OUTSIDE / "outside.cc", "-o", program, *flags)
    expect_version(run(program, env={**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib")}))


def runs_where_it_is_opened_later(prefix, scratch, **_):
    """A program that has never heard of hilo opens a library that brings it, and threads of both compute."""
    environment = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "hilo", env=environment).split()
    plugin, opener = scratch / "libplugin.so", scratch / "opener"
    run("g++", "-shared", "-fPIC", OUTSIDE / "plugin.cc", "-o", plugin, *flags)
    run("g++", OUTSIDE / "opener.cc", "-o", opener)
    text = run(opener, plugin, env={**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib"), "JAX_PLATFORM_NAME": "Host"})
    assert text == "number 52\n", text


def installed_command_runs(prefix, build, **_):
    if (build / "bin" / "hilo").exists():
        expect_version(run(prefix / "bin" / "hilo", "--version"))


def add_subdirectory_leaves_flags_alone(scratch, **_):
    """Configures only: compiling all of hilo once more would double the test's time. compile_commands.json has it all."""
    tree = scratch / "subdirectory"
    run("cmake", "-G", "Ninja", "-S", OUTSIDE / "subdirectory", "-B", tree, f"-DHILO_SOURCE={ROOT}")


def install_twice_leaves_no_old_file(build, prefix, **_):
    manifest = prefix / "share/hilo/installed.txt"
    stale = prefix / "include/hilo/gone.h"
    stale.write_text("")
    manifest.write_text(manifest.read_text() + "file include/hilo/gone.h\n")
    install(build, prefix)
    assert not stale.exists(), "a file of the older version is still there"


def uninstall_leaves_nothing(prefix, **_):
    uninstall(prefix)
    left = list(prefix.rglob("*")) if prefix.exists() else []
    assert not left and not prefix.exists(), f"left behind: {left or prefix}"


def uninstall_keeps_what_others_installed(build, prefix, **_):
    (prefix / "lib").mkdir(parents=True)
    (prefix / "lib" / "other.so").write_text("")
    (prefix / "share").mkdir()
    install(build, prefix)
    uninstall(prefix)
    left = sorted(path.relative_to(prefix).as_posix() for path in prefix.rglob("*"))
    assert left == ["lib", "lib/other.so", "share"], left


def expect_version(text: str):
    version = next(line.split()[2] for line in (ROOT / "CMakeLists.txt").read_text().splitlines()
                   if line.startswith("project(hilo VERSION "))
    assert version in text, f"got {text!r}; wanted the version {version}"


if __name__ == "__main__":
    sys.exit(main())
