// SPDX-License-Identifier: Apache-2.0
// transform/memo.h -- remembers what a transformation made of a computation, by the computation's meaning.
#pragma once

#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hilo/hlo/ir/computation.h"

namespace hilo {

/// Keyed by fingerprint and masks (which inputs have tangents, batch axes and the like). Thread safe.
template <typename Value>
class ComputationMemo {
 public:
  using Masks = std::vector<std::vector<bool>>;

  template <typename Make>
  Value get(const hlo::ComputationPtr& computation, const Masks& masks, Make&& make) {
    const hlo::Fingerprint key = computation->fingerprint();
    {
      std::lock_guard lock(mutex_);
      if (const auto it = entries_.find(key); it != entries_.end()) {
        for (const auto& [known, value] : it->second) {
          if (known == masks) return value;
        }
      }
    }
    Value value = make();  // may come back here for inner computations, so no lock is held
    std::lock_guard lock(mutex_);
    if (entries_.size() >= kMaxEntries) entries_.clear();
    entries_[key].emplace_back(masks, value);
    return value;
  }

 private:
  static constexpr size_t kMaxEntries = 4096;
  std::mutex mutex_;
  std::unordered_map<hlo::Fingerprint, std::vector<std::pair<Masks, Value>>> entries_;
};

}  // namespace hilo
