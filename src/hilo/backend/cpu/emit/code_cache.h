// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/code_cache.h -- compiled code, shared by all executables of the process.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "hilo/backend/cpu/emit/effort.h"
#include "hilo/base/memoize.h"
#include "hilo/base/status.h"

namespace hilo::cpu {

/// A cache of code. The key is a text with everything that the code depends on. Create it once and never destroy it:
/// code may run while the process ends.
template <typename Code>
using CodeCache = MemoTable<std::string, Code, std::hash<std::string>>;

/// Returns the key of code of that level.
inline std::string key_at(CodeLevel level, const std::string& key) {
  return level == CodeLevel::kGood ? key : key + (level == CodeLevel::kQuick ? " quick" : " best");
}

/// Returns the code of `key`, of the level for `seconds` (code_level); a quick request accepts good code, too. Calls
/// make(level) to compile it if it is missing.
/// Errors    those of `make`, which the next call calls again
template <typename Code, typename Make>
StatusOr<Code> find_or_compile(CodeCache<Code>& cache, const std::string& key, double seconds, const Make& make) {
  const CodeLevel level = code_level(seconds);
  if (level == CodeLevel::kQuick) {
    if (std::optional<Code> good = cache.find(key)) return *std::move(good);
    count_code(level);
  }
  const std::string own_key = key_at(level, key);
  if (std::optional<Code> known = cache.find(own_key)) return *std::move(known);
  HILO_ASSIGN_OR_RETURN(Code code, make(level));
  return cache.insert(own_key, std::move(code));
}

}  // namespace hilo::cpu
