# SPDX-License-Identifier: Apache-2.0
"""Conan 2: `conan create packaging/recipes/conan`. LLVM, Boost, fmt and the others are the system's, as tools/packages.txt
lists them: ConanCenter has no LLVM 19 with the archives that hilo links."""

import pathlib
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy
from conan.tools.system.package_manager import Apt

ROOT = "CMakeLists.txt", "LICENSE", "THIRD_PARTY.md", "cmake/*", "packaging/*", "src/*", "tools/*"


class Hilo(ConanFile):
    name = "hilo"
    license = "Apache-2.0"
    description = "JAX and XLA in C++20"
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"

    def root(self) -> pathlib.Path:
        return pathlib.Path(self.recipe_folder).parent.parent.parent

    def set_version(self):
        self.version = re.search(r"project\(hilo VERSION ([\d.]+)", (self.root() / "CMakeLists.txt").read_text())[1]

    def export_sources(self):
        for pattern in ROOT:
            copy(self, pattern, self.root(), self.export_sources_folder)

    def layout(self):
        self.folders.build = "build"
        self.folders.generators = "build/generators"

    def generate(self):
        """hilo sets its own flags, with which it is tested."""
        toolchain = CMakeToolchain(self)
        toolchain.blocks.remove("arch_flags", "libcxx", "parallel")
        toolchain.generate()

    def system_requirements(self):
        """Checks that the packages are there; installs them where tools.system.package_manager:mode says so."""
        Apt(self).install(["llvm-19-dev", "libzstd-dev", "zlib1g-dev", "libpng-dev", "libfmt-dev", "libboost1.81-dev", "libcli11-dev"],
                          check=True)

    def build(self):
        cmake = CMake(self)
        cmake.configure(variables={"HILO_BUILD_TESTS": False, "HILO_BUILD_EXAMPLES": False, "HILO_BUILD_BENCH": False})
        for target in ("hilo", "hilo_command", "hilo_companions"):
            cmake.build(target=target)

    def package(self):
        CMake(self).install()

    def package_info(self):
        """find_package(hilo) finds hilo's own hiloConfig.cmake."""
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/hilo"]
        self.cpp_info.libs = ["hilo"]
        self.runenv_info.prepend_path("PATH", f"{self.package_folder}/bin")
