// SPDX-License-Identifier: Apache-2.0
// trace/settings.h -- JAX's settings that a scope may change for its thread: disable_jit, debug_nans, debug_infs,
// checking_leaks, explain_cache_misses, debug_key_reuse, each a flag as well, for the whole process; no_tracing,
// no_execution, log_compiles, log_checkpoint_residuals, numpy_rank_promotion; default_matmul_precision is in lax/precision.h.
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

/// A key was used a second time under debug_key_reuse. jax.errors.KeyReuseError.
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
  kNoTracing,  // scopes alone, as the next
  kNoExecution,
  kLogCompiles,
  kLogCheckpointResiduals,
};
inline constexpr size_t kSettingCount = 10;

/// What the innermost scope of this thread says, else the flag.
/// Errors    throws INVALID_ARGUMENT for a flag whose text in the environment doesn't fit
/// Cost      an atomic load, unless a flag has changed
bool is_on(Setting setting);

/// Has a setting for as long as it lives.
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

/// Settings whose value is a word, of scopes alone. Traces show them: a jitted function is traced anew under another word.
enum class WordSetting : uint8_t { kMatmulPrecision, kRankPromotion };
inline constexpr size_t kWordSettingCount = 2;

/// What the innermost scope of this thread says; empty: nothing.
const std::string& word_of(WordSetting setting);
/// One number for all words of this thread; 0 if there are none.
uint64_t words_in_traces();

/// Has a word for as long as it lives.
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

/// What NumPy's functions of two arrays do where these have different ranks, and neither is a scalar: "allow" (as without
/// it), "warn" or "raise". jax.numpy_rank_promotion.
/// Errors     INVALID_ARGUMENT for another word; of the functions: INVALID_ARGUMENT with both shapes
/// Example    const auto scope = numpy_rank_promotion("raise");
WordScope numpy_rank_promotion(std::string_view what);

/// Functions given to jit run as they are, and cond, switch_, while_loop, fori_loop and scan as C++ loops and branches
/// wherever the values are known, so that a debugger and std::cout see every step. jax.disable_jit.
/// Example    const auto scope = disable_jit();
inline SettingScope disable_jit(bool disable = true) { return {Setting::kDisableJit, disable}; }

/// Every program that runs outside of transformations has its results looked at. Where one holds a NaN the program runs
/// once more, op by op, and the first op that makes one is an Error with its name, the user's line, the loop iterations
/// around it and the operands. jax.debug_nans.
/// Cost       a pass over all results; programs wait for their results
/// Example    const auto scope = debug_nans(true);
inline SettingScope debug_nans(bool on) { return {Setting::kDebugNans, on}; }
/// The same for infinities. jax.debug_infs.
inline SettingScope debug_infs(bool on) { return {Setting::kDebugInfs, on}; }

/// A value that is stored outside of a function under jit while it is traced is an error at the end of the trace, not
/// only where it is used. jax.checking_leaks.
/// Errors     LeakedTracer, with the lines that made the values
inline SettingScope checking_leaks() { return {Setting::kCheckTracerLeaks, true}; }

/// Whenever a jitted function is traced, stderr is told why: what in the arguments differs from the traces there are.
inline SettingScope explain_cache_misses(bool on) { return {Setting::kExplainCacheMisses, on}; }

/// A key of random numbers that is used a second time, eagerly or inside of jit, vmap, cond, scan and while_loop, is an Error
/// with the lines of both uses. split() and all that draws use a key; fold_in doesn't and gives a new one; indexing and
/// reshaping give the same keys. Raw keys are followed as typed ones; pmap isn't looked into. jax.debug_key_reuse.
/// Errors     of the calls: KeyReuseError
/// Cost       programs that are called have their instructions walked at every call; results of moving u32 arrays are
///            remembered with 16 bytes an element
/// Example    const auto scope = debug_key_reuse(true);
inline SettingScope debug_key_reuse(bool on) { return {Setting::kDebugKeyReuse, on}; }

/// A jitted function that would have to be traced is an error: for loops that should only run what is compiled.
/// jax.no_tracing.
/// Errors     of the calls: FAILED_PRECONDITION
inline SettingScope no_tracing() { return {Setting::kNoTracing, true}; }
/// Programs may be traced and compiled, but not run. jax.no_execution.
/// Errors     of what would run: FAILED_PRECONDITION
inline SettingScope no_execution() { return {Setting::kNoExecution, true}; }
/// Whenever a jitted function is traced or compiled, stderr is told, with its name, line and the time it took.
/// jax.log_compiles.
inline SettingScope log_compiles(bool on = true) { return {Setting::kLogCompiles, on}; }
/// Whenever a function under checkpoint is differentiated, stderr is told what it keeps, a line a value: what
/// jax_log_checkpoint_residuals does.
inline SettingScope log_checkpoint_residuals(bool on = true) { return {Setting::kLogCheckpointResiduals, on}; }
/// Errors     FAILED_PRECONDITION: "what, but scope is on here"
[[noreturn]] void refuse_under(std::string_view scope, const std::string& what);

}  // namespace hilo
