// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/calls.h -- writes calls of functions, custom calls and composites.
#pragma once

#include "hilo/stablehlo/write/write_context.h"

namespace hilo::stablehlo {

StatusOr<bool> write_top_k(const WriteContext& context);
/// Writes hilo's own op, or one that StableHLO lacks, as a composite or as its decomposition. Returns false if it has
/// none.
StatusOr<bool> write_decomposition(const WriteContext& context);

}  // namespace hilo::stablehlo
