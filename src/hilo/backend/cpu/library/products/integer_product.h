// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/integer_product.h -- matrix multiplication of integers: narrow ones in wide sums, by
// special instructions if the processor has them.
#pragma once

#include <functional>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/library/products/integer_tile.h"
#include "hilo/base/status.h"

namespace hilo::cpu {

/// An operand: element (line, k) is at line * line_stride + k * k_stride. Lines are rows of the left operand and
/// columns of the right one.
struct IntegerMatrix {
  Packed type;
  const void* data;
  int64_t lines, line_stride, k_stride;
};

/// Sums from a given row and column on: element (i, j) is sums[i * stride + j].
template <typename Word>
struct IntegerBlock {
  int64_t row, column, rows, columns;
  const Word* sums;
  int64_t stride;
};

/// Returns the widest kernels that `isa` allows and the processor supports.
const IntegerKernels& integer_kernels(Isa isa);

/// Computes the sums of products of all pairs of lines, modulo 2^32 or 2^64, on one thread. Calls `store` for each
/// block of sums.
/// Types     only kS64 for 64 bits; the others for 32 bits
/// Errors    RESOURCE_EXHAUSTED
template <typename Word>
Status multiply_integers(const IntegerKernels& kernels, const IntegerMatrix& a, const IntegerMatrix& b, int64_t k,
                         const std::function<void(const IntegerBlock<Word>&)>& store);

extern template Status multiply_integers(const IntegerKernels&, const IntegerMatrix&, const IntegerMatrix&, int64_t,
                                         const std::function<void(const IntegerBlock<int32_t>&)>&);
extern template Status multiply_integers(const IntegerKernels&, const IntegerMatrix&, const IntegerMatrix&, int64_t,
                                         const std::function<void(const IntegerBlock<int64_t>&)>&);

}  // namespace hilo::cpu
