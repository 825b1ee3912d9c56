// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/integer_product.h -- matrix multiplication of integers: narrow ones in wide sums, by the processor's
// instructions for that where it has them.
#pragma once

#include <functional>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/library/products/integer_tile.h"
#include "hilo/base/status.h"

namespace hilo::cpu {

/// An operand: element (line, k) is at line * line_stride + k * k_stride. Lines are rows of the left and columns of the right.
struct IntegerMatrix {
  Packed type;
  const void* data;
  int64_t lines, line_stride, k_stride;
};

/// Sums from some row and column on: element (i, j) is sums[i * stride + j].
template <typename Word>
struct IntegerBlock {
  int64_t row, column, rows, columns;
  const Word* sums;
  int64_t stride;
};

/// The widest kernels that `isa` allows and the processor has.
const IntegerKernels& integer_kernels(Isa isa);

/// The sums of products of all pairs of lines, modulo 2^32 or 2^64, on one thread; `store` takes them block by block.
/// Types     kS64 for 64 bits, and no other; the others for 32 bits
/// Errors    RESOURCE_EXHAUSTED
template <typename Word>
Status multiply_integers(const IntegerKernels& kernels, const IntegerMatrix& a, const IntegerMatrix& b, int64_t k,
                         const std::function<void(const IntegerBlock<Word>&)>& store);

extern template Status multiply_integers(const IntegerKernels&, const IntegerMatrix&, const IntegerMatrix&, int64_t,
                                         const std::function<void(const IntegerBlock<int32_t>&)>&);
extern template Status multiply_integers(const IntegerKernels&, const IntegerMatrix&, const IntegerMatrix&, int64_t,
                                         const std::function<void(const IntegerBlock<int64_t>&)>&);

}  // namespace hilo::cpu
