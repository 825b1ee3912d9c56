// SPDX-License-Identifier: Apache-2.0
// hlo/partition/join_all_reduces.h -- one meeting of the devices in place of several small ones.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

/// All-reduces of a group together are at most as large, in bytes: what takes longer to send than to meet gains nothing.
inline constexpr int64_t kMostJoinedBytes = 1 << 20;

/// All-reduces of one array each, with equal groups, reducers and types, none of which needs what another gives, become one of
/// several arrays. Returns whether there were any.
/// Cost      linear in instructions
/// Example   a = all-reduce(x), b = all-reduce(y) -> t = all-reduce(x, y), a = t[0], b = t[1]
/// Source    XLA's AllReduceCombiner
StatusOr<bool> join_all_reduces(Module& module);

}  // namespace hilo::hlo
