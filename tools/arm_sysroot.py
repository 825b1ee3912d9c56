#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""arm_sysroot.py FOLDER -- fills FOLDER with the libraries of hilo's build and tests for AArch64, from the distribution's
own sources of packages. The system's packages and its list of architectures stay as they are.

Downloads 180 MB into FOLDER, which takes 1.3 GB. Does nothing if FOLDER has the packages of tools/packages.txt.
"""

import os
import pathlib
import re
import subprocess
import sys

import generate_docs

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARIES = "usr/lib/aarch64-linux-gnu"
NOT_IN_ARM = ("libgrpc++-dev", "libprotobuf-dev")  # the backend xrt isn't built
FOR_TESTS = ("libmpfr-dev", "libgtest-dev")
UNUSED = ("doc", "man", "locale")


def packages(listed, codename):
    """The libraries of tools/packages.txt, by their names in a release."""
    others = {name: other for name, releases, other in generate_docs.other_names(listed) if codename in releases}
    names = [package.name for package in generate_docs.read_packages(listed)
             if package.name in FOR_TESTS
             or (package.group == "build" and package.part != "tool" and package.name not in NOT_IN_ARM)]
    return [others.get(name, name) for name in names]


def apt(folder, *arguments):
    """Runs apt-get as if FOLDER were an AArch64 system without packages."""
    state = folder / "apt"
    for name in ("state/lists/partial", "cache/archives/partial"):
        (state / name).mkdir(parents=True, exist_ok=True)
    (state / "state/status").touch()
    options = {"Dir::State": state / "state", "Dir::State::status": state / "state/status", "Dir::Cache": state / "cache",
               "Dir::Etc::Parts": "/nonexistent", "APT::Architecture": "arm64", "APT::Architectures::": "arm64",
               "APT::Sandbox::User": "", "Debug::NoLocking": "1"}
    settings = [word for key, value in options.items() for word in ("-o", f"{key}={value}")]
    done = subprocess.run(["apt-get", *settings, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{done.stdout[-2000:]}\narm_sysroot.py: apt-get {arguments[0]} failed for arm64")


def unpack(folder):
    """Unpacks the downloaded packages. Debian's folders lib, bin and sbin are links."""
    for name in ("lib", "bin", "sbin"):
        (folder / "usr" / name).mkdir(parents=True, exist_ok=True)
        if not (folder / name).exists():
            (folder / name).symlink_to(f"usr/{name}")
    leave_out = [f"--exclude=./usr/share/{name}" for name in UNUSED]
    for package in sorted((folder / "apt/cache/archives").glob("*.deb")):
        content = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "--keep-directory-symlink", "--no-same-owner", *leave_out, "-C", folder],
                       stdin=content.stdout, check=True)
        if content.wait() != 0:
            sys.exit(f"arm_sysroot.py: dpkg-deb can't read {package}")
        package.unlink()


def relocate(folder):
    """Lets absolute links and the paths in CMake's files name files of FOLDER."""
    for parent, folders, files in os.walk(folder / "usr"):
        for path in (pathlib.Path(parent, name) for name in folders + files):
            if path.is_symlink() and os.readlink(path).startswith("/"):
                target = folder / os.readlink(path)[1:]
                path.unlink()
                path.symlink_to(os.path.relpath(target, path.parent))
    for path in (folder / "usr/lib").rglob("*.cmake"):
        text = path.read_text()
        changed = re.sub(rf'(?<=[;"])/{LIBRARIES}', str(folder / LIBRARIES), text)
        if changed != text:
            path.write_text(changed)


def link_alternatives(folder):
    """What update-alternatives does on a system."""
    link = folder / LIBRARIES / "libopenblas.so.0"
    if not link.exists():
        link.symlink_to("openblas-pthread/libopenblas.so.0")


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    release = pathlib.Path(os.environ.get("HILO_OS_RELEASE", "/etc/os-release")).read_text()
    codename = re.search(r'^VERSION_CODENAME="?(\w+)', release, re.M)
    names = packages((ROOT / "tools" / "packages.txt").read_text(), codename[1] if codename else "")
    there = folder / "packages"
    if there.exists() and there.read_text().split() == names:
        return 0
    print(f"downloading libraries for AArch64 into {folder}", flush=True)
    apt(folder, "update")
    apt(folder, "install", "--download-only", "--no-install-recommends", "-y", *names)
    unpack(folder)
    relocate(folder)
    link_alternatives(folder)
    there.write_text("\n".join(names) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
