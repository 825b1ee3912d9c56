# SPDX-License-Identifier: Apache-2.0
import subprocess

from planted import ROOT, Planted

REQUIREMENTS = ROOT / "cmake" / "requirements.cmake"
MACHINE = {"CMAKE_CXX_COMPILER": "/usr/bin/c++", "CMAKE_CXX_COMPILER_ID": "GNU", "CMAKE_CXX_COMPILER_VERSION": "12.2.0",
           "CMAKE_SYSTEM_NAME": "Linux", "CMAKE_SYSTEM_PROCESSOR": "x86_64"}


class Requirements(Planted):
    """cmake/requirements.cmake as a script, on machines that are made up: what it refuses, in one sentence with a
    hint."""

    def refusal(self, *command):
        done = subprocess.run(["cmake", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        lines = [line.strip() for line in done.stdout.splitlines() if line.startswith("    hilo needs")]
        self.assertEqual(len(lines), 1, done.stdout)
        return lines[0]

    def on(self, **machine):
        return self.refusal(*(f"-D{name}={value}" for name, value in {**MACHINE, **machine}.items()), "-P", str(REQUIREMENTS))

    def test_compilers_that_are_too_old_or_others(self):
        for name, version in (("GNU", "11.4.0"), ("GNU", "9.4.0"), ("Clang", "15.0.7"), ("Clang", "14.0.6"), ("Intel", "2021.1")):
            said = self.on(CMAKE_CXX_COMPILER_ID=name, CMAKE_CXX_COMPILER_VERSION=version)
            self.assertIn(f"g++ 12 or clang 16, or later; got {name} {version} at /usr/bin/c++. Hint: ", said)

    def test_compilers_that_are_known_or_newer_go_on_to_llvm(self):
        for name, version in (("GNU", "12.2.0"), ("GNU", "13.3.0"), ("GNU", "14.2.0"), ("GNU", "16.1.0"), ("Clang", "16.0.6"),
                              ("Clang", "19.1.7"), ("Clang", "22.1.0")):
            said = self.on(CMAKE_CXX_COMPILER_ID=name, CMAKE_CXX_COMPILER_VERSION=version,
                           CMAKE_DISABLE_FIND_PACKAGE_LLVM="ON")
            self.assertIn("LLVM 19.1, which CMake doesn't find. Hint: apt-get install llvm-19-dev", said)

    def test_other_systems(self):
        self.assertIn("Linux on x86-64 or AArch64; got Linux on riscv64", self.on(CMAKE_SYSTEM_PROCESSOR="riscv64"))
        self.assertIn("got Darwin on x86_64", self.on(CMAKE_SYSTEM_NAME="Darwin"))

    def test_libraries_that_are_missing(self):
        self.plant("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES C)\n" +
                   "".join(f"set({name} {value})\n" for name, value in MACHINE.items()) + f'include("{REQUIREMENTS}")\n')
        for package, hint in (("fmt", "libfmt-dev"), ("Boost", "libboost1.81-dev, or libboost1.83-dev on Debian 13"),
                              ("ZLIB", "zlib1g-dev"), ("PNG", "libpng-dev"), ("zstd", "libzstd-dev")):
            said = self.refusal("-S", str(self.root), "-B", str(self.root / "b"), "-G", "Ninja",
                                *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}={'ON' if name == package else 'OFF'}"
                                  for name in ("fmt", "Boost", "ZLIB", "PNG", "zstd")))
            self.assertIn(f"Hint: apt-get install {hint}", said)
