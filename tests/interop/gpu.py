# SPDX-License-Identifier: Apache-2.0
"""Compiles every program of the recorded corpus (CONFORMANCE=DIR in the environment, or --corpus) through hilo by XLA's
CUDA plugin, for an H200 (sm_90). No GPU is needed.

The wheels are PyPI's. Rejected programs are counted by op and reason; `REFUSED` lists the reasons. `--page
docs/internal/plugins.md` writes that table there. Then only the version of libtpu is queried. Ends with "N passed, N
failed"."""

import argparse
import collections
import os
import pathlib
import re
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from plugins import corpus_folder, install, last_line, left_out, run  # noqa: E402
from report import report  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WHEELS = ("jax-cuda13-pjrt==0.12.0.1", "nvidia-cuda-nvcc==13.5.37", "nvidia-nvvm==13.5.37")  # ptxas, libdevice
LIBRARY, CUDA = "jax_plugins/xla_cuda13/xla_cuda_plugin.so", "nvidia/cu13"
TPU = "libtpu==0.0.52"
PART = 100  # programs in one process
# XLA's GpuTargetConfigProto: what an H200 is.
TARGET = """gpu_device_info { threads_per_block_limit: 1024 threads_per_warp: 32 shared_memory_per_block: 49152
shared_memory_per_core: 233472 threads_per_core_limit: 2048 core_count: 132 fpus_per_core: 128 block_dim_limit_x: 2147483647
block_dim_limit_y: 65535 block_dim_limit_z: 65535 memory_bandwidth: 4800000000000 l2_cache_size: 52428800 clock_rate_ghz: 1.98
device_memory_size: 151397597184 shared_memory_per_block_optin: 232448 cuda_compute_capability { major: 9 }
registers_per_core_limit: 65536 registers_per_block_limit: 65536 thread_dim_limit_x: 1024 thread_dim_limit_y: 1024
thread_dim_limit_z: 64 device_vendor: "NVIDIA Corporation" device_address_bits: 64 name: "NVIDIA H200" driver_version: "13.0.0"
runtime_version: "13.0.0" compile_time_toolkit_version: "13.0.0" dnn_version: "9.10.0" }
platform_name: "CUDA" dnn_version_info { major: 9 minor: 10 patch: 0 } device_description_str: "NVIDIA H200"
"""
# Words of a refusal, of which a group is the op; the op, where none is; and why it is none of hilo's.
REFUSED = (
    (r"custom call to lapack_([sdcz])(\w+)_ffi for platform CUDA", "", "LAPACK's functions are the host's"),
    (r"custom call to (tridiagonal_solve_perturbed_ffi) for platform CUDA", "", "a function of the host"),
    (r"Can't lower one or more integer convolutions", "convolution of integers", "cuDNN has none but of `s8`"),
    (r"does not support custom element sizes on non-sub-byte types: %iota", "stable `sort` of elements of 4 bits",
     "XLA sorts an `iota` of `s32` with them, to which it gives their layout, and then refuses it"),
)
TYPES = dict(zip("sdcz", ("f32", "f64", "c64", "c128")))  # by the first letter of LAPACK's names
BEGIN, END = "<!-- measured: tests/interop/gpu.py -->\n", "<!-- end -->\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo")
    parser.add_argument("--corpus", type=pathlib.Path, default=corpus_folder(), help="recorded programs")
    parser.add_argument("--every", type=int, default=1, help="only each of so many programs")
    parser.add_argument("--packages", type=pathlib.Path, help="where the wheels are, or will be")
    parser.add_argument("--page", type=pathlib.Path, help="the page whose table of refused programs is written anew")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return report(cases(arguments, pathlib.Path(folder)))


def cases(arguments, folder):
    packages = arguments.packages or folder / "packages"
    if not (packages / LIBRARY).exists():
        for wheel in WHEELS:
            if problem := install(wheel, packages):
                yield wheel, problem
                return
    if arguments.corpus.exists():
        yield from of_corpus(arguments, packages, folder)
    else:
        left_out(arguments.corpus)
    yield "libtpu: version", of_tpu(arguments.command, folder / "tpu")


def of_corpus(arguments, packages, folder):
    """Yields one case per program, and one for the counts. If the process ends on a program, another continues with the
    next one."""
    (folder / "target").write_text(TARGET)
    for archive in arguments.corpus.glob("*.tar.gz"):
        with tarfile.open(archive) as tar:
            tar.extractall(folder / "corpus", [member for member in tar if member.name.endswith(".mlirbc")], filter="data")
    paths = sorted((folder / "corpus").rglob("*.mlirbc"))[::arguments.every]
    environment = {**os.environ, "XLA_FLAGS": f"--xla_gpu_cuda_data_dir={packages / CUDA} --xla_gpu_autotune_level=0"}
    command = [arguments.command.resolve().parent / "tests" / "compile_for_gpu", packages / LIBRARY, folder / "target"]
    compiled, refusals = 0, collections.defaultdict(collections.Counter)  # op and reason: element types, "" for none
    while paths:
        done = run([*command, *paths[:PART]], environment)
        seen = re.findall(r"^begin (\S+)$", done.stdout, re.M)
        if not seen:
            yield f"{paths[0].stem} and {len(paths) - 1} more", last_line(done)
            return
        refused = dict(re.findall(r"^refused (\S+) (.*?)(?=^begin |\Z)", done.stdout, re.M | re.S))
        told = set(re.findall(r"^ok (\S+)$", done.stdout, re.M)) | refused.keys()
        if seen[-1] not in told:
            refused[seen[-1]] = f"the process ends: {last_line(done)}"
        compiled += len(seen) - len(refused)
        for name, status in refused.items():
            if known := refusal(status):
                refusals[known[:2]][known[2]] += 1
            else:
                yield name, status
        paths = paths[len(seen):]
    table = table_of(compiled, refusals)
    print(table, flush=True)
    if arguments.page:
        write_table(arguments.page, table)
    yield f"{compiled} programs compiled for sm_90", "" if compiled else "none"


def refusal(status):
    """Returns op, reason, element type; None for an unknown error. "custom call to lapack_sgetrf_ffi" is `getrf` of
    f32."""
    for words, op, why in REFUSED:
        if found := re.search(words, status):
            groups = found.groups()
            name = f"`{groups[-1]}`" if groups else op
            return name, why, TYPES[groups[0]] if len(groups) == 2 else ""
    return None


def table_of(compiled, refusals):
    """Returns the table as Markdown, the most frequent op first. A program with several unsupported functions counts at
    the first that XLA reports."""
    total = sum(sum(types.values()) for types in refusals.values())
    lines = [f"{compiled} of {compiled + total} programs compile; {total} don't:", "", "| op | programs | of them | why |",
             "|---|---|---|---|"]
    for (op, why), types in sorted(refusals.items(), key=lambda row: (-sum(row[1].values()), row[0])):
        of_types = ", ".join(f"{types[kind]} `{kind}`" for kind in TYPES.values() if types[kind])
        lines.append(f"| {op} | {sum(types.values())} | {of_types} | {why} |")
    return "\n".join(lines) + "\n"


def write_table(page, table):
    before, rest = page.read_text().split(BEGIN)
    page.write_text(before + BEGIN + "\n" + table + "\n" + END + rest.split(END, 1)[1])


def of_tpu(command, folder):
    """Runs only with the variable set: libtpu would query a cloud server."""
    if problem := install(TPU, folder):
        return problem
    done = run([command, "plugins", folder], {**os.environ, "TPU_SKIP_MDS_QUERY": "1"})
    return "" if done.returncode == 0 and re.search(r"PJRT 0\.\d+", done.stdout) else last_line(done)


if __name__ == "__main__":
    sys.exit(main())
