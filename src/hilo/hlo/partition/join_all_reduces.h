// SPDX-License-Identifier: Apache-2.0
// hlo/partition/join_all_reduces.h -- merges several small all-reduces into one.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// Limit on the bytes of a group: merging saves latency, which is negligible for large arrays.
inline constexpr int64_t kMaxJoinedBytes = 1 << 20;

/// Merges all-reduces of one array each into one all-reduce of several arrays, if groups, reducers and types are equal
/// and none depends on another. Returns whether it merged any.
/// Cost      linear in the instructions
/// Example   a = all-reduce(x), b = all-reduce(y) -> t = all-reduce(x, y), a = t[0], b = t[1]
/// Source    XLA's AllReduceCombiner
StatusOr<bool> join_all_reduces(Module& module);

}  // namespace hilo::hlo
