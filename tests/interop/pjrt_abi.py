#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pjrt_abi.py [--command X] -- compares src/hilo/pjrt_abi with the tables of PyPI's pypjrt.

Offsets of fields, sizes of structs, values of enumerators and the order of the functions become one C++ file of static
assertions, which is compiled. The header of version 0.81 in the wheel xla-cpu-pjrt is compared too: common parts have
the same offsets, functions and enumerators, and no struct is smaller. Ends with "N passed, N failed"."""

import argparse
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from plugins import install  # noqa: E402

WHEEL = "xla-cpu-pjrt==0.0.1"
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ABI = ROOT / "src" / "hilo" / "pjrt_abi"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", help="as the other scripts take it; not used")
    parser.parse_args()
    from pypjrt._abi import pjrt_0_114 as theirs
    text = "".join(path.read_text() for path in sorted(ABI.glob("*.h")))
    cases = struct_cases(theirs, text) + enum_cases(theirs, text) + slot_cases(theirs) + cases_of_wheel(text)
    failed = failures(cases)
    for case in failed:
        print(f"differs: {case}")
    print(f"{len(cases) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def struct_cases(theirs, text: str) -> list[str]:
    """Of the structs that have a body here."""
    cases = []
    for name in re.findall(r"^struct (\w+) \{", text, re.M):
        struct = getattr(theirs, name)
        cases.append(f"sizeof({name}) == {ctypes.sizeof(struct)}")
        for field, *_ in struct._fields_:
            if not field.startswith("_anon"):  # its members have names of their own
                cases.append(f"offsetof({name}, {field}) == {getattr(struct, field).offset}")
        if hasattr(theirs, f"{name}_STRUCT_SIZE") and struct._fields_[0][0] == "struct_size":
            cases.append(f"kPjrtStructSize<{name}> == {getattr(theirs, f'{name}_STRUCT_SIZE')}")
    return cases


def enum_cases(theirs, text: str) -> list[str]:
    return [f"{name} == {getattr(theirs, name)}" for body in re.findall(r"^enum \w+ : uint32_t \{(.*?)\}", text, re.M | re.S)
            for name in re.findall(r"(\w+) =", body)]


def slot_cases(theirs) -> list[str]:
    return [f"offsetof(PJRT_Api, {name}) == {theirs.VTABLE_OFFSET + 8 * slot}" for name, slot in theirs.SLOT.items()]


def cases_of_wheel(text: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        if problem := install(WHEEL, pathlib.Path(folder)):
            return [f"false /* {problem} */"]
        return header_cases(next(pathlib.Path(folder).rglob("pjrt_c_api.h")), text)


def header_cases(header: pathlib.Path, text: str) -> list[str]:
    """What a program says that includes that header, of the names that stand here."""
    theirs, lines = header.read_text(), []
    slots = (ABI / "slots.inc").read_text()
    structs = dict(re.findall(r"^struct (\w+) \{(.*?)^\};", text, re.M | re.S))
    structs["PJRT_Api"] = structs["PJRT_Api"].split("#define")[0] + "".join(
        f"void* {name};" for name in re.findall(r"^HILO_PJRT_SLOT\(.*, (\w+)\)", slots, re.M))
    for name, body in structs.items():
        if not re.search(rf"^(?:typedef )?struct {name} \{{", theirs, re.M):
            continue
        lines.append(f'std::printf("sizeof({name}) >= %zu\\n", sizeof({name}));')
        for field in re.findall(r"(\w+)(?:\[\w+\])?;", body):
            lines.append(f'[]<class T>(T*) {{ if constexpr (requires(T t) {{ t.{field}; }}) '
                         f'std::printf("offsetof({name}, {field}) == %zu\\n", offsetof(T, {field})); }}(({name}*)nullptr);')
    for body in re.findall(r"^enum \w+ : uint32_t \{(.*?)\}", text, re.M | re.S):
        lines += [f'std::printf("{name} == %d\\n", int({name}));' for name in re.findall(r"(\w+) =", body)
                  if re.search(rf"\b{name}\b", theirs)]
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "header.cc", pathlib.Path(folder) / "header"
        source.write_text(f'#include <cstdio>\n#include "{header}"\nint main() {{\n' + "\n".join(lines) + "\n}\n")
        subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-w", "-o", program, source], check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


def failures(cases: list[str]) -> list[str]:
    """The cases that the compiler refuses."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "abi.cc"
        lines = [f'static_assert({case}, "case {i}");' for i, case in enumerate(cases)]
        source.write_text('#include "hilo/pjrt_abi/api.h"\n' + "\n".join(lines) + "\n")
        command = [os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", "-fmax-errors=0", f"-I{ROOT / 'src'}", source]
        result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 0:
        return []
    refused = sorted({int(i) for i in re.findall(r"static assertion failed: case (\d+)", result.stderr)})
    return [cases[i] for i in refused] or [result.stderr]


if __name__ == "__main__":
    sys.exit(main())
