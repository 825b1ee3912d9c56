// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/linalg/qr.h"

#include <gtest/gtest.h>

#include "hilo/lax/matrix.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo::scipy::linalg {
namespace {

using lax::matrix::adjoint;

/// [2, rows, columns]
Array sample(ElementType type, int64_t rows, int64_t columns) {
  std::vector<std::complex<double>> values;
  for (int64_t i = 0; i < 2 * rows * columns; ++i) {
    const auto part = [&](int64_t k) { return static_cast<double>((i * i * 3 + i * 7 + k * 11) % 31 - 15) / 8; };
    values.emplace_back(part(1), part(2));
  }
  const Array x = Array::from_vector(values, {2, rows, columns});
  return is_complex(type) ? numpy::astype(x, type) : numpy::astype(numpy::real(x), type);
}
float distance(const Array& a, const Array& b) {
  EXPECT_EQ(a.aval_shape(), b.aval_shape());
  return a.size() == 0 ? 0 : numpy::astype(numpy::max(numpy::abs(a - b)), ElementType::kF32).item<float>();
}
Array columns_in_order(const Array& x, const Array& p) {
  return numpy::take_along_axis(x, numpy::expand_dims(p, -2), -1);
}

constexpr std::pair<int64_t, int64_t> kSizes[] = {{4, 4}, {5, 3}, {3, 5}, {1, 1}, {0, 3}, {3, 0}};

TEST(QrWithPivoting, GivesTheColumnsInOrderBack) {
  for (ElementType type : {ElementType::kF32, ElementType::kC64}) {
    for (const char* mode : {"full", "economic"}) {
      for (auto [m, n] : kSizes) {
        const Array x = sample(type, m, n);
        const auto f = qr_with_pivoting(x, {.mode = mode});
        EXPECT_LT(distance(numpy::matmul(f.q, f.r), columns_in_order(x, f.p)), 2e-5f) << m << " by " << n;
        const Array gram = numpy::matmul(adjoint(f.q), f.q);
        EXPECT_LT(distance(gram, lax::matrix::identity(gram.aval_shape())), 2e-5f);
        const Array sizes = numpy::abs(lax::matrix::diagonal(f.r));
        EXPECT_TRUE(numpy::all(numpy::diff(sizes) <= 1e-5f).item<bool>()) << sizes.to_string();
      }
    }
  }
}

TEST(QrWithPivoting, ItsDerivativeIsThatOfItsProduct) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>{4, 4}, {5, 3}, {3, 5}}) {
    const Array x = sample(ElementType::kF32, m, n)[0], t = sample(ElementType::kF32, m, n)[1];
    const auto economic = [](const Array& a) { return qr_with_pivoting(a, {.mode = "economic"}); };
    const auto [f, df] = jvp(economic, std::tuple(x), std::tuple(t));
    const Array change = numpy::matmul(df.q, f.r) + numpy::matmul(f.q, df.r);
    EXPECT_LT(distance(change, columns_in_order(t, f.p)), 2e-4f);
    const auto total = [&](const Array& a) { return numpy::sum(numpy::matmul(economic(a).q, economic(a).r)); };
    EXPECT_LT(distance(grad(total)(x), numpy::ones_like(x)), 2e-4f);
  }
}

TEST(QrWithPivoting, JitAndVmapGiveTheSame) {
  const Array x = sample(ElementType::kF32, 5, 3);
  const auto r_of = [](Array a) { return qr_with_pivoting(a).r; };
  EXPECT_LT(distance(jit(r_of)(x), r_of(x)), 1e-5f);
  EXPECT_LT(distance(vmap(r_of)(x), r_of(x)), 1e-5f);
}

TEST(QrMultiply, IsTheProductWithTheFirstColumnsOfQ) {
  for (ElementType type : {ElementType::kF32, ElementType::kC64}) {
    for (auto [m, n] : {std::pair<int64_t, int64_t>{4, 4}, {5, 3}, {3, 5}, {1, 1}}) {
      const Array a = sample(type, m, n);
      const int64_t k = std::min(m, n);
      for (bool conjugate : {false, true}) {
        const hilo::linalg::QrResult f = qr(a, {.mode = "economic"});
        const Array q = conjugate ? numpy::conj(f.q) : f.q, left = sample(type, k, 2), right = sample(type, 2, m);
        const QrMultiplyResult l = qr_multiply(a, left, {.mode = "left", .conjugate = conjugate});
        EXPECT_LT(distance(l.cq, numpy::matmul(q, left)), 2e-5f) << m << " by " << n << conjugate;
        EXPECT_LT(distance(l.r, f.r), 2e-5f);
        EXPECT_LT(distance(qr_multiply(a, right, {.conjugate = conjugate}).cq, numpy::matmul(right, q)), 2e-5f);
      }
    }
  }
}

TEST(QrMultiply, VectorsAndBatchesThatBroadcast) {
  const Array a = sample(ElementType::kF32, 5, 3), row = sample(ElementType::kF32, 5, 1)(0, all, 0);
  const Array q = qr(a, {.mode = "economic"}).q;
  EXPECT_LT(distance(qr_multiply(a, row).cq, numpy::matmul(row, q)), 2e-5f);
  const PivotedQrMultiplyResult f = qr_multiply_with_pivoting(a[0], row);
  const auto pivoted = qr_with_pivoting(a[0], {.mode = "economic"});
  EXPECT_LT(distance(f.cq, numpy::matmul(row, pivoted.q)), 2e-5f);
  EXPECT_TRUE(numpy::array_equal(f.p, pivoted.p).item<bool>());
}

TEST(Qr, RefusesModesShapesAndFlagsOfOtherFunctions) {
  const Array a = sample(ElementType::kF32, 4, 3);
  const auto refused = [](auto call) { return error_of(call, StatusCode::kInvalidArgument); };
  EXPECT_NE(refused([&] { qr(a, {.mode = "r"}); }).find("unsupported mode 'r'"), std::string::npos);
  EXPECT_NE(refused([&] { qr(a, {.pivoting = true}); }).find("Hint: qr_with_pivoting"), std::string::npos);
  EXPECT_NE(refused([&] { qr_multiply(a, a, {.pivoting = true}); }).find("Hint: qr_multiply_with_pivoting"),
            std::string::npos);
  EXPECT_NE(refused([&] { qr_multiply(a, a); }).find("c[..., p, m]"), std::string::npos);
  refused([&] { qr_multiply(a, a, {.mode = "middle"}); });
  refused([&] { qr_with_pivoting(a(0, 0)); });
  EXPECT_NE(refused([&] { qr(a.astype(ElementType::kF16)); }).find("wanted f32, f64, c64 or c128"), std::string::npos);
}

}  // namespace
}  // namespace hilo::scipy::linalg
