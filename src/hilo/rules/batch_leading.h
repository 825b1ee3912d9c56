// SPDX-License-Identifier: Apache-2.0
// rules/batch_leading.h -- the batching rule of ops that take any leading dimensions.
#pragma once

#include "hilo/trace/rules.h"

namespace hilo::rules {

/// The op itself on operands that all have the new axis in front. Preconditions: its attributes count with that axis, or
/// from the end, and its shape follows from its operands.
BatchResult batch_leading(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context);

}  // namespace hilo::rules
