// SPDX-License-Identifier: Apache-2.0
// trace/settings.h -- JAX's settings that a scope changes for its thread. disable_jit, debug_nans, debug_infs,
// checking_leaks, explain_cache_misses and debug_key_reuse are also flags for the whole process. no_tracing,
// no_execution, log_compiles, log_checkpoint_residuals and numpy_rank_promotion are only scopes.
// default_matmul_precision is in lax/precision.h.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>

#include "hilo/array/error.h"

namespace hilo {

/// A NaN or an infinity under debug_nans or debug_infs.
class FloatingPointError : public Error {
 public:
  using Error::Error;
};

/// A key was used twice under debug_key_reuse. jax.errors.KeyReuseError.
class KeyReuseError : public Error {
 public:
  using Error::Error;
};

/// Rows of kFlags, which has the names and texts of those that are flags.
enum class Setting : uint8_t {
  kDisableJit,
  kDebugNans,
  kDebugInfs,
  kCheckTracerLeaks,
  kExplainCacheMisses,
  kDebugKeyReuse,
  kNoTracing,  // these and the following are only scopes
  kNoExecution,
  kLogCompiles,
  kLogCheckpointResiduals,
};
inline constexpr size_t kSettingCount = 10;

/// Returns the value of the innermost scope of this thread, else of the flag.
/// Errors     throws INVALID_ARGUMENT for an invalid value of the flag in the environment
/// Cost       an atomic load, unless a flag has changed
bool is_on(Setting setting);
/// Whether no Setting is on. May be false if another thread has a scope.
/// Errors     as is_on
/// Cost       three atomic loads, unless a flag has changed
bool all_settings_off();

/// Sets a setting for the lifetime of the object.
class [[nodiscard("the setting ends with the object: const auto scope = ...;")]] SettingScope {
 public:
  SettingScope(Setting setting, bool value);
  ~SettingScope();
  SettingScope(const SettingScope&) = delete;
  SettingScope& operator=(const SettingScope&) = delete;

 private:
  Setting setting_;
  std::optional<bool> before_;
};

/// Settings with a string value, set only by scopes. Traces depend on them: a jitted function is retraced for another
/// value.
enum class WordSetting : uint8_t { kMatmulPrecision, kRankPromotion };
inline constexpr size_t kWordSettingCount = 2;

/// Returns the value of the innermost scope of this thread; empty if none exists.
const std::string& word_of(WordSetting setting);
/// Returns a number that identifies all string settings of this thread; 0 if none exist.
uint64_t words_in_traces();

/// Sets a string setting for the lifetime of the object.
class [[nodiscard("the setting ends with the object: const auto scope = ...;")]] WordScope {
 public:
  WordScope(WordSetting setting, std::string word);
  ~WordScope();
  WordScope(const WordScope&) = delete;
  WordScope& operator=(const WordScope&) = delete;

 private:
  WordSetting setting_;
  std::string before_;
};

/// Sets how NumPy functions treat two arrays of different ranks, neither a scalar, until the returned object is
/// destroyed: "allow" (the default), "warn" or "raise". jax.numpy_rank_promotion.
/// Errors     INVALID_ARGUMENT for another word; from the functions: INVALID_ARGUMENT with both shapes
/// Example    const auto scope = numpy_rank_promotion("raise");
WordScope numpy_rank_promotion(std::string_view what);

/// Runs jitted functions without compilation, and control flow with known values as C++ loops and branches, until the
/// returned object is destroyed: jax.disable_jit. A debugger and std::cout then see every step.
/// Example    const auto scope = disable_jit();
inline SettingScope disable_jit(bool disable = true) { return {Setting::kDisableJit, disable}; }

/// Checks the results of every program for NaNs until the returned object is destroyed: jax.debug_nans. If there is
/// one, the program runs again, operation by operation. The first operation that produces a NaN is reported as an Error
/// with its name, the user's line, the iterations of surrounding loops and the operands.
/// Cost       a pass over all results; programs wait for their results
/// Example    const auto scope = debug_nans(true);
inline SettingScope debug_nans(bool on) { return {Setting::kDebugNans, on}; }
/// Checks the results of every program for infinities: jax.debug_infs.
inline SettingScope debug_infs(bool on) { return {Setting::kDebugInfs, on}; }

/// Reports tracers that are stored outside of a jitted function at the end of its trace, instead of at their use:
/// jax.checking_leaks.
/// Errors     LeakedTracer, with the lines that created the values
inline SettingScope checking_leaks() { return {Setting::kCheckTracerLeaks, true}; }

/// Prints on stderr, whenever a jitted function is traced, how the arguments differ from those of existing traces:
/// jax.explain_cache_misses.
inline SettingScope explain_cache_misses(bool on) { return {Setting::kExplainCacheMisses, on}; }

/// Reports random keys that are used twice, eagerly or inside of jit, vmap, cond, scan and while_loop:
/// jax.debug_key_reuse. split() and all sampling functions use a key; fold_in doesn't, and returns a new one; indexing
/// and reshaping return the same keys. Raw and typed keys are both tracked; calls inside of pmap aren't.
/// Errors     from the calls: KeyReuseError with the lines of both uses
/// Cost       each call of a program walks its instructions; results of operations that move u32 arrays need 16 bytes
///            per element
/// Example    const auto scope = debug_key_reuse(true);
inline SettingScope debug_key_reuse(bool on) { return {Setting::kDebugKeyReuse, on}; }

/// Makes tracing of a jitted function an error, for loops that should only run compiled programs: jax.no_tracing.
/// Errors     from the calls: FAILED_PRECONDITION
inline SettingScope no_tracing() { return {Setting::kNoTracing, true}; }
/// Allows tracing and compilation but no execution: jax.no_execution.
/// Errors     from executions: FAILED_PRECONDITION
inline SettingScope no_execution() { return {Setting::kNoExecution, true}; }
/// Prints on stderr the name, line and duration whenever a jitted function is traced or compiled: jax.log_compiles.
inline SettingScope log_compiles(bool on = true) { return {Setting::kLogCompiles, on}; }
/// Prints on stderr the stored values, one line each, whenever a function under checkpoint is differentiated:
/// jax_log_checkpoint_residuals.
inline SettingScope log_checkpoint_residuals(bool on = true) { return {Setting::kLogCheckpointResiduals, on}; }
/// Throws FAILED_PRECONDITION: "what, but scope is on here".
[[noreturn]] void refuse_under(std::string_view scope, const std::string& what);

}  // namespace hilo
