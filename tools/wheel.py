#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the wheel jax-hilo from python/ and a build: the package, libhilo_pjrt.so, libhilo.so and the libraries they
need that not every system has. Compiles and downloads nothing. Format: PEP 427; the tag is PEP 600's."""

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

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = pathlib.Path("jax_plugins/hilo")
LARGEST = 60e6
OLDEST_GLIBC = (2, 28)
# What each Linux with this glibc has: PEP 600's list, as far as hilo needs it.
EVERYWHERE = ("libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libgcc_s.so", "libz.so", "linux-vdso.so", "ld-linux-x86-64.so")
# Opened for a server's devices only: gRPC, 57 libraries, is the system's; an error names what lacks.
FROM_THE_SYSTEM = "libhilo_grpc.so"
METADATA = """\
Metadata-Version: 2.1
Name: jax-hilo
Version: {version}
Summary: JAX on hilo's engine: a PJRT plugin for CPUs
License: Apache-2.0
Requires-Python: >=3.11
Requires-Dist: jax>={oldest}
Requires-Dist: jaxlib>={oldest}
Requires-Dist: scipy-openblas32
"""
ENTRY_POINTS = "[jax_plugins]\nhilo = jax_plugins.hilo\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: hilo tools/wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--out", type=pathlib.Path, help="the output folder (default: BUILD/wheel)")
    parser.add_argument("--check", action="store_true", help="only check that the build has all files, for the oldest glibc")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hilo_wheel_") as stage:
        try:
            files = collect(arguments.build, pathlib.Path(stage))
            if arguments.check:
                return 0
            wheel = write_wheel(files, arguments.out or arguments.build / "wheel")
        except (OSError, subprocess.CalledProcessError, ValueError) as error:
            print(f"wheel: {error}", file=sys.stderr)
            return 1
    size = wheel.stat().st_size
    print(f"{wheel}: {size / 1e6:.1f} MB")
    if size > LARGEST:
        print(f"wheel: larger than {LARGEST / 1e6:.0f} MB", file=sys.stderr)
    return int(size > LARGEST)


def collect(build: pathlib.Path, stage: pathlib.Path) -> dict[str, bytes]:
    """Returns the wheel's contents except its own records: name in it -> bytes."""
    subprocess.run(["cmake", "--install", build, "--component", "wheel", "--prefix", stage], check=True, stdout=subprocess.DEVNULL)
    libraries = {soname(path): path for path in sorted((stage / PACKAGE).glob("*.so*")) if not path.is_symlink()}
    if "libhilo_pjrt.so" not in libraries:
        raise ValueError(f"{build} has no libhilo_pjrt.so. Hint: make wheel builds it")
    libraries |= needed(libraries)
    files = {str(PACKAGE / name): path.read_bytes() for name, path in libraries.items()}
    for path in sorted((ROOT / "python" / PACKAGE).glob("*.py")):
        files[str(PACKAGE / path.name)] = path.read_bytes()
    info = f"jax_hilo-{version()}.dist-info"
    tag = f"py3-none-{platform_tag(libraries.values())}"
    files |= {f"{info}/METADATA": METADATA.format(version=version(), oldest=oldest_jaxlib()).encode(),
              f"{info}/WHEEL": WHEEL.format(tag=tag).encode(), f"{info}/entry_points.txt": ENTRY_POINTS.encode()}
    for name in ("LICENSE", "THIRD_PARTY.md"):
        files[f"{info}/licenses/{name}"] = (ROOT / name).read_bytes()
    return files


def needed(libraries: dict[str, pathlib.Path]) -> dict[str, pathlib.Path]:
    """Returns the libraries that these load and that not every system has. Raises ValueError for one that the loader
    doesn't find."""
    found = {}
    for path in libraries.values():
        if path.name == FROM_THE_SYSTEM:
            continue
        for line in output("ldd", path).splitlines():
            name, _, place = (part.strip() for part in line.partition("=>"))
            if name in libraries or not place or pathlib.Path(name).name.startswith(EVERYWHERE):
                continue
            if "not found" in place:
                raise ValueError(f"{path.name} needs {name}, which isn't here")
            found[name] = pathlib.Path(place.split(" (")[0])
    return found


def soname(path: pathlib.Path) -> str:
    found = re.search(r"SONAME.*\[(.*)\]", output("readelf", "-d", path))
    return found[1] if found else path.name


def platform_tag(libraries) -> str:
    """Returns PEP 600's tag for OLDEST_GLIBC. Raises ValueError with the symbols for which a library needs a newer
    one."""
    newer = {}
    for path in libraries:
        if path.name == FROM_THE_SYSTEM:
            continue
        for major, minor, symbol in re.findall(r"GLIBC_(\d+)\.(\d+)\)?\s+(\S+)", output("objdump", "-T", path)):
            if (int(major), int(minor)) > OLDEST_GLIBC:
                newer.setdefault(path.name, []).append(f"{symbol} of {major}.{minor}")
    if newer:
        wanted = ".".join(map(str, OLDEST_GLIBC))
        raise ValueError("; ".join(f"{name} needs {', '.join(symbols)}" for name, symbols in newer.items()) +
                         f"; wanted glibc {wanted}. Hint: packaging/oldest_glibc.cc")
    return "manylinux_{}_{}_x86_64".format(*OLDEST_GLIBC)


def output(*command) -> str:
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout


def version() -> str:
    return re.search(r"project\(hilo VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def oldest_jaxlib() -> str:
    """Returns the version that the package checks (python/jax_plugins/hilo/library.py)."""
    found = re.search(r"OLDEST_JAXLIB, \w+ = \(([\d, ]+)\)", (ROOT / "python" / PACKAGE / "library.py").read_text())
    return ".".join(re.findall(r"\d+", found[1]))


def write_wheel(files: dict[str, bytes], out: pathlib.Path) -> pathlib.Path:
    """Writes the archive with its RECORD, atomically."""
    info = next(name for name in files if name.endswith("/WHEEL"))
    tag = re.search(r"Tag: (.*)", files[info].decode())[1]
    record = info.replace("WHEEL", "RECORD")
    rows = [f"{name},sha256={digest(data)},{len(data)}" for name, data in files.items()] + [f"{record},,"]
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"jax_hilo-{version()}-{tag}.whl"
    temporary = wheel.with_suffix(".part")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in {**files, record: ("\n".join(rows) + "\n").encode()}.items():
            entry = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))  # equal builds, equal wheels
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, data)
    os.replace(temporary, wheel)
    return wheel


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    sys.exit(main())
