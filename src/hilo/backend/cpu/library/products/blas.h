// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/blas.h -- matrix multiplication by a BLAS library, which is opened when it is first
// needed, or by hilo's own loops.
#pragma once

#include <complex>
#include <cstdint>

namespace hilo::cpu {

/// C = A * B, where C is row-major with rows `ldc` elements apart. Element (i, k) of A is a[i * a_row + k * a_column],
/// and B likewise.
template <typename T>
struct MatrixProduct {
  int64_t m, n, k;
  const T* a;
  int64_t a_row, a_column;
  const T* b;
  int64_t b_row, b_column;
  T* c;
  int64_t ldc;
};

/// Whether a BLAS library can read the operands in place. One stride of each must be one.
template <typename T>
bool is_blas_product(const MatrixProduct<T>& p) {
  return (p.a_row == 1 || p.a_column == 1) && (p.b_row == 1 || p.b_column == 1);
}

/// Computes the product on one thread. Uses OpenBLAS if the machine has it and the strides allow it. Otherwise runs
/// blocked loops, whose results are equal within rounding.
void multiply(const MatrixProduct<float>& p);
void multiply(const MatrixProduct<double>& p);
void multiply(const MatrixProduct<std::complex<float>>& p);
void multiply(const MatrixProduct<std::complex<double>>& p);

/// Returns the library that multiply() calls: "OpenBLAS ..." or "none".
const char* blas_name();

/// Returns the address of a routine of BLAS or LAPACK by its Fortran name ("dpotrf_"); null without a library or
/// routine.
void* blas_symbol(const char* name);

}  // namespace hilo::cpu
