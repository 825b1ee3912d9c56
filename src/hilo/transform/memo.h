// SPDX-License-Identifier: Apache-2.0
// transform/memo.h -- memoises results of transformations by the computation's meaning.
#pragma once

#include <utility>
#include <vector>

#include "hilo/base/memoize.h"
#include "hilo/hlo/ir/held_bytes.h"

namespace hilo {

/// One flag per leaf: whether it has a tangent, a batch axis and similar.
using Mask = std::vector<bool>;

/// Keyed by the computation's fingerprint and `Parts`: everything else on which the value depends. Thread safe.
template <typename Value, typename... Parts>
class ComputationMemo {
 public:
  template <typename Make>
  Value get(const hlo::ComputationPtr& computation, const Parts&... parts, Make&& make) {
    const hlo::Fingerprint fingerprint = computation->fingerprint();
    if (std::optional<Value> known = table_.find(std::tie(fingerprint, parts...))) return *std::move(known);
    Value value = make();  // may recurse for inner computations, so no lock is held
    return table_.insert({fingerprint, parts...}, std::move(value));
  }

 private:
  MemoTable<std::tuple<hlo::Fingerprint, Parts...>, Value> table_;
};

}  // namespace hilo
