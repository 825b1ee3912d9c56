// SPDX-License-Identifier: Apache-2.0
// LAPACK's decompositions: the product of the factors must be the matrix.
#include "hilo/lax/decompositions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/lax/linalg.h"
#include "hilo/lax/matrix.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo::lax {
namespace {

using namespace hilo::lax::matrix;  // NOLINT: the tests read as algebra

/// A matrix whose elements repeat after 31, without special values; [batch, rows, columns].
Array sample(ElementType type, int64_t rows, int64_t columns) {
  std::vector<std::complex<float>> values;
  for (int64_t i = 0; i < 2 * rows * columns; ++i) {
    const auto part = [&](int64_t k) { return static_cast<float>((i * 7 + k * 11 + i * i) % 31 - 15) / 8; };
    values.emplace_back(part(1), part(2));
  }
  const Array x = Array::from_vector(values, {2, rows, columns});
  return is_complex(type) ? x : ops::real(x);
}

/// The greatest absolute difference of two arrays of the same shape.
float distance(const Array& a, const Array& b) {
  EXPECT_EQ(a.aval_shape(), b.aval_shape());
  if (a.size() == 0) return 0;
  const Array off = ops::abs(ops::sub(a, b));
  float most = 0;
  for (float d : off.to_vector<float>()) most = std::isnan(d) ? INFINITY : std::max(most, d);
  return most;
}

constexpr float kNear = 2e-5f;
constexpr ElementType kTypes[] = {ElementType::kF32, ElementType::kC64};

Array times_real(const Array& x, const Array& real) {
  return ops::mul(x, ops::convert_element_type(along_rows(real, x), x.dtype()));
}

TEST(Lu, RowsInOrderAreTheProductOfItsFactors) {
  for (ElementType type : kTypes) {
    for (auto [m, n] : {std::pair<int64_t, int64_t>{4, 4}, {5, 3}, {3, 5}}) {
      const Array x = sample(type, m, n);
      const linalg::LuResult f = linalg::lu(x);
      const int64_t k = std::min(m, n);
      const Array l = tril(column_range(f.lu, 0, k), -1);
      const Array product_of_both = product(ops::add(l, identity(l.aval_shape())), triu(row_range(f.lu, 0, k)));
      EXPECT_LT(distance(product_of_both, rows_in_order(x, f.permutation)), kNear) << m << " by " << n;
    }
  }
}

TEST(Qr, FactorsAreUnitaryAndTriangular) {
  for (ElementType type : kTypes) {
    for (bool full : {false, true}) {
      for (auto [m, n] : {std::pair<int64_t, int64_t>{4, 4}, {5, 3}, {3, 5}}) {
        const Array x = sample(type, m, n);
        const linalg::QrResult f = linalg::qr(x, full);
        EXPECT_LT(distance(product(f.q, f.r), x), kNear);
        EXPECT_LT(distance(f.r, triu(f.r)), 1e-30f);
        const Array gram = product(adjoint(f.q), f.q);
        EXPECT_LT(distance(gram, identity(gram.aval_shape())), kNear);
      }
    }
  }
}

TEST(Ormqr, AppliesTheProductOfReflectors) {
  for (ElementType type : kTypes) {
    const linalg::ReflectorsResult f = linalg::geqrf(sample(type, 4, 4));
    const Array q = linalg::householder_product(f.a, f.taus), c = sample(type, 4, 4);
    EXPECT_LT(distance(linalg::ormqr(f.a, f.taus, c), product(q, c)), kNear);
    EXPECT_LT(distance(linalg::ormqr(f.a, f.taus, c, true, true), product(adjoint(q), c)), kNear);
    EXPECT_LT(distance(linalg::ormqr(f.a, f.taus, c, false), product(c, q)), kNear);
  }
}

TEST(Geqp3, PivotsCountFromOne) {
  const Array x = sample(ElementType::kF32, 4, 3);
  const linalg::Geqp3Result f = linalg::geqp3(x, Array::from_vector(std::vector<int32_t>(6, 0), {2, 3}));
  const Array q = linalg::householder_product(f.a, f.taus), r = triu(row_range(f.a, 0, 3));
  const Array order = ops::sub(f.jpvt, ops::full_like(f.jpvt, 1));
  EXPECT_LT(distance(transposed(product(q, r)), rows_in_order(transposed(x), order)), kNear);
}

TEST(Eigh, VectorsDiagonalize) {
  for (ElementType type : kTypes) {
    const Array x = sample(type, 5, 5), hermitian = scaled(ops::add(x, adjoint(x)), 0.5);
    for (bool lower : {true, false}) {
      const linalg::EighResult f = linalg::eigh(x, lower);
      EXPECT_LT(distance(product(hermitian, f.v), times_real(f.v, f.w)), kNear);
      const Array gram = product(adjoint(f.v), f.v);
      EXPECT_LT(distance(gram, identity(gram.aval_shape())), kNear);
    }
  }
}

TEST(Svd, FactorsGiveTheMatrixBack) {
  for (ElementType type : kTypes) {
    for (auto [m, n] : {std::pair<int64_t, int64_t>{4, 4}, {5, 3}, {3, 5}}) {
      const Array x = sample(type, m, n);
      const std::vector<Array> f = linalg::svd(x, false);
      EXPECT_LT(distance(product(times_real(f[0], f[1]), f[2]), x), kNear);
      const std::vector<Array> full = linalg::svd(x, true);
      EXPECT_EQ(full[0].shape(-1), m);
      EXPECT_EQ(full[2].shape(-2), n);
      EXPECT_LT(distance(full[1], f[1]), kNear);
      EXPECT_LT(distance(linalg::svd(x, false, false)[0], f[1]), kNear);
    }
  }
}

TEST(Svd, OfNothingIsTheIdentity) {
  const std::vector<Array> f = linalg::svd(sample(ElementType::kF32, 3, 0), true);
  EXPECT_EQ(f[1].size(), 0);
  EXPECT_LT(distance(f[0], identity(f[0].aval_shape())), 1e-30f);
}

TEST(Eig, VectorsAreEigenvectors) {
  for (ElementType type : kTypes) {
    const Array x = sample(type, 4, 4);
    const std::vector<Array> f = linalg::eig(x);
    const Array z = ops::convert_element_type(x, ElementType::kC64);
    EXPECT_LT(distance(product(z, f[2]), ops::mul(f[2], along_rows(f[0], f[2]))), 5 * kNear);
    EXPECT_LT(distance(product(adjoint(z), f[1]), ops::mul(f[1], along_rows(conjugate(f[0]), f[1]))), 5 * kNear);
  }
}

TEST(Schur, VectorsAreUnitaryAndGiveTheMatrixBack) {
  for (ElementType type : kTypes) {
    const Array x = sample(type, 4, 4);
    const std::vector<Array> f = linalg::schur(x);
    EXPECT_LT(distance(product(product(f[1], f[0]), adjoint(f[1])), x), 5 * kNear);
    EXPECT_LT(distance(linalg::schur(x, false)[0], f[0]), kNear);
  }
}

TEST(Hessenberg, HasZerosBelowItsSubdiagonal) {
  const Array x = sample(ElementType::kF32, 4, 4);
  const linalg::ReflectorsResult f = linalg::hessenberg(x);
  const Array h = triu(f.a, -1);
  // The trace equals the trace of the matrix.
  EXPECT_LT(distance(ops::reduce_sum(diagonal(h), {1}), ops::reduce_sum(diagonal(x), {1})), kNear);
}

TEST(Tridiagonal, KeepsTheTrace) {
  const Array x = sample(ElementType::kC64, 4, 4), hermitian = ops::add(x, adjoint(x));
  const linalg::TridiagonalResult f = linalg::tridiagonal(hermitian);
  EXPECT_LT(distance(ops::reduce_sum(f.d, {1}), ops::reduce_sum(real_part(diagonal(hermitian)), {1})), kNear);
}

/// L U: x with its rows permuted.
Array product_of_lu(const Array& x) {
  const Array lu = linalg::lu(x).lu;
  const int64_t k = std::min(rows(x), columns(x));
  const Array l = tril(column_range(lu, 0, k), -1);
  return product(ops::add(l, identity(l.aval_shape())), triu(row_range(lu, 0, k)));
}

TEST(Lu, TangentOfTheProductIsTheTangentWithItsRowsInOrder) {
  for (ElementType type : kTypes) {
    for (auto [m, n] : {std::pair<int64_t, int64_t>{4, 4}, {5, 3}, {3, 5}}) {
      const Array x = sample(type, m, n), change = ops::mul(x, x);
      const auto [value, tangent] = jvp(product_of_lu, std::tuple(x), std::tuple(change));
      EXPECT_LT(distance(tangent, rows_in_order(change, linalg::lu(x).permutation)), 10 * kNear) << m << " by " << n;
    }
  }
}

TEST(Qr, TangentsAreThoseOfUnitaryAndTriangularFactors) {
  for (ElementType type : kTypes) {
    for (bool full : {false, true}) {
      const Array x = sample(type, 5, 3), change = ops::mul(x, x);
      const auto f = [&](Array a) {
        const linalg::QrResult r = linalg::qr(a, full);
        return std::tuple(r.q, r.r);
      };
      const auto [value, tangent] = jvp(f, std::tuple(x), std::tuple(change));
      const auto& [q, r] = value;
      const auto& [dq, dr] = tangent;
      EXPECT_LT(distance(ops::add(product(dq, r), product(q, dr)), change), 10 * kNear);
      EXPECT_LT(distance(dr, triu(dr)), 10 * kNear);
      const Array turn = product(adjoint(q), dq);
      EXPECT_LT(distance(turn, ops::neg(adjoint(turn))), 10 * kNear);
    }
  }
}

TEST(Qr, GradientThroughTheWholeOfQIsThatOfJax) {
  const Array x = Array::from_vector<float>({1, 1, 2, 3, 5, 5, 6, 7, 9, 9, 10, 11}, {4, 3});
  const Array gradient = grad([](Array a) {
    const linalg::QrResult r = linalg::qr(a, true);
    return ops::add(ops::reduce_sum(r.q, {0, 1}), ops::reduce_sum(r.r, {0, 1}));
  })(x);
  const Array wanted =
      Array::from_vector<float>({0.67959087f, -0.16274296f, -0.54557281f, 1.84169927f, -1.20190376f, -1.11556638f,
                                 0.43581225f, -0.6480886f, -1.20738547f, -2.23210998f, -0.40138242f, -0.01476032f},
                                {4, 3});
  EXPECT_LT(distance(gradient, wanted), 1e-3f);
}

TEST(Decompositions, FailuresAreNaN) {
  const Array nan = ops::full(Shape::array(ElementType::kF32, {2, 3, 3}), NAN);
  for (float w : linalg::eigh(nan).w.to_vector<float>()) EXPECT_TRUE(std::isnan(w));
  for (float s : linalg::svd(nan)[1].to_vector<float>()) EXPECT_TRUE(std::isnan(s));
  const Array indefinite = scaled(identity(Shape::array(ElementType::kF32, {3, 3})), -1);
  for (float l : linalg::cholesky(indefinite).to_vector<float>()) EXPECT_TRUE(std::isnan(l) || l == 0);
}

TEST(Decompositions, RunUnderJitAndVmapAsTheyRunAlone) {
  const Array x = sample(ElementType::kF32, 4, 4);
  const auto values = [](Array a) { return linalg::eigh(a).w; };
  const Array alone = values(x);
  EXPECT_LT(distance(jit(values)(x), alone), 1e-30f);
  EXPECT_LT(distance(vmap(values)(x), alone), 1e-30f);
}

TEST(Decompositions, OtherTypesAndShapesAreErrors) {
  const Array integers = ops::full(Shape::array(ElementType::kS32, {2, 2}), 1);
  EXPECT_THROW(linalg::lu(integers), Error);
  EXPECT_THROW(linalg::eigh(sample(ElementType::kF32, 3, 2), true, false), Error);
  EXPECT_THROW(linalg::householder_product(sample(ElementType::kF32, 2, 3),
                                           ops::full(Shape::array(ElementType::kF32, {2, 2}), 0)),
               Error);
}

}  // namespace
}  // namespace hilo::lax
