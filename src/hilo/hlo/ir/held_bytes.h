// SPDX-License-Identifier: Apache-2.0
// hlo/ir/held_bytes.h -- the memory that a computation occupies, for caches.
#pragma once

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// Estimates the bytes of instructions, literals and names of a computation and its callees, each counted once.
int64_t held_bytes(const ComputationPtr& computation);

}  // namespace hilo::hlo
