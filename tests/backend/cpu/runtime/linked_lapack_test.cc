// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/linked_lapack.h"

#include "tests/backend/cpu/runtime/matrix_check.h"

namespace hilo::cpu::runtime {
namespace {

TEST(RuntimeLinkedLapack, TransposesByTiles) {
  const Dense<float> x = random_matrix<float>(37, 19, 1);
  Dense<float> y(19, 37);
  copy_transposed(Matrix<const float>{x.data.data(), 37, 19, 19}, y.data.data());
  EXPECT_EQ(y.data, adjoint(x).data);
}

TEST(RuntimeLinkedLapack, HasLargeFiniteMatricesOnly) {
  Dense<double> x(kLinkedMin, kLinkedMin);
  EXPECT_TRUE(fits_linked(x.data.data(), x.rows, x.columns));
  EXPECT_FALSE(fits_linked(x.data.data(), x.rows - 1, x.columns));
  x(3, 2) = INFINITY;
  EXPECT_FALSE(fits_linked(x.data.data(), x.rows, x.columns));
  x(3, 2) = NAN;
  EXPECT_FALSE(fits_linked(x.data.data(), x.rows, x.columns));
}

}  // namespace
}  // namespace hilo::cpu::runtime
