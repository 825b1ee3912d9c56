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

/// The values of all flags at one point in time.
struct FlagValues {
  bool jax_enable_x64;
  std::optional<std::string> jax_dump_hlo_graph;  ///< a value counts even if it is empty
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
  std::string hilo_effort;
  int64_t hilo_budget_milliseconds;
  bool hilo_tiers;
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

/// Returns the values of all flags. Precedence: code, command line, environment, default. The environment is read at
/// the first call, not when the library is loaded. The returned snapshot never changes.
/// Errors    INVALID_ARGUMENT naming the environment variable with an invalid value, unless code or command line
///           override it
/// Cost      one atomic load and a reference count, unless a flag has changed
StatusOr<std::shared_ptr<const FlagValues>> flags();

/// Returns the value of jax_enable_x64.
/// Cost      one atomic load
StatusOr<bool> x64_enabled();

/// Returns the number of flag changes. It is part of the keys of traced and compiled programs.
uint64_t flags_version();

void or_throw(const Status& status);  // array/error.h

/// Result of a setter that throws its errors as hilo::Error. It is always a success and may be ignored.
struct Done : Status {};

/// Sets flags from code, which takes precedence over all other sources. Thread-safe.
class Config {
 public:
  /// Sets a flag. Text is parsed as on the command line.
  /// Errors    throws INVALID_ARGUMENT for an unknown name (with the most similar one) or an invalid value; then
  ///           nothing changes
  /// Example   config().update("jax_enable_x64", true);
  template <typename T>
  Done update(std::string_view name, const T& value) {
    hilo::or_throw(set(name, value));
    return {};
  }
  /// Removes the value that code has set, so that command line, environment and default apply again.
  /// Errors    throws INVALID_ARGUMENT for an unknown name
  Done clear(std::string_view name) {
    hilo::or_throw(unset(name));
    return {};
  }

  /// Like update, but returns the error.
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

/// Returns the process's Config.
Config& config();

/// The same interface in JAX's notation.
/// Example   config::update("jax_enable_x64", true);
struct config {
  template <typename T>
  static Done update(std::string_view name, const T& value) {
    return hilo::config().update(name, value);
  }
};

/// Sets one flag from a command line. The name may have leading dashes. Without a value a boolean flag becomes true;
/// with the prefix "no" it becomes false.
/// Errors    INVALID_ARGUMENT for an unknown flag (with the most similar name), or a missing or invalid value
Status set_from_command_line(std::string_view name, std::optional<std::string_view> value);

/// Removes all values from code and command line, and reads the environment again at the next use. For tests.
void reset_flags();

/// Returns the flags' part of --help: one paragraph per flag, at most 100 columns wide.
std::string flags_help();

/// Returns the contents of docs/flags.md: all flags and hilo's environment variables.
std::string flags_markdown();

}  // namespace hilo
