// SPDX-License-Identifier: Apache-2.0
// lax/batched_matrices.h -- the batching rule of ops whose leading dimensions are batch dimensions already.
#pragma once

#include "hilo/trace/rules.h"

namespace hilo::lax {

/// The op itself on operands that all have the new axis in front. Preconditions: its attributes count dimensions from the
/// end, and its shape follows from its operands.
BatchResult batch_in_front(const Operation& operation, std::span<const BatchDim> dims, int64_t axis_size);

}  // namespace hilo::lax
