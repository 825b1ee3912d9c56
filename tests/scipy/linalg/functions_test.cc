// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hilo/scipy/linalg/functions.h"

#include <gtest/gtest.h>

#include "hilo/lax/matrix.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "tests/support/error_of.h"

namespace hilo::scipy::linalg {
namespace {

using lax::matrix::adjoint;

/// Matrices [2, n, n] with some complex eigenvalues.
Array sample(ElementType type, int64_t n) {
  std::vector<std::complex<double>> values;
  for (int64_t i = 0; i < 2 * n * n; ++i) {
    const auto part = [&](int64_t k) { return static_cast<double>((i * i * 3 + i * 7 + k * 11) % 31 - 15) / 8; };
    values.emplace_back(part(1), part(2));
  }
  const Array x = Array::from_vector(values, {2, n, n});
  return is_complex(type) ? numpy::astype(x, type) : numpy::astype(numpy::real(x), type);
}
float distance(const Array& a, const Array& b) {
  EXPECT_TRUE(std::ranges::equal(a.shape(), b.shape()));
  return a.size() == 0 ? 0 : numpy::astype(numpy::max(numpy::abs(a - b)), ElementType::kF32).item<float>();
}

TEST(Rsf2csf, IsTriangularAndOfTheSameMatrix) {
  for (int64_t n : {1, 2, 3, 6, 17}) {
    const Array a = sample(ElementType::kF32, n);
    const SchurResult real = schur(a), f = rsf2csf(real.T, real.Z);
    EXPECT_EQ(f.T.dtype(), ElementType::kC64);
    EXPECT_EQ(distance(f.T, numpy::triu(f.T)), 0);
    const Array scale = numpy::max(numpy::abs(a));
    EXPECT_LT(distance(numpy::matmul(numpy::matmul(f.Z, f.T), adjoint(f.Z)), a), 1e-4f * scale.item<float>()) << n;
    EXPECT_LT(distance(numpy::matmul(f.Z, adjoint(f.Z)), lax::matrix::identity(f.Z.aval_shape())), 1e-4f);
  }
}

TEST(Rsf2csf, BroadcastsLeavesComplexFormsAloneAndRefusesOthers) {
  const Array a = sample(ElementType::kC64, 4);
  const SchurResult f = schur(a), same = rsf2csf(f.T, f.Z);
  EXPECT_LT(distance(same.T, f.T), 1e-6f);
  EXPECT_EQ(rsf2csf(f.T, f.Z[0]).Z.ndim(), 3);
  error_of([&] { rsf2csf(f.T, numpy::zeros({3, 3})); }, StatusCode::kInvalidArgument);
  error_of([&] { rsf2csf(numpy::zeros({2, 3}), numpy::zeros({3, 3})); }, StatusCode::kInvalidArgument);
}

TEST(Funm, OfTheExponentialIsExpm) {
  const auto exp = [](const Array& x) { return numpy::exp(x); };
  for (int64_t n : {1, 3, 6}) {
    const Array a = sample(ElementType::kF32, n)[0];
    const Array wanted = expm(a), scale = numpy::max(numpy::abs(wanted));
    const FunmResult f = funm_with_error(a, exp);
    EXPECT_LT(distance(f.F, numpy::astype(wanted, ElementType::kC64)), 2e-4f * (1 + scale.item<float>())) << n;
    EXPECT_EQ(distance(f.F, funm(a, exp)), 0);
    EXPECT_LT(f.err.item<float>(), 1e-3f);
    EXPECT_LT(distance(jit([&](Array x) { return funm(x, exp); })(a), f.F), 2e-4f * (1 + scale.item<float>()));
  }
}

TEST(Funm, SaysWhereEigenvaluesAreTooNear) {
  const Array a = numpy::array({{2.0f, 1.0f}, {0.0f, 2.0f}});
  EXPECT_EQ(funm_with_error(a, [](const Array& x) { return numpy::exp(x); }).err.item<float>(), 1);
  error_of([&] { funm(sample(ElementType::kF32, 3), [](const Array& x) { return x; }); }, StatusCode::kInvalidArgument);
  const std::string hint =
      error_of([&] { funm(a, [](const Array& x) { return x; }, {.disp = false}); }, StatusCode::kInvalidArgument);
  EXPECT_NE(hint.find("Hint: funm_with_error"), std::string::npos);
}

TEST(Sqrtm, SquaredIsTheMatrix) {
  for (ElementType type : {ElementType::kF32, ElementType::kC64}) {
    for (int64_t n : {1, 2, 5, 16}) {
      const Array a = sample(type, n), root = sqrtm(a), scale = numpy::max(numpy::abs(a));
      EXPECT_LT(distance(numpy::matmul(root, root), numpy::astype(a, ElementType::kC64)), 2e-3f * scale.item<float>())
          << n;
    }
  }
  EXPECT_EQ(sqrtm(numpy::zeros({0, 0})).size(), 0);
  EXPECT_EQ(distance(sqrtm(numpy::zeros({2, 2})), numpy::zeros({2, 2})), 0);
  error_of([] { sqrtm(numpy::eye(2), {.blocksize = 2}); }, StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace hilo::scipy::linalg
