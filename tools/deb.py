#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the Debian packages of the current commit: a copy of its sources with packaging/debian as debian/, then
dpkg-buildpackage and lintian, whose errors fail. The packages are in BUILD/deb.

--source-only writes only the source package, for a clean chroot: sbuild -d bookworm BUILD/deb/hilo_*.dsc."""

import argparse
import email.utils
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import generate_docs  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_FOR_PACKAGES = ("ccache", "g++", "python3-venv")  # an accelerator, a part of build-essential, a tool of the tests
CHANGELOG = """hilo ({version}) unstable; urgency=medium

  * hilo {version}: CHANGELOG.md lists its parts.

 -- {maintainer}  {date}
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--source-only", action="store_true")
    arguments = parser.parse_args()
    out = arguments.build.resolve() / "deb"
    shutil.rmtree(out, ignore_errors=True)
    tree = out / f"hilo-{version()}"
    write_tree(tree)
    if arguments.source_only:
        run("dpkg-source", "--build", tree.name, cwd=out)
        return 0
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(commit_time()), "DEB_BUILD_OPTIONS": f"parallel={arguments.jobs}"}
    run("dpkg-buildpackage", "--unsigned-source", "--unsigned-changes", cwd=tree, env=environment)
    return subprocess.run(["lintian", "--fail-on", "error", *map(str, out.glob("*.changes"))]).returncode


def write_tree(tree: pathlib.Path) -> None:
    """Writes the sources of the commit with debian/, whose version, date and build dependencies are those of the
    project."""
    tree.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-x", "-C", tree], input=archive, check=True)
    debian = tree / "debian"
    shutil.copytree(tree / "packaging" / "debian", debian)
    control = (debian / "control").read_text().replace("@BUILD_DEPENDS@", ", ".join(build_depends()))
    (debian / "control").write_text(control)
    maintainer = re.search(r"^Maintainer: (.*)$", control, re.M)[1]
    date = email.utils.formatdate(commit_time())
    (debian / "changelog").write_text(CHANGELOG.format(version=version(), maintainer=maintainer, date=date))
    unit = (tree / "tools" / "serve" / "hilo-serve.service").read_text()
    (debian / "hilo-tools.hilo-serve.service").write_text(unit.replace("/usr/local/bin/", "/usr/bin/"))


def build_depends() -> list[str]:
    """Returns the packages of group `build` (tools/packages.txt), with their names in later releases."""
    listed = (ROOT / "tools" / "packages.txt").read_text()
    others = {name: other for name, _, other in generate_docs.other_names(listed)}
    names = [package.name for package in generate_docs.read_packages(listed)
             if package.group == "build" and package.name not in NOT_FOR_PACKAGES and is_for_the_build(package)]
    return [f"{name} | {others[name]}" if name in others else name for name in names]


def is_for_the_build(package: generate_docs.Package) -> bool:
    """Libraries that are only opened at run time aren't."""
    return package.part != "opened" or package.name.endswith("-dev")


def version() -> str:
    return re.search(r"project\(hilo VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def commit_time() -> int:
    return int(subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], check=True, stdout=subprocess.PIPE, text=True).stdout)


def run(*command, **options) -> None:
    print(" ".join(command), flush=True)
    subprocess.run(command, check=True, **options)


if __name__ == "__main__":
    sys.exit(main())
