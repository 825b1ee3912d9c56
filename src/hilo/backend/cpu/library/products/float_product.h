// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/float_product.h -- matrix multiplication of floats by hilo's own kernels.
#pragma once

#include "hilo/backend/cpu/library/products/strip_product.h"

namespace hilo::cpu {

/// Computes multiply_strips() with kernels that have `floats`. The left operand is read in place if caches allow it.
/// Columns of the right one are packed, unless so few rows use them that this wouldn't pay off.
/// Errors    RESOURCE_EXHAUSTED
Status multiply_floats(const StripKernels& kernels, const StripProduct& p);

}  // namespace hilo::cpu
