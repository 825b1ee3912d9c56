// SPDX-License-Identifier: Apache-2.0
// base/flag_table.h -- all flags and environment variables, in one table that feeds code, command line, environment, help and
// docs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "hilo/base/flags.h"

namespace hilo {

/// Where a flag's value is kept; the kind of the member is the kind of the flag.
using FlagField = std::variant<bool FlagValues::*, int64_t FlagValues::*, std::string FlagValues::*,
                               std::optional<std::string> FlagValues::*>;

struct FlagInfo {
  std::string_view name;
  FlagField field;
  std::optional<std::string_view> default_text;  ///< nullopt: no value
  std::string_view help;
  std::array<std::string_view, 2> choices = {};  ///< of an enum flag; else empty
  int64_t minimum = INT64_MIN;                   ///< of an integer flag
  std::string_view own_variable = {};            ///< outranks environment_name, which JAX reads too and in another way

  constexpr bool is_bool() const { return std::holds_alternative<bool FlagValues::*>(field); }
  constexpr bool is_integer() const { return std::holds_alternative<int64_t FlagValues::*>(field); }
  constexpr bool is_enum() const { return !choices[0].empty(); }
};

inline constexpr std::array<FlagInfo, 24> kFlags = {{
    {"jax_enable_x64", &FlagValues::jax_enable_x64, "false", "Enable 64-bit types to be used."},
    {"jax_dump_hlo_graph", &FlagValues::jax_dump_hlo_graph, std::nullopt, "Regexp of HLO graphs to dump."},
    {"jax_hlo_profile", &FlagValues::jax_hlo_profile, "false", "Enables HLO profiling mode."},
    {"jax_dump_hlo_unoptimized", &FlagValues::jax_dump_hlo_unoptimized, std::nullopt,
     "Dirpath for unoptimized HLO dump."},
    {"jax_dump_hlo_optimized", &FlagValues::jax_dump_hlo_optimized, std::nullopt, "Dirpath for optimized HLO dump."},
    {"jax_dump_hlo_per_pass", &FlagValues::jax_dump_hlo_per_pass, std::nullopt, "Dirpath for per-pass HLO dump."},
    {"jax_replica_count", &FlagValues::jax_replica_count, "1", "Replica count for computations.", {}, 1},
    {"jax_xla_backend",
     &FlagValues::jax_xla_backend,
     "xla",
     "Either \"xla\" for the XLA service directly, or \"xrt\" for an XRT backend.",
     {"xla", "xrt"}},
    {"jax_backend_target", &FlagValues::jax_backend_target, "local",
     "Either \"local\" or \"rpc:address\" to connect to a remote service target."},
    {"jax_platform_name",
     &FlagValues::jax_platform_name,
     "",
     "Platform name for XLA. The default is to attempt to use a GPU if available, but fall back to CPU "
     "otherwise. To "
     "set the platform manually, pass \"Host\" for CPU or \"CUDA\" for GPU.",
     {},
     INT64_MIN,
     "HILO_PLATFORM"},
    {"hilo_pjrt_plugins", &FlagValues::hilo_pjrt_plugins, "",
     "Platforms of others: name:path,name:path. A path is that of a PJRT plugin, or of a .json file with library_path "
     "and "
     "create_options. Unset: as PJRT_NAMES_AND_LIBRARY_PATHS says."},
    {"hilo_max_instructions",
     &FlagValues::hilo_max_instructions,
     "1048576",
     "Instructions that a program may have, with all that it calls counted at every call. 0: any number.",
     {},
     0},
    {"hilo_max_memory",
     &FlagValues::hilo_max_memory,
     "0",
     "Bytes that a run may take, as planned: arguments, results, temporaries and constants. 0: what can be had.",
     {},
     0},
    {"hilo_compile_seconds",
     &FlagValues::hilo_compile_seconds,
     "0",
     "Seconds that a compilation may take. 0: as long as it takes.",
     {},
     0},
    {"hilo_run_seconds",
     &FlagValues::hilo_run_seconds,
     "0",
     "Seconds that a run of a program may take. 0: as long as it takes.",
     {},
     0},
    {"hilo_cache_bytes",
     &FlagValues::hilo_cache_bytes,
     "1073741824",
     "The most bytes that all caches together keep: traces, compiled programs, machine code. What was used least "
     "recently "
     "goes first.",
     {},
     0},
    {"hilo_disk_cache_bytes",
     &FlagValues::hilo_disk_cache_bytes,
     "1073741824",
     "The most bytes that compiled programs take in the folder of HILO_CACHE. What was used least recently goes first.",
     {},
     0},
    {"hilo_async_dispatch", &FlagValues::hilo_async_dispatch, "false",
     "Calls return before their programs have run; who reads a result waits for it."},
    {"jax_disable_jit", &FlagValues::jax_disable_jit, "false",
     "Functions under jit run as they are, and control flow in C++ where its values are known."},
    {"jax_debug_nans", &FlagValues::jax_debug_nans, "false",
     "The op that first makes a NaN is an error: results are looked at, and bad programs run again op by op."},
    {"jax_debug_infs", &FlagValues::jax_debug_infs, "false",
     "The op that first makes an infinity is an error, as for jax_debug_nans."},
    {"jax_check_tracer_leaks", &FlagValues::jax_check_tracer_leaks, "false",
     "A traced value that outlives its trace is an error at the end of the trace."},
    {"jax_explain_cache_misses", &FlagValues::jax_explain_cache_misses, "false",
     "Says on stderr, each time that a jitted function is traced, why it had to be."},
    {"jax_debug_key_reuse", &FlagValues::jax_debug_key_reuse, "false",
     "A key of random numbers that is used a second time is an error, with both lines."},
}};

/// A variable of the environment that is hilo's own and no flag.
struct EnvironmentVariable {
  std::string_view name;
  std::string_view default_text;
  std::string_view help;
};

inline constexpr std::array<EnvironmentVariable, 20> kEnvironmentVariables = {{
    {"HILO_LOG", "warning", "What is told on stderr: off, error, warning, info or debug."},
    {"HILO_NUM_THREADS", "all the process may use", "At most so many threads work; 1 uses the caller's thread alone."},
    {"HILO_ISA", "the machine's widest", "Vector instructions that kernels use: sse2, avx2 or avx512."},
    {"HILO_DENORMALS", "keep",
     "keep: numbers below the least normal lose precision step by step, as IEEE 754 says; flush: they are zero, as in "
     "XLA on CPU, and cost no time."},
    {"HILO_CACHE", "$XDG_CACHE_HOME/hilo, else ~/.cache/hilo",
     "The folder of compiled programs that processes share; off: none."},
    {"HILO_JIT_SYMBOLS", "unset",
     "Who is told the names of compiled functions: perf (through /tmp/perf-PID.map), gdb, or perf,gdb."},
    {"HILO_PROFILE_DIR", "unset",
     "Where the files of profiles go at the end of a process that ran under jax_hlo_profile."},
    {"HILO_XRT_TOKEN_FILE", "unset",
     "The file with the token of the server at jax_backend_target, of mode 600; unset: the token that a server of this "
     "user on loopback has published."},
    {"HILO_XRT_TLS_CA", "unset", "The PEM file of the authority that signed a server's certificate; unset: no TLS."},
    {"HILO_XRT_TLS_CERTIFICATE", "unset", "The PEM file of this client's certificate, where a server asks for one."},
    {"HILO_XRT_TLS_KEY", "unset", "The PEM file of that certificate's key."},
    {"HILO_XRT_RECONNECT_SECONDS", "30",
     "Seconds for which a client tries to reach its server again after the connection broke."},
    {"HILO_MPI_LIBRARY", "the launcher's",
     "The library of MPI that processes of mpirun meet by: libmpi.so.40, libmpich.so.12."},
    {"HILO_HEARTBEAT_SECONDS", "3",
     "A process of mpirun that is silent for so long is lost; more for one in a debugger."},
    {"HILO_HEARTBEAT_INTERFACE", "the first that isn't loopback",
     "The network interface by which processes on several machines hear that each other lives: eth0."},
    {"HILO_NO_BLAS", "unset",
     "Any text: OpenBLAS is not opened. Products use hilo's own kernels; functions that need LAPACK are errors."},
    {"HILO_VERIFY_CODE", "unset", "1: the LLVM code of each kernel is verified; for work on hilo itself."},
    {"HILO_GUARD", "end", "Builds with guard pages only: a buffer touches its guard page at its end or begin."},
    {"PJRT_NAMES_AND_LIBRARY_PATHS", "unset", "Platforms of others, as JAX has them; hilo_pjrt_plugins comes first."},
    {"NO_COLOR", "unset", "Any text turns colour off on terminals too."},
}};

/// "jax_enable_x64" -> "JAX_ENABLE_X64".
std::string environment_name(const FlagInfo& flag);

/// What a flag takes: "true or false", "an integer >= 1", "xla or xrt", "text".
std::string flag_values_text(const FlagInfo& flag);

}  // namespace hilo
