// SPDX-License-Identifier: Apache-2.0
// transform/memo.h -- remembers what a transformation made of a computation, by the computation's meaning.
#pragma once

#include <utility>
#include <vector>

#include "hilo/base/memoize.h"
#include "hilo/hlo/ir/held_bytes.h"

namespace hilo {

/// Keyed by fingerprint and masks (which inputs have tangents, batch axes and the like). Thread safe.
template <typename Value>
class ComputationMemo {
 public:
  using Masks = std::vector<std::vector<bool>>;

  template <typename Make>
  Value get(const hlo::ComputationPtr& computation, const Masks& masks, Make&& make) {
    const hlo::Fingerprint fingerprint = computation->fingerprint();
    if (std::optional<Value> known = table_.find(std::tie(fingerprint, masks))) return *std::move(known);
    Value value = make();  // may come back here for inner computations, so no lock is held
    return table_.insert({fingerprint, masks}, std::move(value));
  }

 private:
  MemoTable<std::tuple<hlo::Fingerprint, Masks>, Value> table_;
};

}  // namespace hilo
