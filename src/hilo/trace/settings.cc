// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/settings.h"

#include <array>
#include <atomic>
#include <utility>

#include "hilo/array/error.h"
#include "hilo/base/flags.h"
#include "hilo/base/memoize.h"
#include "hilo/base/sizes.h"
#include "hilo/base/text.h"

namespace hilo {
namespace {

using Scoped = std::array<std::optional<bool>, kSettingCount>;

constinit thread_local Scoped scoped{};
/// Scopes of all threads. Usually none exist, and then no thread searches its own.
constinit std::atomic<int> scopes{0};
/// The most recent values of the flags, one bit each, above them the version of the flags.
constinit std::atomic<uint64_t> seen_flags{0};

// Words of a thread, used if any thread has a scope.
thread_local std::array<std::string, kWordSettingCount> words;
constinit std::atomic<int> word_scopes{0};

uint64_t bits_of(const FlagValues& flags) {
  const bool values[] = {flags.jax_disable_jit,        flags.jax_debug_nans,           flags.jax_debug_infs,
                         flags.jax_check_tracer_leaks, flags.jax_explain_cache_misses, flags.jax_debug_key_reuse};
  uint64_t bits = 0;
  for (size_t i = 0; i < std::size(values); ++i) bits |= uint64_t{values[i]} << i;
  return bits;
}

/// Returns the bits of the current values of the flags.
uint64_t flag_bits() {
  const uint64_t version = flags_version();
  uint64_t seen = seen_flags.load(std::memory_order_relaxed);
  if (seen >> kSettingCount != version) {
    seen = version << kSettingCount | bits_of(*or_throw(flags()));
    seen_flags.store(seen, std::memory_order_relaxed);
  }
  return seen & ((uint64_t{1} << kSettingCount) - 1);
}

}  // namespace

bool is_on(Setting setting) {
  const auto i = ordinal(setting);
  if (scopes.load(std::memory_order_relaxed) != 0 && scoped[i]) return *scoped[i];
  return (flag_bits() >> i & 1) != 0;
}

bool all_settings_off() { return scopes.load(std::memory_order_relaxed) == 0 && flag_bits() == 0; }

const std::string& word_of(WordSetting setting) {
  static const std::string kNone;
  return word_scopes.load(std::memory_order_relaxed) == 0 ? kNone : words[ordinal(setting)];
}

uint64_t words_in_traces() {
  if (word_scopes.load(std::memory_order_relaxed) == 0) return 0;
  uint64_t number = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].empty()) number = memoize_detail::mix(number + i + 1, std::hash<std::string>()(words[i]));
  }
  return number;
}

WordScope::WordScope(WordSetting setting, std::string word)
    : setting_(setting), before_(std::exchange(words[ordinal(setting)], std::move(word))) {
  word_scopes.fetch_add(1, std::memory_order_relaxed);
}

WordScope::~WordScope() {
  words[ordinal(setting_)] = std::move(before_);
  word_scopes.fetch_sub(1, std::memory_order_relaxed);
}

WordScope numpy_rank_promotion(std::string_view what) {
  if (what != "allow" && what != "warn" && what != "raise") {
    or_throw(invalid_argument("numpy_rank_promotion: got " + quote(what) + ", wanted 'allow', 'warn' or 'raise'"));
  }
  return {WordSetting::kRankPromotion, std::string(what)};
}

void refuse_under(std::string_view scope, const std::string& what) {
  or_throw(failed_precondition(what + ", but " + std::string(scope) + " is on here. Hint: do it before that begins"));
  __builtin_unreachable();
}

SettingScope::SettingScope(Setting setting, bool value)
    : setting_(setting), before_(std::exchange(scoped[ordinal(setting)], value)) {
  scopes.fetch_add(1, std::memory_order_relaxed);
}

SettingScope::~SettingScope() {
  scoped[ordinal(setting_)] = before_;
  scopes.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace hilo
