// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/float_product.h -- matrix multiplication of floats by hilo's own kernels.
#pragma once

#include "hilo/backend/cpu/library/products/strip_product.h"

namespace hilo::cpu {

/// Computes multiply_strips() with kernels that have `floats`. The left operand is read in place if caches allow it.
/// Columns of the right one are packed, unless so few rows use them that this wouldn't pay off.
/// Errors    RESOURCE_EXHAUSTED
Status multiply_floats(const StripKernels& kernels, const StripProduct& p);

/// Whether multiply_small() supports the product with kernels of that many lanes: the right operand fits in a few
/// kilobytes.
bool is_small_product(int64_t m, int64_t n, int64_t k, int64_t lanes);

/// Computes multiply_floats() for a small product without memory of its own, and with few steps besides those of the
/// kernels. The left operand may have any
/// strides. For kernels whose elements aren't converted.
void multiply_small(const StripKernels& kernels, const StripProduct& p);

}  // namespace hilo::cpu
