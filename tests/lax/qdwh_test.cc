// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/qdwh.h"

#include <gtest/gtest.h>

#include "hilo/lax/matrix.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/jit.h"
#include "tests/support/error_of.h"

namespace hilo::lax::linalg {
namespace {

Array sample(ElementType type, int64_t rows, int64_t columns) {
  std::vector<std::complex<double>> values;
  for (int64_t i = 0; i < rows * columns; ++i) {
    const auto part = [&](int64_t k) { return static_cast<double>((i * i * 3 + i * 7 + k * 11) % 31 - 15) / 8; };
    values.emplace_back(part(1), part(2));
  }
  const Array x = Array::from_vector(values, {rows, columns});
  return is_complex(type) ? numpy::astype(x, type) : numpy::astype(numpy::real(x), type);
}
float distance(const Array& a, const Array& b) {
  EXPECT_EQ(a.aval_shape(), b.aval_shape());
  return numpy::astype(numpy::max(numpy::abs(a - b)), ElementType::kF32).item<float>();
}

TEST(Qdwh, FactorsAreUnitaryAndHermitianAndGiveTheMatrixBack) {
  for (ElementType type : {ElementType::kF32, ElementType::kC64}) {
    for (auto [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {3, 3}, {5, 3}, {17, 16}}) {
      const Array x = sample(type, m, n);
      const QdwhResult f = qdwh(x);
      EXPECT_LT(distance(matrix::product(f.u, f.h), x), 2e-5f) << m << " by " << n;
      const Array gram = matrix::product(matrix::adjoint(f.u), f.u);
      EXPECT_LT(distance(gram, matrix::identity(gram.aval_shape())), 2e-5f);
      EXPECT_EQ(distance(f.h, matrix::adjoint(f.h)), 0);
      EXPECT_TRUE(f.is_converged.item<bool>());
      EXPECT_LT(f.num_iters.item<int64_t>(), 10);
    }
  }
}

TEST(Qdwh, StopsWhereItIsTold) {
  const Array x = sample(ElementType::kF32, 4, 4);
  const QdwhResult f = qdwh(x, {.max_iterations = 2});
  EXPECT_EQ(f.num_iters.item<int64_t>(), 2);
  EXPECT_FALSE(f.is_converged.item<bool>());
  EXPECT_LT(distance(jit([](Array a) { return qdwh(a).u; })(x), qdwh(x).u), 1e-5f);
}

TEST(Qdwh, RefusesWideMatricesBatchesAndLimitsThatArentPositive) {
  const auto refused = [](auto call) { return error_of(call, StatusCode::kInvalidArgument); };
  EXPECT_NE(refused([] { qdwh(sample(ElementType::kF32, 2, 3)); }).find("no more columns than rows"),
            std::string::npos);
  refused([] { qdwh(numpy::zeros({2, 3, 3})); });
  const Array x = sample(ElementType::kF32, 3, 3);
  EXPECT_NE(refused([&] { qdwh(x, {.max_iterations = 0}); }).find("must be positive"), std::string::npos);
  refused([&] { qdwh(x, {.eps = -1.0}); });
  const std::string text =
      error_of([&] { qdwh(x, {.dynamic_shape = std::pair(Array(2), Array(2))}); }, StatusCode::kUnimplemented);
  EXPECT_NE(text.find("a shape is part of a program"), std::string::npos) << text;
}

}  // namespace
}  // namespace hilo::lax::linalg
