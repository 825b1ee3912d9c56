// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/calls.h -- calls of functions, custom calls and composites.
#pragma once

#include "hilo/stablehlo/write/write_context.h"

namespace hilo::stablehlo {

StatusOr<bool> write_top_k(const WriteContext& context);
/// hilo's own op, or one that StableHLO lacks, as a composite or what it decomposes into; false if it doesn't.
StatusOr<bool> write_decomposition(const WriteContext& context);

}  // namespace hilo::stablehlo
