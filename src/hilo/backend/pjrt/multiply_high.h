// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/multiply_high.h -- the upper half of an integer product, for compilers that don't know the op for it.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::plugins {

/// The first version of PJRT whose XLA was seen to know mulhi.
inline constexpr int kKnowsMultiplyHigh = 115;

/// Every mulhi becomes a call of the multiplications that it stands for.
Status lower_multiply_high(hlo::Module& program);

}  // namespace hilo::plugins
