// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/code_cache.h -- compiled code, shared by all executables of the process.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "hilo/base/memoize.h"
#include "hilo/base/status.h"

namespace hilo::cpu {

/// A cache of code. The key is a text with everything that the code depends on. Create it once and never destroy it:
/// code may run while the process ends.
template <typename Code>
using CodeCache = MemoTable<std::string, Code, std::hash<std::string>>;

/// Returns the code of `key`. Calls make() to compile it if it is missing.
/// Errors    those of `make`, which the next call calls again
template <typename Code, typename Make>
StatusOr<Code> find_or_compile(CodeCache<Code>& cache, const std::string& key, const Make& make) {
  if (std::optional<Code> known = cache.find(key)) return *std::move(known);
  HILO_ASSIGN_OR_RETURN(Code code, make());
  return cache.insert(key, std::move(code));
}

}  // namespace hilo::cpu
