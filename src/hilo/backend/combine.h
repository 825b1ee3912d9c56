// SPDX-License-Identifier: Apache-2.0
// backend/combine.h -- elementwise folding of arrays, for collectives.
#pragma once

#include <cstddef>

#include "hilo/hlo/ir/computation.h"

namespace hilo {

/// accumulator[i] = accumulator[i] op more[i] for `count` elements.
using CombineFunction = void (*)(std::byte* accumulator, const std::byte* more, int64_t count);

/// The loop for a reducer that computes `kind` on values of `type`, with the meaning of the elementwise op: NaN goes
/// through max and min, integers wrap, f16 and bf16 compute in float and round each time. Null if there is none.
CombineFunction combine_function(hlo::ReducerKind kind, ElementType type);

}  // namespace hilo
