// SPDX-License-Identifier: Apache-2.0
// hlo/ir/held_bytes.h -- how much memory a computation keeps, for caches.
#pragma once

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// Bytes of the computation's instructions, literals and names, and of those that it calls, each once. An estimate.
int64_t held_bytes(const ComputationPtr& computation);

}  // namespace hilo::hlo
