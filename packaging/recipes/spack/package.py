# SPDX-License-Identifier: Apache-2.0
"""Spack: copy to a repository as packages/hilo/package.py, then spack install hilo."""

from spack.package import *


class Hilo(CMakePackage):
    """JAX and XLA in C++20: arrays, derivatives, and programs in HLO and StableHLO."""

    homepage = "https://example.org/hilo"
    git = "https://example.org/hilo.git"
    license("Apache-2.0")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("grpc", default=False, description="servers and their clients")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3:", type="build")
    depends_on("llvm@19.1 targets=x86,aarch64 ~clang ~lld ~lldb", type="build")
    depends_on("boost@1.81:")
    depends_on("cli11", type="build")
    depends_on("fmt@9:")
    depends_on("libpng")
    depends_on("openblas threads=pthreads", type="run")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("grpc", when="+grpc")
    depends_on("protobuf", when="+grpc")

    requires("target=x86_64:", "platform=linux")
    conflicts("%gcc@:11")
    conflicts("%clang@:15")

    generator("ninja")
    build_targets = ["hilo", "hilo_command", "hilo_companions"]

    def cmake_args(self):
        return [self.define(f"HILO_BUILD_{part}", False) for part in ("TESTS", "EXAMPLES", "BENCH")]
