// SPDX-License-Identifier: Apache-2.0
// base/flags.h -- the flags of early JAX and hilo's limits: their values, and how code and command lines set them.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo {

/// The value of every flag, as it stands at one moment.
struct FlagValues {
  bool jax_enable_x64;
  std::optional<std::string> jax_dump_hlo_graph;  ///< a value counts even when it is empty
  bool jax_hlo_profile;
  std::optional<std::string> jax_dump_hlo_unoptimized;
  std::optional<std::string> jax_dump_hlo_optimized;
  std::optional<std::string> jax_dump_hlo_per_pass;
  int64_t jax_replica_count;
  std::string jax_xla_backend;
  std::string jax_backend_target;
  std::string jax_platform_name;
  std::string hilo_pjrt_plugins;
  int64_t hilo_max_instructions;
  int64_t hilo_max_memory;
  int64_t hilo_compile_seconds;
  int64_t hilo_run_seconds;
  int64_t hilo_cache_bytes;
  int64_t hilo_disk_cache_bytes;
  bool hilo_async_dispatch;
  bool jax_disable_jit;
  bool jax_debug_nans;
  bool jax_debug_infs;
  bool jax_check_tracer_leaks;
  bool jax_explain_cache_misses;
  bool jax_debug_key_reuse;
};

/// Every flag's value: code before command line before environment before default.
/// The environment is read at the first call, not when the library is loaded. The snapshot never changes.
/// Errors    INVALID_ARGUMENT names the variable whose text does not fit its flag, if nothing outranks it.
/// Cost      one atomic load and a reference count, unless a flag changed.
StatusOr<std::shared_ptr<const FlagValues>> flags();

/// jax_enable_x64 alone. Cost    one atomic load.
StatusOr<bool> x64_enabled();

/// Counts changes of any flag; part of the key of what was traced or compiled under the flags.
uint64_t flags_version();

void or_throw(const Status& status);  // array/error.h

/// What a setter for users returns, which throws its errors as hilo::Error: success, which may be ignored.
struct Done : Status {};

/// Values set by the program, which outrank all others. Thread safe.
class Config {
 public:
  /// Text is read as on the command line.
  /// Errors    throws INVALID_ARGUMENT for an unknown name (with the nearest one) or a value that does not fit; nothing
  ///           changes
  /// Example   config().update("jax_enable_x64", true);
  template <typename T>
  Done update(std::string_view name, const T& value) {
    hilo::or_throw(set(name, value));
    return {};
  }
  /// Forgets what code set: command line, environment and default count again.
  /// Errors    throws INVALID_ARGUMENT for an unknown name
  Done clear(std::string_view name) {
    hilo::or_throw(unset(name));
    return {};
  }

  /// The same, whose errors are returned.
  template <typename T>
    requires std::integral<T>
  Status set(std::string_view name, T value) {
    if constexpr (std::same_as<T, bool>) return set_bool(name, value);
    else return set_integer(name, value);
  }
  Status set(std::string_view name, std::string_view value);
  Status set(std::string_view name, const char* value) { return set(name, std::string_view(value)); }
  Status set(std::string_view name, const std::string& value) { return set(name, std::string_view(value)); }
  Status unset(std::string_view name);

 private:
  Status set_bool(std::string_view name, bool value);
  Status set_integer(std::string_view name, int64_t value);
};

/// The process's only Config.
Config& config();

/// The same as JAX writes it. jax.config.
/// Example    config::update("jax_enable_x64", true);
struct config {
  template <typename T>
  static Done update(std::string_view name, const T& value) {
    return hilo::config().update(name, value);
  }
};

/// Takes one flag of a command line: the name with or without dashes. Without a value a boolean flag is true,
/// and "no" before its name makes it false. Errors    INVALID_ARGUMENT for an unknown flag (with the nearest
/// name), a missing value or one that does not fit.
Status set_from_command_line(std::string_view name, std::optional<std::string_view> value);

/// Forgets all that code and command line set, and reads the environment again at the next use. For tests.
void reset_flags();

/// The flags' part of --help, one paragraph per flag, at most 100 columns wide.
std::string flags_help();

/// docs/flags.md: the same table for readers, and hilo's environment variables.
std::string flags_markdown();

}  // namespace hilo
