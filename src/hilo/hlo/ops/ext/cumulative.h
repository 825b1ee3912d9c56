// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/cumulative.h -- the extension ops cumsum, cumprod, cummax, cummin and cumlogsumexp: cumulative reductions
// along an axis, as in jax.lax.
#pragma once

#include "hilo/hlo/ir/instruction.h"

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

struct CumulativeAttributes : Attributes {
  int64_t axis = 0;
  bool reverse = false;  ///< from the last element to the first
};

// Each decomposes into a reduce-window as long as the axis, which engines recognize as cumulative.

/// Returns the reducer of such an op (for cumlogsumexp the kind with the same neutral value); nothing for other ops.
std::optional<ReducerKind> cumulative_kind(Opcode opcode);

/// Returns log(e^x + e^y) over scalars, as JAX's logaddexp: equal infinities give the same infinity.
StatusOr<ComputationPtr> logaddexp_computation(ElementType type);

}  // namespace hilo::hlo
