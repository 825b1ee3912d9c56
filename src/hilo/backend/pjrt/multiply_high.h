// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/multiply_high.h -- the upper half of an integer product, for compilers without an op for it.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::plugins {

/// The first version of PJRT whose XLA is known to support mulhi.
inline constexpr int kKnowsMultiplyHigh = 115;

/// Replaces every mulhi by a call of equivalent multiplications.
Status lower_multiply_high(hlo::Module& program);

}  // namespace hilo::plugins
