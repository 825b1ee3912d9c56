// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/strip_product.h -- matrix multiplication of operands that are packed in strips: floats, bf16 in sums of
// f32, bytes in sums of s32.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/library/products/strip_tile.h"
#include "hilo/base/status.h"
#include "hilo/types/element_type.h"

namespace hilo::cpu {

/// An operand: element (line, k) is at line * line_stride + k * k_stride; one of these strides is 1. Lines are rows of the left
/// and columns of the right.
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

/// The best kernels for operands of these types that `isa` allows and the machine has, or null.
const StripKernels* narrow_kernels(Isa isa, ElementType a, ElementType b);

/// Those that keep denormals of bf16: null on SSE2.
const StripKernels* exact_bf16_kernels(Isa isa);

/// Those for f32 and f64; null on SSE2.
const FloatKernels* float_kernels(Isa isa);

/// One thread. The processor takes denormals of bf16 for zero, and makes zeros of denormal sums: false, and C is anything, if
/// `keeps_denormals` and that could have happened. Any sum is a multiple of the least bits of the least factors; no sum is denormal if
/// that product isn't.
/// Errors    RESOURCE_EXHAUSTED
StatusOr<bool> multiply_strips(const StripKernels& kernels, const StripProduct& p, bool keeps_denormals);

}  // namespace hilo::cpu
