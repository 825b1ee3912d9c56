#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses hilo/c/hilo.h from C, C++, Python and, where its compiler is installed, Rust.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import ctypes
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import ROOT, own_environment, run_cases  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic")
SCHOOLS = ROOT / "examples/data/schools.mlir"
PENDULUM = ROOT / "tests/objects/page/pendulum.jax"


def run(place, *command, **variables):
    environment = {**own_environment(), "JAX_PLATFORM_NAME": "Host", **variables}
    done = subprocess.run([str(part) for part in command], cwd=place.folder, capture_output=True, text=True,
                          timeout=300, env=environment)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def library_flags(place):
    lib = place.build / "lib"
    return ("-I", ROOT / "src", f"-L{lib}", "-lhilo", f"-Wl,-rpath,{lib}", "-lm", "-lpthread")


def page(language):
    """The blocks of docs/c_api.md in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / "docs/c_api.md").read_text(), re.M | re.S)


def page_program_runs(place):
    """The commands are those of the page, with the flags of the build tree in place of pkg-config's: tests/install has
    pkg-config's."""
    shutil.copy(PENDULUM, place.folder)
    (place.folder / "main.c").write_text(page("c")[0])
    run(place, "cc", "-std=c99", *STRICT, "main.c", "-o", "main", *library_flags(place))
    assert run(place, "./main") == page("text")[0]


def header_is_c_and_cxx(place):
    (place.folder / "twice.c").write_text('#include "hilo/c/hilo.h"\n#include "hilo/ffi.h"\n#include "hilo/c/hilo.h"\n')
    shutil.copy(place.folder / "twice.c", place.folder / "twice.cc")
    for standard in ("c99", "c11", "c17"):
        run(place, "cc", f"-std={standard}", *STRICT, "-I", ROOT / "src", "-fsyntax-only", "twice.c")
    for standard in ("c++11", "c++20"):
        run(place, "c++", f"-std={standard}", *STRICT, "-I", ROOT / "src", "-fsyntax-only", "twice.cc")


def header_lives_beside_that_of_an_object(place):
    place.good("compile", SCHOOLS, "--to", "object", "-o", "energy")
    (place.folder / "both.c").write_text("""
#include "energy.h"
#include "hilo/c/hilo.h"
int main(void) {
  double q[10] = {0}, y, z;
  const void* arguments[1] = {q};
  void* results[1] = {&z};
  hilo_program* program;
  hilo_function* function;
  if (energy(q, &y, NULL) != HILO_OK) return 1;
  if (hilo_load("schools.mlir", NULL, &program, NULL) != HILO_CODE_OK) return 2;
  if (hilo_compile(program, NULL, &function, NULL) != HILO_CODE_OK) return 3;
  if (hilo_call(function, arguments, 1, results, 1, NULL) != HILO_CODE_OK) return 4;
  return y == z ? 0 : 5;
}
""")
    shutil.copy(SCHOOLS, place.folder)
    run(place, "cc", "-std=c99", *STRICT, "both.c", "energy.o", "-o", "both", *library_flags(place))
    run(place, "./both")


def calls_allocate_nothing_in_steady_state(place):
    run(place, "cc", "-std=gnu99", "-Wall", "-Wextra", "-Werror", HERE / "calls.c", "-o", "calls", *library_flags(place))
    figures = dict(line.split() for line in run(place, "./calls", SCHOOLS).splitlines())
    assert figures["alone"] == "0" and figures["wrong"] == "0", figures
    # 4000 calls: memory for a run is created when more of them run at once than ever before.
    assert int(figures["together"]) <= 30, figures


def loads_what_hilo_compile_wrote(place):
    shutil.copy(PENDULUM, place.folder)
    place.good("compile", SCHOOLS, "-o", "pendulum.hilo")
    place.good("convert", SCHOOLS, "--to", "hlo", "-o", "schools.hlo")
    place.good("convert", SCHOOLS, "--to", "proto", "-o", "schools.pb")
    place.good("convert", SCHOOLS, "--to", "bytecode", "-o", "schools.mlirbc")
    hilo = library(place)
    for name in ("pendulum.hilo", "schools.hlo", "schools.pb", "schools.mlirbc", str(SCHOOLS), "pendulum.jax"):
        program, error = ctypes.c_void_p(), ctypes.c_char_p()
        code = hilo.hilo_load(str(place.folder / name).encode(), None, ctypes.byref(program), ctypes.byref(error))
        assert code == 0, (name, error.value)
        assert hilo.hilo_argument_count(program) == (3 if name == "pendulum.jax" else 1), name
        hilo.hilo_program_free(program)


def library(place):
    return ctypes.CDLL(str(place.build / "lib" / "libhilo.so"))


def page_runs_in_python(place):
    shutil.copy(PENDULUM, place.folder)
    (place.folder / "main.py").write_text(page("python")[0])
    out = run(place, sys.executable, "main.py", LD_LIBRARY_PATH=str(place.build / "lib"))
    assert out == "angle 0.4993\n", out


def bad_programs_never_crash_a_process(place):
    """Each byte of a program changed, and each of its beginnings."""
    hilo = library(place)
    for path, step in ((SCHOOLS, 97), (PENDULUM, 23)):
        data = path.read_bytes()
        changed = [data[:k] + bytes([data[k] ^ 0x55]) + data[k + 1:] for k in range(0, len(data), step)]
        for case in changed + [data[:k] for k in range(0, len(data), step)]:
            program, error = ctypes.c_void_p(), ctypes.c_char_p()
            code = hilo.hilo_load_bytes(case, ctypes.c_size_t(len(case)), b"changed", None, ctypes.byref(program),
                                        ctypes.byref(error))
            assert (code == 0) == bool(program) and (code == 0) == (error.value is None)
            hilo.hilo_program_free(program)


def runs_in_rust(place):
    run(place, "rustc", "--edition", "2021", "-O", ROOT / "examples/c/schools.rs", "-o", "schools", "-L",
        place.build / "lib", "-C", f"link-args=-Wl,-rpath,{place.build / 'lib'}")
    assert run(place, "./schools", SCHOOLS).endswith("eight schools in Rust: right\n")


def runs_through_cffi(place):
    """The declarations are the header's, after the preprocessor."""
    text = run(place, "cc", "-E", "-P", "-I", ROOT / "src", "-include", "hilo/c/hilo.h", "-x", "c", "/dev/null")
    (place.folder / "main.py").write_text(f"""
import cffi
ffi = cffi.FFI()
ffi.cdef({text[text.index("enum { HILO_C_MAJOR"):]!r})
hilo = ffi.dlopen({str(place.build / "lib" / "libhilo.so")!r})
program, function, error = ffi.new("hilo_program**"), ffi.new("hilo_function**"), ffi.new("char**")
assert hilo.hilo_load({str(SCHOOLS)!r}.encode(), ffi.NULL, program, error) == hilo.HILO_CODE_OK, ffi.string(error[0])
assert hilo.hilo_compile(program[0], ffi.NULL, function, error) == 0, ffi.string(error[0])
array = ffi.new("hilo_array*", dict(size=ffi.sizeof("hilo_array")))
assert hilo.hilo_argument(program[0], 0, array, error) == 0
assert ffi.string(array.text) == b"f64[10]" and array.dimensions[0] == 10
x, y, context = ffi.new("double[10]"), ffi.new("double[1]"), ffi.new("void**")
call = hilo.hilo_function_pointer(function[0], context)
assert call(ffi.new("void*[1]", [x]), ffi.new("void*[1]", [y]), context[0]) == 0
print(f"energy {{y[0]:.4f}}")
""")
    out = run(place, sys.executable, "main.py")
    assert out == "energy 4.1740\n", out


CASES = (page_program_runs, header_is_c_and_cxx, header_lives_beside_that_of_an_object,
         calls_allocate_nothing_in_steady_state, loads_what_hilo_compile_wrote, page_runs_in_python,
         bad_programs_never_crash_a_process)
# What a system may lack isn't counted there.
if shutil.which("rustc"):
    CASES += (runs_in_rust,)
if subprocess.run([sys.executable, "-c", "import cffi"], capture_output=True).returncode == 0:
    CASES += (runs_through_cffi,)

if __name__ == "__main__":
    sys.exit(run_cases(__doc__, CASES, {}))
