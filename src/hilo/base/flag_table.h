// SPDX-License-Identifier: Apache-2.0
// base/flag_table.h -- the table of all flags and environment variables. Code, command line, environment, help and docs
// are derived from it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "hilo/base/flags.h"

namespace hilo {

/// Member that stores a flag's value. Its type is the flag's type.
using FlagField = std::variant<bool FlagValues::*, int64_t FlagValues::*, std::string FlagValues::*,
                               std::optional<std::string> FlagValues::*>;

inline constexpr std::array<std::string_view, 2> kBackendNames = {"xla", "xrt"};
inline constexpr std::array<std::string_view, 3> kEffortNames = {"fastest", "default", "best"};

struct FlagInfo {
  std::string_view name;
  FlagField field;
  std::optional<std::string_view> default_text;  ///< nullopt means no value
  std::string_view help;
  std::span<const std::string_view> choices = {};  ///< values of an enum flag; otherwise empty
  int64_t minimum = INT64_MIN;                     ///< for integer flags
  /// takes precedence over environment_name, which JAX also reads, with another meaning
  std::string_view own_variable = {};

  constexpr bool is_bool() const { return std::holds_alternative<bool FlagValues::*>(field); }
  constexpr bool is_integer() const { return std::holds_alternative<int64_t FlagValues::*>(field); }
  constexpr bool is_enum() const { return !choices.empty(); }
};

inline constexpr std::array<FlagInfo, 27> kFlags = {{
    {"jax_enable_x64", &FlagValues::jax_enable_x64, "false", "Enable 64-bit types to be used."},
    {"jax_dump_hlo_graph", &FlagValues::jax_dump_hlo_graph, std::nullopt, "Regexp of HLO graphs to dump."},
    {"jax_hlo_profile", &FlagValues::jax_hlo_profile, "false", "Enables HLO profiling mode."},
    {"jax_dump_hlo_unoptimized", &FlagValues::jax_dump_hlo_unoptimized, std::nullopt,
     "Dirpath for unoptimized HLO dump."},
    {"jax_dump_hlo_optimized", &FlagValues::jax_dump_hlo_optimized, std::nullopt, "Dirpath for optimized HLO dump."},
    {"jax_dump_hlo_per_pass", &FlagValues::jax_dump_hlo_per_pass, std::nullopt, "Dirpath for per-pass HLO dump."},
    {"jax_replica_count", &FlagValues::jax_replica_count, "1", "Replica count for computations.", {}, 1},
    {"jax_xla_backend", &FlagValues::jax_xla_backend, "xla",
     "Either \"xla\" for the XLA service directly, or \"xrt\" for an XRT backend.", kBackendNames},
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
     "PJRT plugins of other platforms: name:path,name:path. Each path names a plugin, or a .json file with "
     "library_path and create_options. Unset: uses PJRT_NAMES_AND_LIBRARY_PATHS."},
    {"hilo_max_instructions",
     &FlagValues::hilo_max_instructions,
     "1048576",
     "Maximum number of instructions in a program. Called computations count once per call. 0: no limit.",
     {},
     0},
    {"hilo_max_memory",
     &FlagValues::hilo_max_memory,
     "0",
     "Maximum planned memory of a run in bytes: arguments, results, temporaries and constants. 0: the available "
     "memory.",
     {},
     0},
    {"hilo_compile_seconds",
     &FlagValues::hilo_compile_seconds,
     "0",
     "Timeout of a compilation in seconds. 0: no limit.",
     {},
     0},
    {"hilo_effort", &FlagValues::hilo_effort, "default",
     "Time that the compiler spends on faster code: fastest, default or best. The results are the same bits.",
     kEffortNames},
    {"hilo_budget_milliseconds",
     &FlagValues::hilo_budget_milliseconds,
     "0",
     "Time for the generation of good code in milliseconds; what would end later is generated as under hilo_effort "
     "fastest. 0: no limit.",
     {},
     0},
    {"hilo_tiers", &FlagValues::hilo_tiers, "true",
     "Code of hilo_effort fastest, and what a budget left over, is replaced by good code, which another thread "
     "generates "
     "once the program has run for some time."},
    {"hilo_run_seconds", &FlagValues::hilo_run_seconds, "0", "Timeout of a run in seconds. 0: no limit.", {}, 0},
    {"hilo_cache_bytes",
     &FlagValues::hilo_cache_bytes,
     "1073741824",
     "Maximum size of all caches together in bytes: traces, compiled programs, machine code. The least recently used "
     "entry is evicted first.",
     {},
     0},
    {"hilo_disk_cache_bytes",
     &FlagValues::hilo_disk_cache_bytes,
     "1073741824",
     "Maximum size of the compiled programs in the folder HILO_CACHE, in bytes. The least recently used program is "
     "evicted first.",
     {},
     0},
    {"hilo_async_dispatch", &FlagValues::hilo_async_dispatch, "false",
     "Calls return before their programs have run. Reading a result waits for it."},
    {"jax_disable_jit", &FlagValues::jax_disable_jit, "false",
     "Runs functions under jit eagerly. Control flow runs in C++ if its values are known."},
    {"jax_debug_nans", &FlagValues::jax_debug_nans, "false",
     "Reports the first op that computes a NaN as an error. Results are checked; a program with a NaN runs again op by "
     "op."},
    {"jax_debug_infs", &FlagValues::jax_debug_infs, "false",
     "Reports the first op that computes an infinity as an error, like jax_debug_nans."},
    {"jax_check_tracer_leaks", &FlagValues::jax_check_tracer_leaks, "false",
     "Reports a tracer that outlives its trace as an error at the end of the trace."},
    {"jax_explain_cache_misses", &FlagValues::jax_explain_cache_misses, "false",
     "Prints to stderr why a jitted function is traced, each time that it is."},
    {"jax_debug_key_reuse", &FlagValues::jax_debug_key_reuse, "false",
     "Reports a second use of a random key as an error, with the lines of both uses."},
}};

/// An environment variable of hilo that is not a flag.
struct EnvironmentVariable {
  std::string_view name;
  std::string_view default_text;
  std::string_view help;
};

inline constexpr std::array<EnvironmentVariable, 20> kEnvironmentVariables = {{
    {"HILO_LOG", "warning", "Level of the log on stderr: off, error, warning, info or debug."},
    {"HILO_NUM_THREADS", "all the process may use", "Maximum number of threads. 1: only the caller's thread."},
    {"HILO_ISA", "the machine's widest", "Vector instructions that kernels use: sse2, avx2 or avx512."},
    {"HILO_DENORMALS", "keep",
     "keep: denormal numbers lose precision gradually, as IEEE 754 specifies. flush: they are zero, as in XLA on CPU, "
     "and cost no time."},
    {"HILO_CACHE", "$XDG_CACHE_HOME/hilo, else ~/.cache/hilo",
     "Folder of the compiled programs that processes share. off: no folder."},
    {"HILO_JIT_SYMBOLS", "unset",
     "Tools that receive the names of compiled functions: perf (through /tmp/perf-PID.map), gdb, or perf,gdb."},
    {"HILO_PROFILE_DIR", "unset", "Folder for the profiles that a process under jax_hlo_profile writes at its end."},
    {"HILO_XRT_TOKEN_FILE", "unset",
     "File of mode 600 with the token of the server at jax_backend_target. Unset: the token that this user's server on "
     "loopback has published."},
    {"HILO_XRT_TLS_CA", "unset", "PEM file of the authority that signed the server's certificate. Unset: no TLS."},
    {"HILO_XRT_TLS_CERTIFICATE", "unset", "PEM file of this client's certificate, for servers that request one."},
    {"HILO_XRT_TLS_KEY", "unset", "PEM file of that certificate's private key."},
    {"HILO_XRT_RECONNECT_SECONDS", "30", "Time in seconds for which a client tries to reconnect to its server."},
    {"HILO_MPI_LIBRARY", "the launcher's",
     "MPI library for collectives between processes of mpirun: libmpi.so.40 or libmpich.so.12."},
    {"HILO_HEARTBEAT_SECONDS", "3",
     "Time in seconds after which a process of mpirun without a heartbeat counts as lost. Increase it to use a "
     "debugger."},
    {"HILO_HEARTBEAT_INTERFACE", "the first that isn't loopback",
     "Network interface for heartbeats between machines, for example eth0."},
    {"HILO_NO_BLAS", "unset",
     "Any text: OpenBLAS is not loaded. Products use hilo's own kernels; functions that need LAPACK fail."},
    {"HILO_VERIFY_CODE", "unset", "1: verifies the LLVM code of each kernel; for developers of hilo."},
    {"HILO_GUARD", "end",
     "Only in builds with guard pages: which side of a buffer touches its guard page, end or begin."},
    {"PJRT_NAMES_AND_LIBRARY_PATHS", "unset",
     "PJRT plugins of other platforms, as in JAX. hilo_pjrt_plugins takes precedence."},
    {"NO_COLOR", "unset", "Any text: disables colour on terminals."},
}};

/// Returns the flag's environment variable: "jax_enable_x64" -> "JAX_ENABLE_X64".
std::string environment_name(const FlagInfo& flag);

/// Describes a flag's values: "true or false", "an integer >= 1", "xla or xrt", "text".
std::string flag_values_text(const FlagInfo& flag);

}  // namespace hilo
