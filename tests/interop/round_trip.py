# SPDX-License-Identifier: Apache-2.0
"""Checks that hilo reads what jaxlib writes, and jaxlib what hilo writes.

hilo reads each program from JAX's portable artifact, runs it (form `run`), and writes it in every form: StableHLO as
text and as portable artifact, HLO as text and as HloModuleProto. jaxlib reads each, compiles it, and has the same
results as for the original.

Programs are the first --programs of a recorded corpus (CONFORMANCE=DIR in the environment, or --cases: a folder with
jax_corpus in it), whose names are random. Without a corpus, they are those of programs.py and zoo.py, in the newest
version of StableHLO. Programs that jaxlib can't read in its own forms (LIMITS) are left out by name and replaced by
others. Ends with "N passed, N failed"."""

import argparse
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax._src.interpreters import mlir as jax_mlir  # noqa: E402
from jaxlib import _hlo, _jax  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir._mlir_libs import _stablehlo  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from programs import PROGRAMS  # noqa: E402
from zoo import ZOO  # noqa: E402

FORMS = ("run", "stablehlo", "bytecode", "hlo", "proto")
SECONDS = 120
# One fusion or another: results differ by this much of the largest element.
TOLERANCES = {np.dtype("float16"): 2e-3, np.dtype("float32"): 1e-5, np.dtype("float64"): 1e-12,
              np.dtype("complex64"): 1e-5, np.dtype("complex128"): 1e-12, np.dtype(ml_dtypes.bfloat16): 2e-2}
# What jaxlib says where it has an opcode of HLO that it doesn't run or turn into MLIR, and of text that XLA itself
# prints.
LIMITS = {"UNIMPLEMENTED: cosh": "XLA has no kernel for the opcode on this type",
          "mhlo.unknown": "jaxlib makes no MLIR of the opcode",
          "expects padding config": "XLA prints a scalar's padding as nothing, and doesn't read that"}
CONTEXT = jax_mlir.make_ir_context()
NEWEST = _stablehlo.get_current_version()
OWN = PROGRAMS | ZOO


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo")
    parser.add_argument("--cases", type=pathlib.Path, default=os.environ.get("CONFORMANCE"), help="a folder with jax_corpus")
    parser.add_argument("--programs", type=int, help="default: 300 of a corpus, or all of the own ones")
    parser.add_argument("--match", default="", help="only programs whose name contains this")
    arguments = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    recorded = arguments.cases is not None and (arguments.cases / "jax_corpus").is_dir()
    programs = corpus(arguments.cases / "jax_corpus") if recorded else own_programs()
    most = arguments.programs or (300 if recorded else len(OWN))
    print(f"programs of {arguments.cases / 'jax_corpus' if recorded else f'JAX {jax.__version__}, StableHLO {NEWEST}'}", flush=True)
    passed = dict.fromkeys(FORMS, 0)
    failed = dict.fromkeys(FORMS, 0)
    left_out = dict.fromkeys(FORMS, 0)
    for name, artefact, inputs in programs:
        wanted = [form for form in FORMS if passed[form] + failed[form] < most]
        if not wanted:
            break
        if arguments.match not in name:
            continue
        for form, problem in round_trips(arguments.command, artefact, inputs, wanted):
            limit = next((why for text, why in LIMITS.items() if form in ("hlo", "proto") and text in problem), "")
            if problem:
                print(f"{'left out' if limit else 'failed'} {name}/{form}: {limit or problem}", flush=True)
            (left_out if limit else failed if problem else passed)[form] += 1
    for form in FORMS:
        print(f"{form}: {passed[form]} of {passed[form] + failed[form]} programs give the same numbers, {left_out[form]} left out")
    print(f"{sum(passed.values())} passed, {sum(failed.values())} failed")
    return 0 if sum(passed.values()) and not sum(failed.values()) else 1


def own_programs():
    for name, (function, *inputs) in OWN.items():
        inputs = [np.asarray(x) for x in inputs]
        module = jax_mlir.module_to_bytecode(jax.jit(function, keep_unused=True).lower(*inputs).compiler_ir("stablehlo"))
        yield name, _jax.mlir.serialize_portable_artifact(module, NEWEST, True), inputs


def corpus(folder):
    """Yields (name, artifact, inputs) of programs for one device without calls out of the process."""
    rows = [line.rstrip("\n").split("\t") for line in (folder / "manifest.tsv").read_text().splitlines()]
    rows = {row[0]: row for row in rows if len(row) >= 7 and row[2] == row[3] == "1" and "callback" not in row[6]}
    files = {}
    for archive in sorted(folder.glob("*.tar.gz")):
        with tarfile.open(archive) as members:
            for member in members:
                name = pathlib.PurePath(member.name).name
                if name.split(".")[0] in rows and not name.endswith(".mlir") and ".out" not in name:
                    files[name] = members.extractfile(member).read()
    # Shardings of one device say nothing, but jaxlib then wants options.
    names = sorted(name for name in rows if b"sdy\0" not in files.get(f"{name}.mlirbc", b"sdy\0"))
    for name in names:
        types = [] if rows[name][4] == "-" else rows[name][4].split(";")
        inputs = [array(files[f"{name}.in{k}.npy"], kind) for k, kind in enumerate(types)]
        yield name, files[f"{name}.mlirbc"], inputs


def array(data, kind) -> np.ndarray:
    """Types that NumPy lacks are stored as unsigned integers."""
    value = np.load(io.BytesIO(data))
    name = kind.split("[")[0]
    wanted = np.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else np.dtype(name)
    return value if value.dtype == wanted else value.view(wanted)


def round_trips(command, artefact, inputs, forms):
    with tempfile.TemporaryDirectory(prefix="hilo_interop_") as folder:
        source = pathlib.Path(folder) / "program.mlirbc"
        source.write_bytes(artefact)
        try:
            wanted = run(_stablehlo.deserialize_portable_artifact(CONTEXT, artefact), inputs)
        except Exception as error:  # noqa: BLE001: then there is nothing to compare with
            yield from ((form, f"jaxlib can't run the original: {str(error)[:200]}") for form in forms)
            return
        for form in forms:
            try:
                got = (run_hilo(command, source, inputs, len(wanted)) if form == "run"
                       else run(READERS[form](convert(command, source, form)), inputs))
                yield form, difference(got, wanted)
            except Exception as error:  # noqa: BLE001: whatever is said is the finding
                yield form, str(error)[:300]


def run_hilo(command, source, inputs, results: int) -> list:
    flags = []
    for k, value in enumerate(inputs):
        path = source.with_name(f"in{k}.npy")
        np.save(path, value if value.dtype.isbuiltin else value.view(f"V{value.itemsize}"))
        flags += ["--input", path]
    out = source.with_name("out")
    call([command, "run", source, *flags, "--output-dir", out])
    files = sorted(out.glob("*.npy"), key=lambda path: int("".join(c for c in path.stem if c.isdigit()) or 0))
    return [np.load(path) for path in files][:results]


def convert(command, source, form) -> bytes:
    return call([command, "convert", "--to", form, source])


def call(command) -> bytes:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def from_text(data):
    with CONTEXT:
        return ir.Module.parse(data.decode())


def from_hlo(module):
    return _jax.mlir.xla_computation_to_mlir_module(_hlo.XlaComputation(module.as_serialized_hlo_module_proto()))


READERS = {
    "stablehlo": from_text,
    "bytecode": lambda data: _stablehlo.deserialize_portable_artifact(CONTEXT, data),
    "hlo": lambda data: from_hlo(_hlo.hlo_module_from_text(data.decode())),
    "proto": lambda data: from_hlo(_hlo.HloModule.from_serialized_hlo_module_proto(data)),
}


def run(module, inputs) -> list:
    code = module if isinstance(module, (bytes, str)) else jax_mlir.module_to_bytecode(module)
    client = jax.devices()[0].client
    executable = client.compile_and_load(code, _jax.DeviceList(tuple(jax.devices()[:1])), _jax.CompileOptions())
    results = executable.execute_sharded([jax.device_put(x) for x in inputs])
    return [np.asarray(shards[0]) for shards in results.disassemble_into_single_device_arrays()]


def difference(got, wanted) -> str:
    if len(got) != len(wanted):
        return f"got {len(got)} results; wanted {len(wanted)}"
    for i, (g, w) in enumerate(zip(got, wanted)):
        if g.shape != w.shape or g.dtype != w.dtype:
            return f"result {i}: got {g.dtype}{list(g.shape)}; wanted {w.dtype}{list(w.shape)}"
        tolerance = TOLERANCES.get(w.dtype)
        if tolerance is None:
            if g.tobytes() != w.tobytes():
                return f"result {i}: got {g.ravel()[:4]}...; wanted {w.ravel()[:4]}..."
            continue
        wide = np.complex128 if w.dtype.kind == "c" else np.float64
        g, w = g.astype(wide), w.astype(wide)
        scale = np.max(np.abs(w), initial=0, where=np.isfinite(w))
        if not np.allclose(g, w, rtol=tolerance, atol=tolerance * scale, equal_nan=True):
            return f"result {i}: got {g.ravel()[:4]}...; wanted {w.ravel()[:4]}..."
    return ""


if __name__ == "__main__":
    sys.exit(main())
