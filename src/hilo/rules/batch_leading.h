// SPDX-License-Identifier: Apache-2.0
// rules/batch_leading.h -- the batching rule of ops that accept any leading dimensions.
#pragma once

#include "hilo/trace/rules.h"

namespace hilo::rules {

/// Binds the op itself on operands that all have the new axis in front.
/// Precondition: its attributes count dimensions with that axis, or from the end, and its shape follows from its
/// operands
BatchResult batch_leading(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context);

}  // namespace hilo::rules
