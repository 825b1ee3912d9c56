#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the client in whole processes: flags from command line and environment, the search for a GPU, completion.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from command import ROOT, holds, run_cases  # noqa: E402

PROGRAM = """HloModule double

ENTRY main {
  x = f32[2] parameter(0)
  ROOT y = f32[2] add(x, x)
}
"""
WARNING = "No GPU found, falling back to CPU."
RUN = ("run", "double.hlo", "--random", "1")
# The texts of early JAX, written here a second time so that the table can't drift.
FLAGS = {
    "jax_enable_x64": ("false", "Enable 64-bit types to be used."),
    "jax_dump_hlo_graph": ("none", "Regexp of HLO graphs to dump."),
    "jax_hlo_profile": ("false", "Enables HLO profiling mode."),
    "jax_dump_hlo_unoptimized": ("none", "Dirpath for unoptimized HLO dump."),
    "jax_dump_hlo_optimized": ("none", "Dirpath for optimized HLO dump."),
    "jax_dump_hlo_per_pass": ("none", "Dirpath for per-pass HLO dump."),
    "jax_replica_count": ("1", "Replica count for computations."),
    "jax_xla_backend": ("xla", 'Either "xla" for the XLA service directly, or "xrt" for an XRT backend.'),
    "jax_backend_target": ("local", 'Either "local" or "rpc:address" to connect to a remote service target.'),
    "jax_platform_name": ("empty", "Platform name for XLA. The default is to attempt to use a GPU if available, but fall "
                          'back to CPU otherwise. To set the platform manually, pass "Host" for CPU or "CUDA" for GPU.'),
    # Of later JAX.
    "jax_disable_jit": ("false", "Runs functions under jit eagerly. Control flow runs in C++ if its values are known."),
    "jax_debug_nans": ("false", "Reports the first op that computes a NaN as an error. Results are checked; a program with a NaN runs "
                       "again op by op."),
    "jax_debug_infs": ("false", "Reports the first op that computes an infinity as an error, like jax_debug_nans."),
    "jax_check_tracer_leaks": ("false", "Reports a tracer that outlives its trace as an error at the end of the trace."),
    "jax_explain_cache_misses": ("false", "Prints to stderr why a jitted function is traced, each time that it is."),
    "jax_debug_key_reuse": ("false", "Reports a second use of a random key as an error, with the lines of both uses."),
}


def help_has_each_flag_with_its_default_and_text_word_for_word(place):
    text = " ".join(place.good("run", "--help").split())
    for name, (default, meaning) in FLAGS.items():
        assert re.search(rf"--{name} \([^()]*; default: {default}\) {re.escape(meaning)}", text), name
    assert len(re.findall(r"--jax_\w+", text)) == len(FLAGS)


def command_line_counts_before_environment_before_default(place):
    holds(place.good(*RUN, "--jax_platform_name=Reference", environment={"JAX_PLATFORM_NAME": "Host"}), "on Reference")
    holds(place.good(*RUN, environment={"JAX_PLATFORM_NAME": "Reference"}), "on Reference")
    holds(place.good(*RUN), "on Host")


def values_may_stand_behind_an_equals_sign_or_a_space(place):
    holds(place.good(*RUN, "--jax_platform_name=Reference"), "on Reference")
    holds(place.good(*RUN, "--jax_platform_name", "Reference"), "on Reference")
    holds(place.good("run", "--jax_platform_name", "Reference", *RUN[1:]), "on Reference")
    holds(place.good(*RUN, "--jax_platform_name=Abacus", "--jax_platform_name=Reference"), "on Reference")  # the last


def an_empty_value_is_a_value(place):
    place.good(*RUN, "--jax_dump_hlo_graph=", "--jax_dump_hlo_optimized=d")
    assert any(name.endswith(".html") for name in place.files("d/hlo_graph"))
    place.good(*RUN, "--jax_dump_hlo_per_pass=", "--jax_dump_hlo_unoptimized", "")
    assert place.files(".") == ["d", "double.hlo"]
    holds(place.bad(2, *RUN, "--jax_enable_x64="), "--jax_enable_x64: value does not fit; got ''")


def profiled(place, *arguments, **options) -> bool:
    """Whether the flag jax_hlo_profile is on, by what it does."""
    done = place.run(*RUN, *arguments, **options)
    assert done.returncode == 0, done.stderr
    return "profile of double: " in done.stderr


def booleans_take_twelve_words_in_any_case(place):
    for word in ("y", "YES", "t", "True", "on", "1"):
        assert profiled(place, f"--jax_hlo_profile={word}"), word
    for word in ("n", "NO", "f", "False", "off", "0"):
        assert not profiled(place, f"--jax_hlo_profile={word}", environment={"JAX_HLO_PROFILE": "yes"}), word
    assert profiled(place, "--jax_hlo_profile")
    assert not profiled(place, "--nojax_hlo_profile", environment={"JAX_HLO_PROFILE": "yes"})


def a_bad_boolean_names_its_flag_or_variable(place):
    holds(place.bad(2, *RUN, "--jax_enable_x64=maybe"), "INVALID_ARGUMENT: --jax_enable_x64:", "got 'maybe'")
    holds(place.bad(1, *RUN, environment={"JAX_ENABLE_X64": "maybe"}), "INVALID_ARGUMENT: JAX_ENABLE_X64:", "got 'maybe'")


def a_bad_choice_or_number_names_its_flag(place):
    holds(place.bad(2, *RUN, "--jax_xla_backend=xlaa"), "--jax_xla_backend", "wanted xla or xrt", "did you mean 'xla'?")
    holds(place.bad(2, *RUN, "--jax_replica_count=0"), "--jax_replica_count", "wanted an integer >= 1")


def flags_are_not_read_before_the_client_is_used(place):
    place.good("convert", "--to", "hlo", "double.hlo", environment={"JAX_ENABLE_X64": "maybe"})


def without_a_gpu_the_warning_comes_once_on_stderr_and_host_is_taken(place):
    done = place.run(*RUN)
    assert done.returncode == 0 and "on Host" in done.stdout, done
    assert done.stderr == f"hilo: warning: {WARNING}\n", done.stderr


def a_named_platform_is_no_reason_for_a_warning(place):
    assert place.run(*RUN, "--jax_platform_name=Host").stderr == ""
    holds(place.bad(1, *RUN, "--jax_platform_name=CUDA"), "platform 'CUDA'")


def stub_driver(place, **variables) -> dict[str, str]:
    """The environment in which a stub takes the driver's place."""
    library = place.folder / "libcuda.so.1"
    subprocess.run([os.environ.get("CXX", "g++"), "-shared", "-fPIC", ROOT / "tests/backend/cuda/fake_driver.cc", "-o", library],
                   check=True)
    return {"LD_LIBRARY_PATH": str(place.folder), **variables}


def with_a_driver_that_reports_a_device_this_build_has_no_cuda(place):
    environment = stub_driver(place, STUB_DEVICES="2")
    error = place.bad(1, *RUN, "--jax_platform_name=CUDA", environment=environment)
    holds(error, "UNIMPLEMENTED: platform 'CUDA': the driver reports 2 devices, but this build of hilo has no CUDA")
    assert WARNING not in error
    done = place.run(*RUN, environment=environment)
    assert done.returncode == 0 and "on Host" in done.stdout and done.stderr.count(WARNING) == 1, done


def a_driver_without_devices_or_that_does_not_start_is_no_gpu(place):
    for variables, words in (({"STUB_DEVICES": "0"}, "reports no device"), ({"STUB_INIT": "100"}, "cuInit returned 100")):
        environment = stub_driver(place, **variables)
        holds(place.bad(1, *RUN, "--jax_platform_name=CUDA", environment=environment),
              "NOT_FOUND: platform 'CUDA' has no devices", words)


def xrt_names_its_target(place):
    holds(place.bad(1, *RUN, "--jax_xla_backend=xrt", "--jax_backend_target=rpc:127.0.0.1:1"), "UNAVAILABLE", "rpc:127.0.0.1:1")
    holds(place.bad(1, *RUN, "--jax_xla_backend=xrt", "--jax_backend_target=rpc:far"), "INVALID_ARGUMENT", "wanted rpc:host:port")
    holds(place.bad(1, *RUN, "--jax_backend_target=rpc:far:8470"), "jax_backend_target", "--jax_xla_backend=xrt")
    holds(place.bad(1, *RUN, "--jax_backend_target=far"), "jax_backend_target", "wanted local or rpc:address")


def with_replicas_a_program_runs_on_the_first(place):
    first, second = (place.good(*RUN, f"--jax_replica_count={count}").splitlines()[0] for count in (1, 2))
    assert first == second, (first, second)


def completed(place, *words: str) -> list[str]:
    """What bash offers for the last word of a command line."""
    script = place.good("completion")
    line = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hilo; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", f"{script}\n{line}", "bash", "hilo", *words], capture_output=True, text=True,
                          check=True)
    assert done.stderr == "", done.stderr
    return done.stdout.split()


def completion_knows_subcommands_options_flags_and_values(place):
    assert completed(place, "r") == ["run"]
    assert completed(place, "run", "--rep") == ["--repeat"]
    assert completed(place, "run", "--jax_") == [f"--{name}" for name in FLAGS]
    assert completed(place, "run", "--jax_xla_backend", "=", "") == ["xla", "xrt"]
    assert completed(place, "run", "--jax_xla_backend", "=") == ["xla", "xrt"]
    assert completed(place, "run", "--jax_xla_backend", "xr") == ["xrt"]
    assert completed(place, "run", "--jax_enable_x64", "=", "t") == ["true"]
    assert completed(place, "run", "--engine", "c") == ["cpu"]
    assert {"hlo", "dot", "html"} <= set(completed(place, "convert", "--to", ""))
    assert completed(place, "opt", "--jax_") == []
    assert completed(place, "run", "doub") == []  # bash itself offers files


CASES = (help_has_each_flag_with_its_default_and_text_word_for_word,
         command_line_counts_before_environment_before_default,
         values_may_stand_behind_an_equals_sign_or_a_space, an_empty_value_is_a_value,
         booleans_take_twelve_words_in_any_case, a_bad_boolean_names_its_flag_or_variable,
         a_bad_choice_or_number_names_its_flag, flags_are_not_read_before_the_client_is_used,
         without_a_gpu_the_warning_comes_once_on_stderr_and_host_is_taken, a_named_platform_is_no_reason_for_a_warning,
         with_a_driver_that_reports_a_device_this_build_has_no_cuda,
         a_driver_without_devices_or_that_does_not_start_is_no_gpu, xrt_names_its_target,
         with_replicas_a_program_runs_on_the_first, completion_knows_subcommands_options_flags_and_values)

if __name__ == "__main__":
    sys.exit(run_cases(__doc__, CASES, {"double.hlo": PROGRAM}))
