// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/product_choice.h -- selects the products that hilo's own kernels compute instead of
// OpenBLAS.
#pragma once

#include "hilo/backend/cpu/library/products/blas.h"
#include "hilo/backend/cpu/library/products/strip_product.h"

namespace hilo::cpu {

/// [m, k] times [k, n]. The right operand's elements are adjacent along k (it is transposed), or along n.
struct ProductShape {
  int64_t m, n, k;
  bool right_along_k;
};

/// A measured shape: OpenBLAS's time divided by that of hilo's own kernels.
struct MeasuredProduct {
  ProductShape shape;
  float avx2_f32, avx2_f64, avx512_f32, avx512_f64;
};

/// Returns the measured shape nearest to this one, by the logarithms of its sizes, among those whose right operand has
/// the same layout.
const MeasuredProduct& nearest_product(const ProductShape& shape);

/// hilo's own kernels for a product, or null, and whether to use them although a library is available.
struct OwnProduct {
  const StripKernels* kernels = nullptr;
  bool is_faster = false;  ///< clearly, in measurements
};

/// Returns the kernels for f32 or f64, for a product that a library would compute in that many parts.
OwnProduct own_product(Isa isa, bool is_f64, const ProductShape& shape, int64_t parts);

/// Calls the `own` kernels if they are faster or no library is available; otherwise multiply() of blas.h.
void multiply(const MatrixProduct<float>& p, const OwnProduct& own);
void multiply(const MatrixProduct<double>& p, const OwnProduct& own);

}  // namespace hilo::cpu
