// SPDX-License-Identifier: Apache-2.0
// tests/linked_lapack/linked_lapack_test.cc -- the tests of libhilo_rt.a's linear algebra in a program that links
// LAPACK, which it calls for large matrices.
#include "hilo/backend/cpu/runtime/linked_lapack.h"

#include "tests/backend/cpu/runtime/eigen_test.cc"            // NOLINT(bugprone-suspicious-include)
#include "tests/backend/cpu/runtime/factor_test.cc"           // NOLINT(bugprone-suspicious-include)
#include "tests/backend/cpu/runtime/product_test.cc"          // NOLINT(bugprone-suspicious-include)
#include "tests/backend/cpu/runtime/singular_values_test.cc"  // NOLINT(bugprone-suspicious-include)
#include "tests/backend/cpu/runtime/solve_test.cc"            // NOLINT(bugprone-suspicious-include)

namespace hilo::cpu::runtime {
namespace {

#ifdef HILO_TESTED_LAPACK
TEST(LinkedLapack, IsThere) {
  for_linalg_types([]<typename T>() {
    const LinkedLapack<T> all = linked_lapack<T>();
    EXPECT_TRUE(all.gemm && all.trsm && all.potrf && all.getrf && all.geqrf && all.orgqr && all.syevd && all.gesdd);
  });
}
#endif

}  // namespace
}  // namespace hilo::cpu::runtime
