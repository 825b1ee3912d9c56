// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/complex_product.h -- products of complex matrices with few terms, whose sums are rounded
// as the reference's, one set of kernels per instruction set. Plain data only: the files that include it are compiled
// for processors that the rest of the library may not run on.
#pragma once

#include <cstdint>

namespace hilo::cpu {

/// C = A * B. Element (i, k) of A is a[i * a_row + a_places[k]], element (k, j) of B is b[b_places[k] + j * b_column],
/// and rows of C are c_row apart, all in complex numbers.
struct ComplexProduct {
  int64_t m, n, k;
  const void* a;
  int64_t a_row;
  const int64_t* a_places;
  const void* b;
  int64_t b_column;
  const int64_t* b_places;
  void* c;
  int64_t c_row;
};

constexpr int64_t kMaxComplexTerms = 128;

/// Precondition k <= kMaxComplexTerms
struct ComplexKernels {
  void (*c64)(const ComplexProduct&);            ///< as ShortSum of hlo/ops/product.h
  void (*c64_of_vector)(const ComplexProduct&);  ///< as ShortVectorSum
  void (*c128)(const ComplexProduct&);
  void (*c128_of_vector)(const ComplexProduct&);
};

const ComplexKernels& complex_kernels_sse2();
const ComplexKernels& complex_kernels_avx2();
const ComplexKernels& complex_kernels_avx512();

}  // namespace hilo::cpu
