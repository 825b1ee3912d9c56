#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses python/hilo with the library of a build.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import ctypes
import os
import pathlib
import re
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import ROOT, run_cases  # noqa: E402
from system_numpy import use_numpy  # noqa: E402

os.environ.setdefault("JAX_PLATFORM_NAME", "Host")
sys.path.insert(0, str(ROOT / "python"))

SCHOOLS = ROOT / "examples/data/schools.mlir"
SQUARE = """HloModule square

ENTRY main {
  x = f64[] parameter(0)
  k = f64[] parameter(1)
  y = f64[] multiply(x, x)
  ROOT z = f64[] multiply(y, k)
}
"""
TWO = """HloModule two

ENTRY main {
  a = f32[2,3] parameter(0)
  b = s32[3] parameter(1)
  c = f32[3,2] transpose(a), dimensions={1,0}
  d = pred[3] compare(b, b), direction=EQ
  ROOT t = (f32[3,2], pred[3]) tuple(c, d)
}
"""
NARROW = "HloModule narrow\n\nENTRY main {\n  x = bf16[2] parameter(0)\n  ROOT y = bf16[2] add(x, x)\n}\n"
OPEN = """module @open {
  func.func public @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
    %y = stablehlo.add %x, %x : tensor<?x3xf32>
    return %y : tensor<?x3xf32>
  }
}
"""


def module(place):
    """The module, with the library of the build."""
    os.environ["HILO_LIBRARY"] = str(place.build / "lib" / "libhilo.so")
    import hilo
    return hilo


def error_of(function, *arguments, **named):
    """The type and the text of the exception that a call raises."""
    try:
        function(*arguments, **named)
    except Exception as error:  # noqa: BLE001: the case compares its type
        return type(error).__name__, str(error)
    raise AssertionError("no error")


def holds(found, kind, *parts):
    assert found[0] == kind and all(part in found[1] for part in parts), found


def programs_have_arrays(place):
    program = module(place).parse(TWO)
    assert repr(program) == "<Program two(a: f32[2,3], b: s32[3]) -> (0: f32[3,2], 1: pred[3])>", repr(program)
    assert [a.shape for a in program.arguments] == [(2, 3), (3,)]
    assert [str(a.dtype) for a in (*program.arguments, *program.results)] == ["float32", "int32", "float32", "bool"]


def functions_run_on_arrays(place):
    import numpy
    function = module(place).parse(TWO).compile()
    a = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    c, d = function(a, [1, 2, 3])
    assert (c == a.T).all() and c.shape == (3, 2) and d.all()
    every_second = numpy.arange(12, dtype=numpy.float32).reshape(2, 6)[:, ::2]
    assert (function(every_second, numpy.zeros(3, numpy.int32))[0] == every_second.T).all()


def wrong_arguments_are_type_errors(place):
    import numpy
    function = module(place).parse(TWO).compile()
    b = numpy.zeros(3, numpy.int32)
    holds(error_of(function, numpy.zeros((2, 3)), b), "TypeError", "a: got float64[2, 3]; wanted f32[2,3]")
    holds(error_of(function, numpy.zeros((3, 2), numpy.float32), b), "TypeError", "got float32[3, 2]")
    holds(error_of(function, b), "TypeError", "two: got 1 arguments; wanted 2")


def derivatives_and_batches(place):
    import numpy
    hilo = module(place)
    program = hilo.parse(SQUARE)
    assert program.compile()(3, 2) == 18
    value, by_x = program.grad().compile()(3, 2)
    assert (value, by_x) == (18, 12)
    assert program.grad(0, 1).compile()(3, 2) == (18, 12, 9)
    batch = program.vmap(4, axes=(0, None)).compile()
    assert (batch(numpy.arange(4.0), 2) == 2 * numpy.arange(4.0) ** 2).all()
    holds(error_of(program.vmap, 4, axes=(0,)), "ValueError", "axes: got 1; wanted one for each of 2")
    holds(error_of(hilo.parse(TWO).grad), "HiloError", "two")


def what_is_written_is_read(place):
    hilo = module(place)
    program = hilo.parse(SQUARE)
    assert "stablehlo.multiply" in program.text() and "stablehlo.multiply" in str(program)
    assert program.text("hlo").startswith("HloModule")
    for format in "stablehlo", "bytecode", "hlo", "proto":
        again = hilo.parse(program.write(format))
        assert again.compile()(3, 2) == 18, format
    holds(error_of(program.text, "proto"), "ValueError", "got 'proto'")
    holds(error_of(program.write, "onnx"), "HiloError", "got format 'onnx'")


def files_and_saved_programs(place):
    hilo = module(place)
    path = place.folder / "square.hlo"
    path.write_text(SQUARE)
    function = hilo.load(path).compile(threads=1, hilo_compile_seconds=60)
    function.save(place.folder / "square.hilo")
    saved = hilo.load(place.folder / "square.hilo")
    assert saved.compile()(3, 2) == 18
    holds(error_of(saved.grad), "HiloError", "can't be transformed")
    missing = error_of(hilo.load, place.folder / "none.hlo")
    holds(missing, "HiloError", "none.hlo")
    assert hilo.load(SCHOOLS).arguments


def errors_have_a_code_and_a_place(place):
    hilo = module(place)
    try:
        hilo.parse("HloModule m\n\nENTRY e {\n  ROOT x = f32[] sine(y)\n}\n", source="mine.hlo")
    except hilo.HiloError as error:
        assert error.code == "NOT_FOUND" and "mine.hlo" in str(error), (error.code, str(error))
    else:
        raise AssertionError("no error")
    holds(error_of(hilo.set_flag, "no_such_flag", 1), "HiloError", "no_such_flag")


def open_sizes_are_closed(place):
    import numpy
    hilo = module(place)
    program = hilo.parse(OPEN)
    assert program.arguments[0].shape is None
    function = hilo.parse(OPEN, shapes=["f32[2,3]"]).compile()
    assert (function(numpy.ones((2, 3), numpy.float32)) == 2).all()


def types_that_numpy_lacks_name_the_package(place):
    hilo = module(place)
    try:
        import ml_dtypes  # noqa: F401
    except ImportError:
        holds(error_of(lambda: hilo.parse(NARROW).arguments[0].dtype), "ImportError", "bf16[2]", "pip install ml_dtypes")
    else:
        assert str(hilo.parse(NARROW).compile()([1, 2]).dtype) == "bfloat16"


def threads_call_at_once(place):
    import numpy
    function = module(place).parse(SQUARE).vmap(1000).compile(threads=1)
    found = {}

    def work(k):
        x = numpy.full(1000, float(k))
        found[k] = all((function(x, x) == x ** 3).all() for _ in range(200))

    workers = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(found[k] for k in range(8)), found


def compiled_code_calls_the_pointer(place):
    function = module(place).parse(SQUARE).compile()
    address, context = function.pointer()
    call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(address)
    x, k, y = ctypes.c_double(3), ctypes.c_double(2), ctypes.c_double()
    inputs = (ctypes.c_void_p * 2)(ctypes.addressof(x), ctypes.addressof(k))
    outputs = (ctypes.c_void_p * 1)(ctypes.addressof(y))
    assert call(ctypes.addressof(inputs), ctypes.addressof(outputs), context) == 0 and y.value == 18


def a_missing_library_is_an_import_error(place):
    script = "import hilo\ntry:\n    hilo.version()\nexcept ImportError as error:\n    print(error)\n"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "HILO_LIBRARY": str(place.folder / "none.so")}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert "none.so can't be loaded" in done.stdout, done.stdout


def page_says_what_it_prints(place):
    module(place)
    page = (ROOT / "docs/c_api.md").read_text().partition("## The Python package")[2]
    script, said = (re.search(rf"^```{kind}\n(.*?)^```$", page, re.M | re.S)[1] for kind in ("python", "text"))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, "-c", script], env=environment,
                          capture_output=True, text=True, check=True)
    assert done.stdout == said, done.stdout


CASES = (programs_have_arrays, functions_run_on_arrays, wrong_arguments_are_type_errors, derivatives_and_batches,
         what_is_written_is_read, files_and_saved_programs, errors_have_a_code_and_a_place, open_sizes_are_closed,
         types_that_numpy_lacks_name_the_package, threads_call_at_once, compiled_code_calls_the_pointer,
         page_says_what_it_prints, a_missing_library_is_an_import_error)


if __name__ == "__main__":
    use_numpy()
    sys.exit(run_cases(__doc__, CASES, {}))
