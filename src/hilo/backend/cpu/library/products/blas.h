// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/blas.h -- matrix multiplication: a BLAS library opened when first needed, or hilo's own loops.
#pragma once

#include <complex>
#include <cstdint>

namespace hilo::cpu {

/// C = A * B with C row-major, rows `ldc` elements apart. Element (i, k) of A is a[i * a_row + k * a_column]; B likewise.
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

/// Can a BLAS library take the operands as they lie? One stride of each must be one.
template <typename T>
bool is_blas_product(const MatrixProduct<T>& p) {
  return (p.a_row == 1 || p.a_column == 1) && (p.b_row == 1 || p.b_column == 1);
}

/// One thread. Uses OpenBLAS if the machine has it and the strides allow; else blocked loops that give the same answer
/// within rounding.
void multiply(const MatrixProduct<float>& p);
void multiply(const MatrixProduct<double>& p);
void multiply(const MatrixProduct<std::complex<float>>& p);
void multiply(const MatrixProduct<std::complex<double>>& p);

/// "OpenBLAS ..." or "none": what multiply() calls.
const char* blas_name();

/// The address of a routine of BLAS or LAPACK by its name in Fortran ("dpotrf_"); null if there is no library or it hasn't
/// it.
void* blas_symbol(const char* name);

}  // namespace hilo::cpu
