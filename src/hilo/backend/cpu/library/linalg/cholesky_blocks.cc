// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/linalg/cholesky_blocks.h"

#include "hilo/backend/cpu/library/linalg/lapack_routine.h"
#include "hilo/backend/cpu/library/linalg/triangular_solve.h"

namespace hilo::cpu {
namespace {

constexpr int kLargestBlock = 128, kGrain = 64;  // rows

template <typename T>
using SyrkRoutine = void(const char*, const char*, const int*, const int*, const T*, const T*, const int*, const T*, T*,
                         const int*);

/// Factors the first half, solves for the rows below it, and factors the remainder.
template <typename T>
int factor(Isa isa, PotrfRoutine<T>* potrf, int n, T* a, int leading) {
  static auto* const syrk = lapack::routine<T, SyrkRoutine<T>>("syrk");
  int info = 0;
  if (n <= kLargestBlock || syrk == nullptr) {
    potrf("L", &n, a, &leading, &info);
    return info;
  }
  const int first = (n / 2 + kGrain - 1) / kGrain * kGrain, rest = n - first;
  T *const below = a + first, *const corner = below + int64_t{first} * leading;
  info = factor(isa, potrf, first, a, leading);
  if (info != 0) return info;
  solve_triangular(isa, {'R', 'L', 'T', 'N', rest, first, a, leading, below, leading});
  const T minus = -1, one = 1;
  syrk("L", "N", &rest, &first, &minus, below, &leading, &one, corner, &leading);
  info = factor(isa, potrf, rest, corner, leading);
  return info == 0 ? 0 : first + info;
}

}  // namespace

int factor_in_blocks(Isa isa, PotrfRoutine<float>* potrf, int n, float* a, int leading) {
  return factor(isa, potrf, n, a, leading);
}
int factor_in_blocks(Isa isa, PotrfRoutine<double>* potrf, int n, double* a, int leading) {
  return factor(isa, potrf, n, a, leading);
}

}  // namespace hilo::cpu
