// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/settings.h"

#include <array>

#include "hilo/base/flags.h"
#include "hilo/base/memoize.h"
#include "hilo/base/text.h"
#include "hilo/trace/error.h"

namespace hilo {
namespace {

using Values = std::array<bool, kSettingCount>;

/// What the scopes of a thread say, and the flags as it last saw them.
struct Known {
  std::array<std::optional<bool>, kSettingCount> scopes;
  Values flags{};
  uint64_t version = 0;
};
thread_local Known known;
thread_local std::array<std::string, kWordSettingCount> words;

Values values_of(const FlagValues& flags) {
  return {flags.jax_disable_jit,        flags.jax_debug_nans,           flags.jax_debug_infs,
          flags.jax_check_tracer_leaks, flags.jax_explain_cache_misses, flags.jax_debug_key_reuse};
}

}  // namespace

bool is_on(Setting setting) {
  const auto i = static_cast<size_t>(setting);
  if (known.scopes[i]) return *known.scopes[i];
  const uint64_t version = flags_version();
  if (known.version != version) {
    known.flags = values_of(*or_throw(flags()));
    known.version = version;
  }
  return known.flags[i];
}

const std::string& word_of(WordSetting setting) { return words[static_cast<size_t>(setting)]; }

uint64_t words_in_traces() {
  uint64_t number = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].empty()) number = memoize_detail::mix(number + i + 1, std::hash<std::string>()(words[i]));
  }
  return number;
}

WordScope::WordScope(WordSetting setting, std::string word) : setting_(setting), before_(word_of(setting)) {
  words[static_cast<size_t>(setting)] = std::move(word);
}

WordScope::~WordScope() { words[static_cast<size_t>(setting_)] = std::move(before_); }

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
    : setting_(setting), before_(known.scopes[static_cast<size_t>(setting)]) {
  known.scopes[static_cast<size_t>(setting)] = value;
}

SettingScope::~SettingScope() { known.scopes[static_cast<size_t>(setting_)] = before_; }

}  // namespace hilo
