// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/code_cache.h -- compiled code, shared by all executables of the process.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "hilo/base/memoize.h"
#include "hilo/base/status.h"

namespace hilo::cpu {

/// Code by a text that says all that it depends on. To be made once and never destroyed: code may run while the process
/// ends.
template <typename Code>
using CodeCache = MemoTable<std::string, Code, std::hash<std::string>>;

/// The code of `key`; make() compiles it if nobody did. Errors    those of `make`, which is then asked again
template <typename Code, typename Make>
StatusOr<Code> find_or_compile(CodeCache<Code>& cache, const std::string& key, const Make& make) {
  if (std::optional<Code> known = cache.find(key)) return *std::move(known);
  HILO_ASSIGN_OR_RETURN(Code code, make());
  return cache.insert(key, std::move(code));
}

}  // namespace hilo::cpu
