// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/product_choice.h -- which products hilo's own kernels take from OpenBLAS.
#pragma once

#include "hilo/backend/cpu/library/products/blas.h"
#include "hilo/backend/cpu/library/products/strip_product.h"

namespace hilo::cpu {

/// [m, k] times [k, n]; the right operand's elements lie next to each other along k (it is transposed), or along n.
struct ProductShape {
  int64_t m, n, k;
  bool right_along_k;
};

/// A shape that was measured: OpenBLAS's time over that of hilo's own kernels.
struct MeasuredProduct {
  ProductShape shape;
  float avx2_f32, avx2_f64, avx512_f32, avx512_f64;
};

/// The measured shape next to this one, by the logarithms of its sizes, among those whose right operand lies alike.
const MeasuredProduct& nearest_product(const ProductShape& shape);

/// hilo's own kernels for a product, or null, and whether they are to be taken though there is a library.
struct OwnProduct {
  const StripKernels* kernels = nullptr;
  bool is_faster = false;  ///< clearly, in what was measured
};

/// Those for f32 or f64, of a product that a library would compute in so many parts.
OwnProduct own_product(Isa isa, bool is_f64, const ProductShape& shape, int64_t parts);

/// multiply() of blas.h, but for `own` kernels where they are faster or there is no library.
void multiply(const MatrixProduct<float>& p, const OwnProduct& own);
void multiply(const MatrixProduct<double>& p, const OwnProduct& own);

}  // namespace hilo::cpu
