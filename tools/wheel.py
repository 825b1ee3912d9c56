#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes two wheels from python/ and a build. `hilo`: the libraries, the command, headers, files for CMake and pkg-config,
and the Python module. `jax-hilo`: libhilo_pjrt.so and the package that registers it with JAX; it depends on `hilo`.
Compiles and downloads nothing. Format: PEP 427; the tag is PEP 600's."""

import argparse
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import old_libstdcxx  # noqa: E402
import sbom  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLUGIN = pathlib.Path("jax_plugins/hilo")
LARGEST = 60e6
OLDEST_GLIBC = (2, 28)
# The newest versions of symbols that a system of the tag has: of glibc and of GCC's libraries.
NEWEST_SYMBOLS = {"GLIBC": OLDEST_GLIBC, "GCC": (7, 0, 0), **old_libstdcxx.NEWEST}
# The libraries that each Linux with this glibc has: PEP 600's list, as far as hilo needs it.
EVERYWHERE = ("libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libgcc_s.so", "libstdc++.so", "libz.so")
# Opened for a server's devices only: gRPC, 57 libraries, is the system's; an error names what is missing.
FROM_THE_SYSTEM = "libhilo_grpc.so"
NEEDED_SYMBOL = re.compile(r"\*UND\*.*?\(?(GLIBC|GCC|GLIBCXX|CXXABI)_([\d.]+)\)?\s+(\S+)")
LIBRARY = re.compile(r"libhilo\.so\.[\d.]+")
HILO_METADATA = """\
Metadata-Version: 2.1
Name: hilo
Version: {version}
Summary: JAX and XLA in C++: programs in HLO and StableHLO, and a library for C++, C and Python
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy
Requires-Dist: scipy-openblas32
Provides-Extra: narrow
Requires-Dist: ml_dtypes; extra == "narrow"
"""
JAX_METADATA = """\
Metadata-Version: 2.1
Name: jax-hilo
Version: {version}
Summary: JAX on hilo's engine: a PJRT plugin for CPUs
License: Apache-2.0
Requires-Python: >=3.11
Requires-Dist: hilo=={version}
Requires-Dist: jax>={oldest}
Requires-Dist: jaxlib>={oldest}
"""
ENTRY_POINTS = "[jax_plugins]\nhilo = jax_plugins.hilo\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: hilo tools/wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n"
# `hilo` of an environment: finds the command without importing the package, which would import NumPy.
SCRIPT = """\
#!python
import importlib.util
import os
import sys

command = os.path.join(os.path.dirname(importlib.util.find_spec("hilo").origin), "bin", "hilo")
os.execv(command, [command, *sys.argv[1:]])
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--out", type=pathlib.Path, help="the output folder (default: BUILD/wheel)")
    parser.add_argument("--check", action="store_true", help="only check that the build has all files, for the oldest glibc")
    arguments = parser.parse_args()
    out, too_large = arguments.out or arguments.build / "wheel", False
    with tempfile.TemporaryDirectory(prefix="hilo_wheel_") as stage:
        try:
            packages = collect(arguments.build, pathlib.Path(stage))
            for name, files in {} if arguments.check else packages.items():
                wheel = write_wheel(name, files, out)
                size = wheel.stat().st_size
                print(f"{wheel}: {size / 1e6:.1f} MB")
                too_large |= size > LARGEST
        except (OSError, subprocess.CalledProcessError, ValueError) as error:
            print(f"wheel: {error}", file=sys.stderr)
            return 1
    if too_large:
        print(f"wheel: larger than {LARGEST / 1e6:.0f} MB", file=sys.stderr)
    return int(too_large)


def collect(build: pathlib.Path, stage: pathlib.Path) -> dict[str, dict[str, bytes]]:
    """Returns the contents of each wheel except its RECORD: name of the wheel -> name in it -> bytes."""
    compiled, installed = stage / "compiled", stage / "installed"
    output("cmake", "--install", build, "--component", "wheel", "--prefix", compiled)
    output("cmake", "--install", build, "--prefix", installed)
    plugin = compiled / PLUGIN / "libhilo_pjrt.so"
    if not plugin.exists():
        raise ValueError(f"{build} has no libhilo_pjrt.so. Hint: make wheel builds it")
    binaries = [path for path in sorted(compiled.rglob("*")) if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    check_libraries(binaries)
    tag = f"py3-none-{platform_tag(binaries)}"
    return {"hilo": hilo_files(compiled, installed) | records("hilo", tag, HILO_METADATA),
            "jax_hilo": {str(PLUGIN / plugin.name): plugin.read_bytes(), **sources(PLUGIN)} |
            records("jax_hilo", tag, JAX_METADATA, {"entry_points.txt": ENTRY_POINTS})}


def hilo_files(compiled: pathlib.Path, installed: pathlib.Path) -> dict[str, bytes]:
    """Returns the files of the package `hilo`. A wheel has no links: the library is one file with its SONAME, and
    libhilo.so, by which -lhilo finds it, is a script of the linker."""
    files = {f"hilo/{name}": data for name, data in tree(installed, ("include", "lib*/**/cmake", "lib*/**/pkgconfig")).items()}
    files |= {f"hilo/{path.relative_to(installed)}": path.read_bytes() for path in installed.glob("lib*/**/*.a")}
    files |= tree(compiled, ("hilo",)) | sources(pathlib.Path("hilo"))
    library = next(name for name in files if LIBRARY.fullmatch(pathlib.Path(name).name))
    soname, folder = pathlib.Path(library).name, pathlib.Path(library).parent
    files[str(folder / "libhilo.so")] = f"INPUT(-l:{soname})\n".encode()
    for name in files:
        if re.search(r"/hiloTargets-\w+\.cmake$", name):
            files[name] = LIBRARY.sub(soname, files[name].decode()).encode()
        elif name.endswith("/hilo.pc"):
            files[name] = re.sub(r"^(Cflags:.*)$", r"\1 -idirafter ${prefix}/third_party", files[name].decode(), flags=re.M).encode()
    data = f"hilo-{version()}.data"
    pages = tree(installed, ("share/man", "share/bash-completion", "share/fish"))
    files |= {f"{data}/data/{name}": content for name, content in pages.items()}
    return files | {f"{data}/scripts/hilo": SCRIPT.encode()}


def tree(root: pathlib.Path, patterns: tuple[str, ...]) -> dict[str, bytes]:
    """Returns all files under the folders of these patterns: name under the root -> bytes."""
    paths = [path for pattern in patterns for folder in root.glob(pattern) for path in sorted(folder.rglob("*"))]
    return {str(path.relative_to(root)): path.read_bytes() for path in paths if path.is_file()}


def sources(package: pathlib.Path) -> dict[str, bytes]:
    folder = ROOT / "python" / package
    return {str(package / path.name): path.read_bytes() for path in sorted(folder.iterdir()) if path.suffix in (".py", ".typed")}


def records(name: str, tag: str, metadata: str, more: dict[str, str] | None = None) -> dict[str, bytes]:
    """Returns the files of the folder dist-info, with the licences of all that is compiled in."""
    texts = {"METADATA": metadata.format(version=version(), oldest=oldest_jaxlib()), "WHEEL": WHEEL.format(tag=tag), **(more or {})}
    files = {name: text.encode() for name, text in texts.items()}
    files |= {f"licenses/{name}": (ROOT / name).read_bytes() for name in ("LICENSE", "THIRD_PARTY.md")}
    for package, part, _ in sbom.product_parts():
        licence = pathlib.Path("/usr/share/doc") / package / "copyright"
        if part in ("inside", "linked", "headers") and licence.exists():
            files[f"licenses/{package}/copyright"] = licence.read_bytes()
    return {f"{name}-{version()}.dist-info/{path}": data for path, data in files.items()}


def check_libraries(binaries: list[pathlib.Path]) -> None:
    """Raises ValueError if one needs a library that not every system has."""
    for path in binaries:
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", path))
        foreign = [name for name in needed if not name.startswith((*EVERYWHERE, "libhilo", "ld-linux"))]
        if foreign and path.name != FROM_THE_SYSTEM:
            raise ValueError(f"{path.name} needs {', '.join(foreign)}, which not every system has")


def platform_tag(libraries) -> str:
    """Returns PEP 600's tag for OLDEST_GLIBC. Raises ValueError with the symbols for which a library needs a newer
    system."""
    newer = {}
    for path in libraries:
        if path.name == FROM_THE_SYSTEM:
            continue
        for family, found, symbol in NEEDED_SYMBOL.findall(output("objdump", "-T", path)):
            if old_libstdcxx.numbers(found) > NEWEST_SYMBOLS[family]:
                newer.setdefault(path.name, []).append(f"{symbol} of {family} {found}")
    if newer:
        wanted = ".".join(map(str, OLDEST_GLIBC))
        raise ValueError("; ".join(f"{name} needs {', '.join(symbols)}" for name, symbols in newer.items()) +
                         f"; wanted a system with glibc {wanted}. Hint: packaging/oldest_glibc.cc, tools/old_libstdcxx.py")
    return "manylinux_{}_{}_x86_64".format(*OLDEST_GLIBC)


def output(*command) -> str:
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout


def version() -> str:
    return re.search(r"project\(hilo VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def oldest_jaxlib() -> str:
    """Returns the version that the package checks (python/jax_plugins/hilo/library.py)."""
    found = re.search(r"OLDEST_JAXLIB, \w+ = \(([\d, ]+)\)", (ROOT / "python" / PLUGIN / "library.py").read_text())
    return ".".join(re.findall(r"\d+", found[1]))


def write_wheel(name: str, files: dict[str, bytes], out: pathlib.Path) -> pathlib.Path:
    """Writes the archive with its RECORD, atomically."""
    info = f"{name}-{version()}.dist-info"
    tag = re.search(r"Tag: (.*)", files[f"{info}/WHEEL"].decode())[1]
    rows = [f"{path},sha256={digest(data)},{len(data)}" for path, data in sorted(files.items())] + [f"{info}/RECORD,,"]
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"{name}-{version()}-{tag}.whl"
    temporary = wheel.with_suffix(".part")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, data in [*sorted(files.items()), (f"{info}/RECORD", ("\n".join(rows) + "\n").encode())]:
            entry = zipfile.ZipInfo(path, date_time=(2020, 1, 1, 0, 0, 0))  # equal builds, equal wheels
            mode = 0o755 if "/bin/" in path or "/scripts/" in path else 0o644
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16
            archive.writestr(entry, data)
    os.replace(temporary, wheel)
    return wheel


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    sys.exit(main())
