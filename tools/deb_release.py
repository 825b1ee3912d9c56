#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and tests the packages on a fresh Debian: make deb RELEASE=trixie.

In one chroot of the release the Debian packages of the current commit are built, and lintian checks them. In another,
which has no sources, they are installed, their tests run, the server's unit on a booted systemd; then they are purged.
There too the wheels of BUILD/wheel are installed, run under Python, C++ and JAX, and uninstalled. Nothing may be left.

Needs root, debootstrap, systemd-nspawn and the network. The packages are in BUILD/RELEASE/packages. Ends with
"N passed, N failed"."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import deb  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
INSTALL = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-q", "-y", "--no-install-recommends")
FOR_BUILD = ("build-essential", "debhelper", "lintian")
# What the tests of the packages depend on, and the users of wheels.
FOR_USE = ("g++", "cmake", "make", "pkgconf", "python3-venv", "python3-numpy", "systemd", "systemd-sysv", "dbus")
INSTALLED = ("libhilo", "hilo-tools", "python3-hilo")  # the beginnings of names of packages; the first has three
# Runs the test once systemd is up, and ends the system.
UNIT = """\
[Unit]
SuccessAction=poweroff
FailureAction=poweroff
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'if /tests/unit; then echo passed; else echo failed; fi > /result 2>&1'
[Install]
WantedBy=multi-user.target
"""
BOOT_SECONDS = 120
MACHINE = "isolation-machine"  # a restriction of tests that need a booted system
JAX_PROGRAM = """
import jax, jax.numpy as jnp
slope = jax.jit(jax.grad(lambda x: jnp.sum(x * x)))(jnp.arange(3.0))
print("hilo" in jax.devices()[0].client.platform_version, slope)
"""
FROM_PYPI = ("numpy", "scipy-openblas32", "jax", "jaxlib")
PIP_INSTALL = ("/opt/venv/bin/pip", "install", "-q", "--no-index", "--find-links", "/packages")
BUILD_BY_WHEEL = """
export PKG_CONFIG_PATH=$(/opt/venv/bin/python -m hilo pkg-config-dir) JAX_PLATFORM_NAME=Host HILO_CACHE=off
g++ /tests/outside.cc -o /tmp/outside $(pkg-config --cflags --libs hilo) && /tmp/outside
"""
# Folders of packages of any kind, and what the system writes while it runs.
NOT_COMPARED = ("/proc", "/sys", "/dev", "/run", "/tmp", "/var/tmp", "/var/lib/apt", "/var/lib/dpkg", "/var/cache",
                "/var/log", "/var/lib/systemd", "/etc/.updated", "/var/.updated", "/root/.cache/pip", "/tests", "/packages")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", help="bookworm or trixie")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--no-build", action="store_true", help="use the packages of an earlier run")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        print("deb_release: debootstrap and systemd-nspawn need root. Hint: sudo", file=sys.stderr)
        return 2
    place = Place(arguments.release, arguments.build.resolve(), arguments.jobs)
    cases = [] if arguments.no_build else [packages_are_built, lintian_finds_no_error]
    cases += [packages_install, tests_of_the_packages_pass, server_is_a_unit, packages_leave_nothing,
              wheel_runs_in_python, wheel_builds_a_program, wheel_runs_under_jax, wheels_leave_nothing]
    failed = sum(not passes(case, place) for case in cases)
    if not failed:
        place.remove_chroots()
    print(f"{len(cases) - failed} passed, {failed} failed")
    return int(failed != 0)


def passes(case, place: "Place") -> bool:
    print(f"{case.__name__} ...", file=sys.stderr, flush=True)
    started = time.monotonic()
    try:
        case(place)
    except (AssertionError, subprocess.SubprocessError) as error:
        said = [getattr(error, stream, None) or "" for stream in ("stdout", "stderr")]
        print("\n".join([f"failed {case.__name__}: {error}", *(text[-4000:] for text in said)]), flush=True)
        return False
    print(f"passed {case.__name__}, {time.monotonic() - started:.0f} s", flush=True)
    return True


class Place:
    """The chroots: `base` is as debootstrap leaves it, `maker` builds, `user` installs."""

    def __init__(self, release: str, build: pathlib.Path, jobs: int):
        self.build, self.jobs = build, jobs
        self.folder = build / release
        self.packages = self.folder / "packages"
        self.base, self.maker, self.user = (self.folder / name for name in ("base", "maker", "user"))
        self.remove_chroots()
        if not self.base.exists():
            unfinished = self.folder / "unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            call("debootstrap", "--variant=minbase", release, unfinished)
            unfinished.rename(self.base)

    def remove_chroots(self) -> None:
        for root in (self.maker, self.user):
            shutil.rmtree(root, ignore_errors=True)

    def copy(self, root: pathlib.Path, packages: tuple[str, ...]) -> None:
        """Makes a chroot with packages of the release."""
        call("cp", "-a", "--reflink=auto", self.base, root)
        shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
        inside(root, "apt-get", "update", "-q")
        inside(root, *INSTALL, *packages)

    def installed(self) -> list[str]:
        """Returns the packages that users install, as files of the chroot."""
        names = sorted(path.name for path in self.packages.glob("*.deb") if path.name.startswith(INSTALLED))
        assert len(names) == 5, names
        return [f"/packages/{name}" for name in names]


def packages_are_built(place):
    shutil.rmtree(place.packages, ignore_errors=True)
    place.copy(place.maker, FOR_BUILD)
    tree = place.maker / "packages" / f"hilo-{deb.version()}"
    deb.write_tree(tree)
    inside(place.maker, "apt-get", "build-dep", "-q", "-y", "--no-install-recommends", f"/packages/{tree.name}")
    variables = (f"SOURCE_DATE_EPOCH={deb.commit_time()}", f"DEB_BUILD_OPTIONS=parallel={place.jobs}")
    inside(place.maker, "env", *variables, "dpkg-buildpackage", "--unsigned-source", "--unsigned-changes",
           folder=f"/packages/{tree.name}")
    place.packages.mkdir(parents=True)
    for path in (place.maker / "packages").iterdir():
        if path.is_file():
            shutil.copy(path, place.packages)


def lintian_finds_no_error(place):
    changes = next(place.packages.glob("*.changes"))
    print(inside(place.maker, "lintian", "--allow-root", "--fail-on", "error", f"/packages/{changes.name}"), end="")


def packages_install(place):
    place.copy(place.user, FOR_USE)
    (place.user / "packages").mkdir()
    for path in [*place.packages.glob("*.deb"), *(place.build / "wheel").glob("*.whl")]:
        shutil.copy(path, place.user / "packages")
    shutil.copytree(ROOT / "packaging" / "debian" / "tests", place.user / "tests")
    shutil.copy(ROOT / "tests" / "wheel" / "outside.cc", place.user / "tests")
    inside(place.user, *INSTALL, *place.installed())
    purge(place)  # what they depend on stays
    place.before = files(place.user)
    inside(place.user, *INSTALL, *place.installed())


def tests_of_the_packages_pass(place):
    for name, restrictions in package_tests((place.user / "tests" / "control").read_text()):
        if MACHINE not in restrictions:
            inside(place.user, "sh", "-c", f'AUTOPKGTEST_TMP=$(mktemp -d) /tests/{name}')


def package_tests(control: str) -> list[tuple[str, str]]:
    """Returns (name, restrictions) of each test in debian/tests/control."""
    return re.findall(r"^Tests: (\S+)\n(?:.*\n)*?Restrictions: (.*)$", control, re.M)


def server_is_a_unit(place):
    (place.user / "etc/systemd/system/once.service").write_text(UNIT)
    inside(place.user, "systemctl", "enable", "once")
    said = container(place.user, "--boot", timeout=BOOT_SECONDS)
    result = place.user / "result"
    assert result.exists() and result.read_text().endswith("passed\n"), result.read_text() if result.exists() else said
    inside(place.user, "systemctl", "disable", "once")
    (place.user / "etc/systemd/system/once.service").unlink()
    result.unlink()
    inside(place.user, "rm", "-r", "/etc/hilo")  # the administrator's token


def packages_leave_nothing(place):
    purge(place)
    assert_nothing_is_left(place)


def wheel_runs_in_python(place):
    download_wheels(place)
    inside(place.user, "python3", "-m", "venv", "/opt/venv")
    inside(place.user, *PIP_INSTALL, "hilo")
    test = (place.user / "tests" / "python").read_text().replace("python3", "/opt/venv/bin/python")
    inside(place.user, "sh", "-c", f"AUTOPKGTEST_TMP=$(mktemp -d)\n{test}")


def download_wheels(place) -> None:
    """Downloads what the wheels depend on, for the chroot's Python, outside: the chroot may have no way to PyPI."""
    version = inside(place.user, "python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])").split()[0]
    call(sys.executable, "-m", "pip", "download", "-q", "--only-binary=:all:", "--python-version", version,
         "--dest", place.user / "packages", *FROM_PYPI)


def wheel_builds_a_program(place):
    said = inside(place.user, "sh", "-c", BUILD_BY_WHEEL)
    assert said == "INVALID_ARGUMENT, 0 in flight, slope 12\n", said


def wheel_runs_under_jax(place):
    inside(place.user, *PIP_INSTALL, "jax-hilo")
    said = inside(place.user, "env", "HILO_CACHE=off", "/opt/venv/bin/python", "-c", JAX_PROGRAM)
    assert said == "True [0. 2. 4.]\n", said


def wheels_leave_nothing(place):
    inside(place.user, "/opt/venv/bin/pip", "uninstall", "-q", "-y", "hilo", "jax-hilo")
    left = [str(path) for path in (place.user / "opt/venv").rglob("*hilo*") if "philox" not in path.name]
    assert not left, left
    shutil.rmtree(place.user / "opt/venv")
    assert_nothing_is_left(place)


def purge(place) -> None:
    names = [name.partition("_")[0].removeprefix("/packages/") for name in place.installed()]
    inside(place.user, "apt-get", "purge", "-q", "-y", *names)


def assert_nothing_is_left(place) -> None:
    left = sorted(files(place.user) - place.before)
    assert not left, "left behind:\n" + "\n".join(left)


def files(root: pathlib.Path) -> set[str]:
    """Returns the files and folders of a chroot, except those of NOT_COMPARED."""
    found = set()
    for folder, folders, names in os.walk(root):
        inner = "/" + str(pathlib.Path(folder).relative_to(root)).removeprefix(".")
        folders[:] = [name for name in folders if os.path.join(inner, name) not in NOT_COMPARED]
        found |= {os.path.join(inner, name) for name in folders + names} - set(NOT_COMPARED)
    return found


def inside(root: pathlib.Path, *command, folder: str = "/") -> str:
    return container(root, "--pipe", "--chdir", folder, *command)


def container(root: pathlib.Path, *arguments, timeout: float | None = None) -> str:
    """Runs systemd-nspawn without systemd's registry of machines, which containers of a build service lack."""
    return call("systemd-nspawn", "-q", "--register=no", "--keep-unit", "--setenv=HOME=/root", "-D", root, *arguments,
                timeout=timeout)


def call(*command, timeout: float | None = None) -> str:
    return subprocess.run(list(map(str, command)), check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", timeout=timeout).stdout


if __name__ == "__main__":
    sys.exit(main())
