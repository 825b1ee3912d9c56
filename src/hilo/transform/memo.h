// SPDX-License-Identifier: Apache-2.0
// transform/memo.h -- remembers what a transformation made of a computation, by the computation's meaning.
#pragma once

#include <utility>
#include <vector>

#include "hilo/base/memoize.h"
#include "hilo/hlo/ir/held_bytes.h"

namespace hilo {

/// Of leaves: which have tangents, which a batch axis, and the like.
using Mask = std::vector<bool>;

/// Keyed by the computation's fingerprint and `Parts`: all else that the value depends on. Thread safe.
template <typename Value, typename... Parts>
class ComputationMemo {
 public:
  template <typename Make>
  Value get(const hlo::ComputationPtr& computation, const Parts&... parts, Make&& make) {
    const hlo::Fingerprint fingerprint = computation->fingerprint();
    if (std::optional<Value> known = table_.find(std::tie(fingerprint, parts...))) return *std::move(known);
    Value value = make();  // may come back here for inner computations, so no lock is held
    return table_.insert({fingerprint, parts...}, std::move(value));
  }

 private:
  MemoTable<std::tuple<hlo::Fingerprint, Parts...>, Value> table_;
};

}  // namespace hilo
