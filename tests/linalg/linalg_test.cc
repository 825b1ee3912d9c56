// SPDX-License-Identifier: Apache-2.0
#include "hilo/linalg/linalg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hilo/lax/elementwise.h"
#include "hilo/lax/matrix.h"
#include "hilo/numpy/numpy.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/vmap.h"

namespace hilo::linalg {
namespace {

const Array& well_conditioned() {
  static const Array a = numpy::array({{4, 1, -2}, {1, 5, 0.5}, {-1, 2, 6}});
  return a;
}
const Array& symmetric() {
  static const Array a = numpy::array({{4, 1, -2}, {1, 5, 0.5}, {-2, 0.5, 6}});
  return a;
}

void expect_near(const Array& got, const Array& wanted, float tolerance = 2e-5f) {
  ASSERT_TRUE(std::ranges::equal(got.shape(), wanted.shape())) << got.to_string() << " " << wanted.to_string();
  const std::vector<float> x = got.to_vector<float>(), y = wanted.to_vector<float>();
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], tolerance) << got.to_string() << wanted.to_string();
}

Array identity(int64_t n) { return numpy::eye(n); }

TEST(Solve, TakesVectorsAndMatrices) {
  const Array& a = well_conditioned();
  const Array b = numpy::array({1.0, 2, 3});
  expect_near(numpy::matmul(a, solve(a, b)), b);
  expect_near(numpy::matmul(a, inv(a)), identity(3));
  EXPECT_THROW(solve(a, numpy::array({1.0, 2})), Error);
  EXPECT_THROW(inv(numpy::array({{1.0, 2, 3}, {4, 5, 6}})), Error);
}

TEST(Det, KnowsTheSignOfRowExchanges) {
  expect_near(det(numpy::array({{0.0, 2}, {3, 0}})), Array(-6.0f));
  const SlogdetResult r = slogdet(numpy::array({{0.0, 2}, {3, 0}}));
  expect_near(r.sign, Array(-1.0f));
  expect_near(r.logabsdet, Array(std::log(6.0f)));
}

TEST(Cholesky, LowerAndUpper) {
  const Array l = cholesky(symmetric()), u = cholesky(symmetric(), {.upper = true});
  expect_near(numpy::matmul(l, numpy::transpose(l)), symmetric());
  expect_near(u, numpy::transpose(l));
}

// Sizes around those of the blocks by which triangles are mirrored.
TEST(Cholesky, FactorsGiveTheMatrixBackAndAreZeroOnTheOtherSide) {
  for (int64_t n : {33, 48, 50, 97}) {
    const Array i = numpy::astype(numpy::arange(n), ElementType::kF32);
    const Array x = numpy::sin(numpy::reshape(i, {n, 1}) * (i + 1.0f));
    const Array real = numpy::matmul(x, numpy::transpose(x)) + numpy::eye(n) * static_cast<float>(n);
    const Array z = lax::complex(x, numpy::cos(x)), turned = lax::matrix::adjoint(z);
    const Array hermitian = numpy::matmul(z, turned) + numpy::eye(n) * static_cast<float>(n);
    for (const Array& a : {real, hermitian}) {
      for (bool upper : {false, true}) {
        const Array factor = cholesky(a, {.upper = upper}), other = lax::matrix::adjoint(factor);
        const Array product = upper ? numpy::matmul(other, factor) : numpy::matmul(factor, other);
        expect_near(numpy::abs(product - a), numpy::zeros({n, n}), 1e-3f);
        const Array kept = upper ? lax::matrix::triu(factor) : lax::matrix::tril(factor);
        expect_near(numpy::abs(factor - kept), numpy::zeros({n, n}), 0);
      }
    }
  }
}

TEST(Lstsq, IsTheNormalEquationsSolution) {
  const Array a = numpy::array({{1.0, 0}, {1, 1}, {1, 2}}), b = numpy::array({1.0, 3, 5});
  const LstsqResult r = lstsq(a, b);
  expect_near(r.x, numpy::array({1.0, 2}));
  expect_near(r.resid, numpy::array({0.0}));
  EXPECT_EQ(r.rank.item<int>(), 2);
}

TEST(Pinv, OfASingularMatrixIsFinite) {
  const Array a = numpy::array({{1.0, 2}, {2, 4}});
  expect_near(numpy::matmul(numpy::matmul(a, pinv(a)), a), a);
  EXPECT_EQ(matrix_rank(a).item<int>(), 1);
}

TEST(MatrixPower, ZeroAndNegativePowers) {
  const Array& a = well_conditioned();
  expect_near(matrix_power(a, 0), identity(3));
  expect_near(matrix_power(a, 3), numpy::matmul(a, numpy::matmul(a, a)), 1e-2f);
  expect_near(matrix_power(a, -2), numpy::matmul(inv(a), inv(a)));
}

TEST(Norm, Orders) {
  const Array v = numpy::array({3.0, -4}), m = numpy::array({{1.0, -2}, {3, 4}});
  expect_near(norm(v), Array(5.0f));
  expect_near(norm(v, 1), Array(7.0f));
  expect_near(norm(v, INFINITY), Array(4.0f));
  expect_near(norm(v, 0), Array(2.0f));
  expect_near(norm(m, 1), Array(6.0f));
  expect_near(norm(m, INFINITY), Array(7.0f));
  expect_near(norm(m, kFrobenius), Array(std::sqrt(30.0f)));
  expect_near(norm(m, kNuclear), numpy::sum(svdvals(m)));
  EXPECT_THROW(norm(m, 3), Error);
}

// Gradients with a known closed form.

TEST(Gradients, OfDeterminants) {
  const Array& a = well_conditioned();
  const Array inverse_transposed = numpy::transpose(inv(a));
  expect_near(grad([](Array x) { return slogdet(x).logabsdet; })(a), inverse_transposed);
  expect_near(grad([](Array x) { return det(x); })(a), det(a) * inverse_transposed, 1e-2f);
}

TEST(Gradients, OfDeterminantsOfSingularMatricesAreTheAdjugates) {
  const auto slope = grad([](Array x) { return det(x); });
  expect_near(slope(numpy::array({{1.0, 2}, {2, 4}})), numpy::array({{4.0, -2}, {-2, 1}}));
  expect_near(slope(numpy::zeros({2, 2})), numpy::zeros({2, 2}));
  expect_near(slope(numpy::zeros({1, 1})), numpy::ones({1, 1}));
  expect_near(slope(numpy::array({{1.0, 2, 3}, {4, 5, 6}, {7, 8, 9}})),
              numpy::array({{-3.0, 6, -3}, {6, -12, 6}, {-3, 6, -3}}));
  expect_near(slope(numpy::array({{0.0, 0, 0}, {0, 1, 0}, {0, 0, 1}})),
              numpy::array({{1.0, 0, 0}, {0, 0, 0}, {0, 0, 0}}));
  expect_near(slope(numpy::ones({3, 3})), numpy::zeros({3, 3}));
  // Matrices with 4 rows and more use LU. The last pivot is zero, then an earlier pivot, then the first one; then rank
  // 2 and 0.
  expect_near(slope(numpy::array({{1.0, 2, 3, 4}, {2, 3, 4, 5}, {1, 0, 1, 0}, {3, 5, 7, 9}})),
              numpy::array({{2.0, -2, -2, 2}, {2, -2, -2, 2}, {0, 0, 0, 0}, {-2, 2, 2, -2}}), 1e-4f);
  expect_near(slope(numpy::array({{1.0, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 3, 0}, {0, 0, 0, 0}})),
              numpy::array({{0.0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 6}}));
  expect_near(slope(numpy::array({{1.0, 1, 0, 2}, {0, 0, 1, 0}, {0, 0, 2, 1}, {0, 0, 0, 3}})),
              numpy::array({{0.0, 0, 0, 0}, {-6, 6, 0, 0}, {3, -3, 0, 0}, {-1, 1, 0, 0}}));
  expect_near(slope(numpy::array({{0.0, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 3}})),
              numpy::array({{6.0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}));
  expect_near(slope(numpy::ones({4, 4})), numpy::zeros({4, 4}));
  expect_near(slope(numpy::zeros({4, 4})), numpy::zeros({4, 4}));
}

TEST(Gradients, OfDeterminantsHoldInBatchesForwardsAndTwice) {
  const Array stack = numpy::stack({numpy::array({{2.0, 1, 0, 1}, {1, 3, 1, 0}, {0, 1, 4, 2}, {1, 1, 1, 1}}),
                                    numpy::array({{0.0, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 3}})});
  const Array slopes = grad([](Array x) { return numpy::sum(det(x)); })(stack);
  expect_near(slopes[0], numpy::array({{7.0, -4, 5, -8}, {1, 0, 1, -2}, {3, -2, 3, -4}, {-13, 8, -11, 18}}), 1e-4f);
  expect_near(slopes[1], numpy::array({{6.0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}));
  expect_near(vmap(grad([](Array x) { return det(x); }))(stack), slopes, 1e-5f);
  for (int64_t n = 2; n <= 4; ++n) {
    const Array x = n == 4 ? stack[0] : numpy::slice(numpy::slice(stack[0], 0, n, 1, 0), 0, n, 1, 1);
    const Array forward = jacfwd([](Array m) { return det(m); })(x), back = grad([](Array m) { return det(m); })(x);
    expect_near(forward, back, 1e-4f);
    // d^2 det / dx_00 dx_11 is the determinant without those rows and columns.
    const Array second = hessian([](Array m) { return det(m); })(x);
    const float wanted = n == 2 ? 1 : n == 3 ? 4 : 2;
    EXPECT_NEAR(second[0][0][1][1].item<float>(), wanted, 1e-4f);
    EXPECT_NEAR(second[0][1][1][0].item<float>(), -wanted, 1e-4f);
  }
}

TEST(Slogdet, OfASingularMatrixIsZeroAndMinusInfinity) {
  for (const Array& x : {numpy::array({{1.0, 2}, {2, 4}}), numpy::zeros({4, 4}), numpy::ones({3, 3})}) {
    const SlogdetResult r = slogdet(x);
    EXPECT_EQ(r.sign.item<float>(), 0);
    EXPECT_EQ(r.logabsdet.item<float>(), -INFINITY);
    expect_near(grad([](Array m) { return slogdet(m).sign; })(x), numpy::zeros_like(x));
  }
  const Array slope = grad([](Array m) { return slogdet(m).logabsdet; })(numpy::array({{1.0, 2}, {2, 4}}));
  for (const float v : slope.to_vector<float>()) EXPECT_FALSE(std::isfinite(v)) << slope.to_string();
}

TEST(Gradients, OfEigenvalues) {
  const Array& a = symmetric();
  expect_near(grad([](Array x) { return numpy::sum(eigvalsh(x)); })(a), identity(3));
  // The sum of squares of the eigenvalues equals that of the elements.
  expect_near(grad([](Array x) { return numpy::sum(numpy::square(eigvalsh(x))); })(a), a * 2.0f, 1e-4f);
}

TEST(Gradients, OfSingularValues) {
  const Array& a = well_conditioned();
  const SvdResult f = svd(a, false);
  expect_near(grad([](Array x) { return numpy::sum(svdvals(x)); })(a), numpy::matmul(f.u, f.vh), 1e-4f);
}

TEST(Gradients, OfFactorsThatGiveTheMatrixBack) {
  const Array ones = numpy::ones({3, 3});
  const auto by_qr = [](Array x) {
    const QrResult f = qr(x);
    return numpy::sum(numpy::matmul(f.q, f.r));
  };
  expect_near(grad(by_qr)(well_conditioned()), ones, 1e-4f);
  const auto by_svd = [](Array x) {
    const SvdResult f = svd(x, false);
    return numpy::sum(numpy::matmul(f.u * f.s, f.vh));
  };
  expect_near(grad(by_svd)(well_conditioned()), ones, 1e-4f);
  const auto by_cholesky = [](Array x) {
    const Array l = cholesky(x);
    return numpy::sum(numpy::matmul(l, numpy::transpose(l)));
  };
  expect_near(grad(by_cholesky)(symmetric()), ones, 1e-4f);
  const auto by_eigh = [](Array x) {
    const EighResult f = eigh(x);
    return numpy::sum(numpy::matmul(f.eigenvectors * f.eigenvalues, numpy::transpose(f.eigenvectors)));
  };
  expect_near(grad(by_eigh)(symmetric()), ones, 1e-4f);
}

TEST(Gradients, OfMatricesThatAreNotSquare) {
  const Array tall = numpy::array({{4.0, 1}, {1, 5}, {-1, 2}});
  const auto by_svd = [](Array x) {
    const SvdResult f = svd(x, false);
    return numpy::sum(numpy::matmul(f.u * f.s, f.vh));
  };
  const auto by_qr = [](Array x) {
    const QrResult f = qr(x);
    return numpy::sum(numpy::matmul(f.q, f.r));
  };
  for (const Array& a : {tall, Array(numpy::transpose(tall))}) {
    const SvdResult f = svd(a, false);
    expect_near(grad([](Array x) { return numpy::sum(svdvals(x)); })(a), numpy::matmul(f.u, f.vh), 1e-4f);
    expect_near(grad(by_svd)(a), numpy::ones_like(a), 1e-4f);
    expect_near(grad(by_qr)(a), numpy::ones_like(a), 1e-4f);
  }
}

TEST(Gradients, OfEigenvaluesOfMatricesThatAreNotSymmetric) {
  // The sum of the eigenvalues is the trace; the sum of their squares is the trace of the squared matrix.
  const Array& a = well_conditioned();
  expect_near(grad([](Array x) { return numpy::sum(ops::real(eigvals(x))); })(a), identity(3), 1e-4f);
  const auto squares = [](Array x) {
    const Array w = eigvals(x);
    return numpy::sum(ops::real(w * w));
  };
  expect_near(grad(squares)(a), numpy::transpose(a) * 2.0f, 1e-3f);
}

TEST(Gradients, OfSvdWithFullMatricesAreRefusedSayingWhy) {
  try {
    grad([](Array x) { return numpy::sum(svd(x).u); })(numpy::array({{1.0, 2}, {4, 5}, {3, 7}}));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kUnimplemented);
    EXPECT_NE(std::string(error.what()).find("full matrices"), std::string::npos) << error.what();
  }
}

TEST(Vmap, IsALoop) {
  const Array both = numpy::stack({well_conditioned(), symmetric()});
  expect_near(vmap([](Array x) { return det(x); })(both), numpy::stack({det(well_conditioned()), det(symmetric())}),
              1e-3f);
}

TEST(Linalg, ProductsChainInTheCheapestOrderAndSolveForTensors) {
  const Array a = numpy::array({{1.0, 2}, {3, 4}}), b = numpy::array({{0.5, -1}, {2, 1}}), v = numpy::array({1.0, -1});
  expect_near(multi_dot({a, b, v}), numpy::matmul(a, numpy::matmul(b, v)));
  expect_near(tensorsolve(a, v), solve(a, v));
  expect_near(tensorinv(a, 1), inv(a));
  expect_near(outer(v, v), numpy::array({{1.0, -1}, {-1, 1}}));
  expect_near(trace(a), Array(5.0f));
  EXPECT_THROW(multi_dot({a}), Error);
  EXPECT_THROW(cross(v, v), Error);
  EXPECT_THROW(outer(a, v), Error);
}

TEST(Linalg, SolvesWithBatchesThatBroadcast) {
  const Array a = numpy::array({{2.0, 1}, {1, 3}}), b = numpy::stack({a, a * 2});
  expect_near(solve(a, b), numpy::stack({identity(2), identity(2) * 2}));
}

TEST(Linalg, NormsTakeAxesAndHermitianMatricesTheirOwnWay) {
  const Array m = numpy::array({{3.0, 4}, {0, 5}});
  expect_near(norm(m, {.axis = 1}), numpy::array({5.0, 5}));
  EXPECT_EQ(norm(m, {.axis = 0, .keepdims = true}).shape(0), 1);
  expect_near(norm(m, "fro"), norm(m));
  const Array h = numpy::array({{2.0, 1}, {1, -3}});
  const SvdResult f = svd(h, {.hermitian = true});
  expect_near(numpy::matmul(f.u * numpy::expand_dims(f.s, 0), f.vh), h);
  expect_near(slogdet(h, {.method = "qr"}).logabsdet, slogdet(h).logabsdet);
  expect_near(slogdet(h, {.method = "qr"}).sign, Array(-1.0f));
  EXPECT_THROW(norm(m, "nearest"), Error);
  EXPECT_THROW(qr(m, "r"), Error);
}

}  // namespace
}  // namespace hilo::linalg
