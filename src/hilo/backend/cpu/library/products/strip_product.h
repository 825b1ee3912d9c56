// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/strip_product.h -- matrix multiplication of operands packed in strips: floats, bf16 and
// f16 in sums of f32, bytes in sums of s32.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/library/products/strip_tile.h"
#include "hilo/base/status.h"
#include "hilo/types/element_type.h"

namespace hilo::cpu {

/// An operand: element (line, k) is at line * line_stride + k * k_stride; one of these strides is 1. Lines are rows of
/// the left operand and columns of the right one.
struct StripMatrix {
  const void* data;
  int64_t lines, line_stride, k_stride;
};

/// C = A * B, or C += A * B; rows of C are `c_row` elements apart.
struct StripProduct {
  StripMatrix a, b;
  int64_t k;
  void* c;
  int64_t c_row;
  bool adds = false;
};

/// Returns the fastest kernels for operands of these types that `isa` allows and the machine supports, or null.
const StripKernels* narrow_kernels(Isa isa, ElementType a, ElementType b);

/// Returns the kernels that preserve denormals of bf16; null on SSE2.
const StripKernels* exact_bf16_kernels(Isa isa);

/// Returns the kernels for f32 and f64; null on SSE2.
const FloatKernels* float_kernels(Isa isa);

/// Computes the product on one thread. The processor flushes denormals of bf16 and denormal sums to zero. If
/// `keeps_denormals` and that may have happened, returns false, and C is undefined. Any sum is a multiple of the
/// product of the smallest bits of both operands; if that isn't denormal, no sum is.
/// Errors    RESOURCE_EXHAUSTED
StatusOr<bool> multiply_strips(const StripKernels& kernels, const StripProduct& p, bool keeps_denormals);

}  // namespace hilo::cpu
