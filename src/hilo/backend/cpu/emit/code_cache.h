// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/code_cache.h -- compiled functions by a text that says all that their code depends on.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "hilo/base/status.h"

namespace hilo::cpu {

/// Thread safe. To be made once and never destroyed: code may run while the process ends.
template <typename Function>
class CodeCache {
 public:
  /// The function of `key`; make() compiles it if nobody did. Errors: those of `make`, which is then asked again.
  template <typename Make>
  StatusOr<Function> get(const std::string& key, const Make& make) {
    {
      const std::scoped_lock lock(mutex_);
      if (const auto it = functions_.find(key); it != functions_.end()) return it->second;
    }
    HILO_ASSIGN_OR_RETURN(const Function function, make());
    const std::scoped_lock lock(mutex_);
    return functions_.emplace(key, function).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Function> functions_;
};

}  // namespace hilo::cpu
