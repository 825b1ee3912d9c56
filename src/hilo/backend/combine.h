// SPDX-License-Identifier: Apache-2.0
// backend/combine.h -- elementwise reduction of two arrays, for collectives.
#pragma once

#include <cstddef>

#include "hilo/hlo/ir/computation.h"

namespace hilo {

/// Computes accumulator[i] = accumulator[i] op more[i] for `count` elements.
using CombineFunction = void (*)(std::byte* accumulator, const std::byte* more, int64_t count);

/// Returns the loop for a reducer of this kind and type; null if none exists. It has the semantics of the elementwise
/// op: NaN propagates through max and min, integers wrap, f16 and bf16 compute in float and round each time.
CombineFunction combine_function(hlo::ReducerKind kind, ElementType type);

}  // namespace hilo
