// SPDX-License-Identifier: Apache-2.0
// grad, jvp, vjp and Jacobians: cases of JAX's api_test. Expected numbers are computed by hand, or by JAX if a comment
// says so.
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/linear_transpose.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"
#include "tests/support/has.h"

namespace hilo {
namespace {

using Pair = std::pair<Array, Array>;
using One = std::tuple<Array>;
using Floats = std::vector<float>;
using Complex = std::complex<float>;

Array same(const Array& x) { return x; }
Array sine(const Array& x) { return numpy::sin(x); }

void expect_near(const Array& got, const Array& wanted, double tolerance = 1e-6) {
  ASSERT_EQ(got.size(), wanted.size());
  const std::vector<double> a = got.to_vector<double>(), b = wanted.to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance * std::max(1.0, std::abs(b[i])));
}

TEST(Grad, TakesArgumentsByNumber) {
  const auto f = [](Array x, Array y, Array z) { return 1.0f * x + 2.0f * y + 3.0f * z; };
  EXPECT_EQ(grad(f)(1.0f, 1.0f, 1.0f).item<float>(), 1);
  EXPECT_EQ(grad<1>(f)(1.0f, 1.0f, 1.0f).item<float>(), 2);
  EXPECT_EQ(grad<-1>(f)(1.0f, 1.0f, 1.0f).item<float>(), 3);
  const auto [dz, dx] = grad<2, 0>(f)(1.0f, 1.0f, 1.0f);
  EXPECT_EQ(dz.item<float>(), 3);
  EXPECT_EQ(dx.item<float>(), 1);
  const auto [y, both] = value_and_grad<2, 0>(f)(1.0f, 1.0f, 1.0f);
  EXPECT_EQ(y.item<float>(), 6);
  EXPECT_EQ(std::get<0>(both).item<float>(), 3);
  EXPECT_TRUE(same(1.0f).weak_type());
  EXPECT_EQ(grad(same)(1.0f).item<float>(), 1);
}

TEST(Grad, SeesValuesWhereItIsNotCompiled) {
  const auto f = [](Array x) { return x.item<bool>() ? x * x : x; };
  EXPECT_EQ(grad(f)(2.0f).item<float>(), 4);
  error_of([&] { jit([](Array x) { return Array(x.item<float>()); })(1.0f); }, StatusCode::kFailedPrecondition);
  const auto branches = [](Array x) { return x > 0.0f ? x : -x; };
  EXPECT_EQ(grad(branches)(1.0f).item<float>(), 1);
  EXPECT_EQ(grad(branches)(-1.0f).item<float>(), -1);
  const std::vector<int> list = {5, 6, 7};
  EXPECT_EQ(jit<0>([&](const auto& n) { return Array(list[static_cast<size_t>(n)]); })(1).item<int>(), 6);
  error_of([&] { jit([&](Array n) { return Array(list[static_cast<size_t>(n.item<int>())]); })(1); },
           StatusCode::kFailedPrecondition);
}

TEST(Grad, OfComplexArguments) {
  // JAX's convention: df/dx - i df/dy.
  const Array zs = numpy::array({Complex(0, 0), Complex(1, 0.5f), Complex(2, 1), Complex(3, 1.5f), Complex(4, 2)});
  const auto f = [](Array z) { return numpy::sum(numpy::cos(numpy::abs(z))); };
  const auto slopes = grad(f)(zs).to_vector<Complex>();
  const std::vector<Complex> wanted = {{0, 0},
                                       {-0.80430663f, 0.40215331f},
                                       {-0.70368982f, 0.35184491f},
                                       {0.1886467f, -0.09432335f},
                                       {0.86873727f, -0.43436864f}};  // by JAX
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(std::abs(slopes[i] - wanted[i]), 0, 1e-6);
  EXPECT_EQ(jacrev(f)(zs).to_vector<Complex>(), slopes);
  const auto [dz, dy] = grad<0, 1>([](Array z, Array y) { return numpy::square(numpy::abs(z)) + y; })(
      numpy::array(Complex(1, 1)), numpy::array(2.0f));
  EXPECT_NEAR(std::abs(dz.item<Complex>() - Complex(2, -2)), 0, 1e-6);
  EXPECT_EQ(dy.item<float>(), 1);
  EXPECT_EQ(dy.dtype(), ElementType::kF32);
}

TEST(Grad, OfHolomorphicFunctions) {
  const GradOptions holomorphic{.holomorphic = true};
  const Complex z(1, 2);
  const Complex slope = grad(sine, holomorphic)(z).item<Complex>();
  EXPECT_NEAR(std::abs(slope - std::cos(z)), 0, 1e-5);
  const Array a = numpy::reshape(numpy::sin(numpy::arange(16, float32)), {4, 4});
  const auto f = [&](Array x) { return numpy::dot(x, numpy::matmul(numpy::astype(a, x.dtype()), x)); };
  const Array x = numpy::astype(numpy::arange(4, float32), ElementType::kC64) * Complex(1, 2);
  const auto h = hessian(f, holomorphic)(x).to_vector<Complex>();
  const auto wanted = (a + numpy::transpose(a)).to_vector<float>();
  for (size_t i = 0; i < 16; ++i) EXPECT_NEAR(std::abs(h[i] - wanted[i]), 0, 1e-5);
  const auto text = [&](const auto& g, const auto& at) {
    return error_of([&] { g(at); }, StatusCode::kInvalidArgument);
  };
  EXPECT_TRUE(has(text(grad(sine), Array(z)), "grad requires real-valued outputs"));
  EXPECT_TRUE(has(text(jacrev(sine), Array(z)), "jacrev requires real-valued outputs"));
  EXPECT_TRUE(has(text(jacfwd(sine), Array(z)), "jacfwd requires real-valued inputs"));
  EXPECT_TRUE(
      has(text(grad(sine, holomorphic), Array(3.0f)), "grad with holomorphic=true requires inputs with complex dtype"));
  EXPECT_TRUE(
      has(text(jacrev(sine, holomorphic), Array(3.0f)), "jacrev with holomorphic=true requires inputs with complex"));
  EXPECT_TRUE(
      has(text(jacfwd(sine, holomorphic), Array(3.0f)), "jacfwd with holomorphic=true requires inputs with complex"));
  EXPECT_TRUE(has(text(grad([](Array v) { return v * v + Complex(0, 1); }), Array(3.0f)), "but got c64[]"));
}

TEST(Grad, OfIntegersIsZeroWhereItIsAllowed) {
  const GradOptions allowed{.allow_int = true};
  const auto check = [](const Array& zero, ElementType type, int64_t rank) {
    EXPECT_EQ(zero.dtype(), type);
    EXPECT_EQ(zero.ndim(), rank);
    EXPECT_FALSE(numpy::any(zero != 0).item<bool>());
  };
  check(grad([](Array x) { return x + 0.0f; }, allowed)(1), ElementType::kS32, 0);
  const auto [value, slope] = value_and_grad(
      [](Array p) { return lax::cond(p, [] { return Array(1.0f); }, [] { return Array(2.0f); }); }, allowed)(true);
  EXPECT_EQ(value.item<float>(), 1);
  check(slope, ElementType::kPred, 0);
  const auto indexed = [](Array x, Array i) { return x(i); };
  for (const auto& [dx, di] :
       {grad<0, 1>(indexed, allowed)(numpy::ones({2}), 1), jit(grad<0, 1>(indexed, allowed))(numpy::ones({2}), 1)}) {
    EXPECT_EQ(dx.to_vector<float>(), (Floats{0, 1}));
    check(di, ElementType::kS32, 0);
  }
  const auto [y, pull] = vjp(indexed, numpy::ones({2}) * 2.0f, Array(1));
  EXPECT_EQ(y.item<float>(), 2);
  const auto [px, pi] = pull(1.0f);
  EXPECT_EQ(px.to_vector<float>(), (Floats{0, 1}));
  check(pi, ElementType::kS32, 0);
  const Array table = numpy::ones({2, 4}, ElementType::kS32);
  check(grad([](Array x) { return numpy::sum(x + 0.0f); }, allowed)(table), ElementType::kS32, 2);
  const std::string text = error_of([] { grad([](Array x) { return x * x; })(3); }, StatusCode::kInvalidArgument);
  EXPECT_TRUE(has(text, "but got s32[]")) << text;
}

TEST(Jvp, OfIntegersHasZerosForTangents) {
  const auto zero = [](const auto& f) { return jvp(f, One(2), One(0)).second; };
  EXPECT_EQ(zero(same).item<int>(), 0);
  EXPECT_EQ(zero([](Array x) { return x + 1; }).item<int>(), 0);
  EXPECT_EQ(zero(jit([](Array x) { return x + 1; })).item<int>(), 0);
  const auto [y, dy] = jvp([](Array x) { return numpy::astype(x, ElementType::kS32) + 1; }, One(2.0f), One(1.0f));
  EXPECT_EQ(y.item<int>(), 3);
  EXPECT_EQ(dy.item<int>(), 0);
  EXPECT_EQ(dy.dtype(), ElementType::kS32);
  const auto pulled = vjp([](Array x) { return numpy::reshape(x, {2, 2}); }, numpy::ones({4, 1}, ElementType::kS32))
                          .second(numpy::zeros({2, 2}, ElementType::kS32));
  EXPECT_EQ(std::get<0>(pulled).aval_shape().to_string(), "s32[4,1]");
  const auto sums = vjp([](Array x, Array n) { return x + n; }, Array(2), Array(1));
  EXPECT_EQ(sums.first.item<int>(), 3);
  EXPECT_EQ(std::get<1>(jit([&](Array ct) { return sums.second(ct); })(0)).item<int>(), 0);
  const auto full = vjp([](Array x, Array n) { return numpy::full_like(x, n); }, numpy::zeros({2, 2}), Array(1));
  EXPECT_EQ(full.first.to_vector<float>(), Floats(4, 1.0f));
  EXPECT_EQ(std::get<0>(full.second(full.first)).to_vector<float>(), Floats(4, 0.0f));
}

TEST(Jacobian, OfMixedTypesFollowsTheSideItComesFrom) {
  const Pair at(numpy::array({2.0f}, ElementType::kF16), numpy::array({3.0f}));
  const auto f = [](Pair t) { return std::tuple(t.first, t.second, t.first + t.second); };
  const auto forward = jacfwd(f)(at), reverse = jacrev(f)(at);
  EXPECT_EQ(std::get<0>(forward).second.dtype(), ElementType::kF16);
  EXPECT_EQ(std::get<1>(forward).first.dtype(), ElementType::kF32);
  EXPECT_EQ(std::get<2>(forward).first.item<float>(), 1);
  EXPECT_EQ(std::get<0>(reverse).second.dtype(), ElementType::kF32);
  EXPECT_EQ(std::get<1>(reverse).first.dtype(), ElementType::kF16);
  EXPECT_EQ(std::get<2>(reverse).first.item<float>(), 1);
  EXPECT_EQ(std::get<0>(reverse).second.item<float>(), 0);
}

TEST(Jacobian, OfTreesAndSecondOrderHasTheShapesOfBoth) {
  const Array a = numpy::reshape(numpy::sin(numpy::arange(12, float32)), {4, 3}), x = numpy::arange(3, float32);
  const auto linear = [&](Array v) { return numpy::matmul(a, v); };
  expect_near(jacfwd(linear)(x), a);
  expect_near(jacrev(linear)(x), a);
  const Array square = numpy::reshape(numpy::cos(numpy::arange(9, float32)), {3, 3});
  const auto quadratic = [&](Array v) { return numpy::dot(v, numpy::matmul(square, v)); };
  expect_near(hessian(quadratic)(x), square + numpy::transpose(square), 1e-5);
  const auto two = [](Array p, Array q) { return Pair(p, q); };
  EXPECT_EQ(jacfwd(two)(0.0f, 1.0f).first.item<float>(), 1);
  EXPECT_EQ(jacrev<1>(two)(0.0f, 1.0f).first.item<float>(), 0);
  const auto both = jacrev<0, 1>(two)(0.0f, 1.0f);
  EXPECT_EQ(std::get<1>(both.second).item<float>(), 1);
  using Map = std::map<std::string, Array>;
  const auto outer = [](Array p, Array q) { return Map{{"x", p}, {"xy", numpy::outer(p, q)}}; };
  const Array p = numpy::array({1.0f, 2.0f}), q = numpy::array({3.0f, 4.0f, 5.0f});
  for (const Map& j : {jacfwd(outer)(p, q), jacrev(outer)(p, q)}) {
    EXPECT_EQ(j.at("x").to_vector<float>(), (Floats{1, 0, 0, 1}));
    EXPECT_EQ(j.at("xy").to_vector<float>(), (Floats{3, 0, 4, 0, 5, 0, 0, 3, 0, 4, 0, 5}));
  }
  const auto h = hessian([](Pair t) { return numpy::square(numpy::stack({t.first, t.second})); })(Pair(1.0f, 2.0f));
  EXPECT_EQ(h.first.first.to_vector<float>(), (Floats{2, 0}));
  EXPECT_EQ(h.second.second.to_vector<float>(), (Floats{0, 2}));
  const auto mixed = [](Array u, Array v) { return numpy::dot(u, u) + numpy::dot(v, v); };
  const Array u = numpy::ones({5}), v = numpy::ones({2});
  EXPECT_EQ(jacrev<0>(jacfwd<0>(mixed))(u, v).aval_shape().to_string(), "f32[5,5]");
  EXPECT_EQ(jacfwd<1>(jacrev<1>(mixed))(u, v).aval_shape().to_string(), "f32[2,2]");
  EXPECT_EQ(jacrev<0>(jacrev<1>(mixed))(u, v).aval_shape().to_string(), "f32[2,5]");
  EXPECT_EQ(jacfwd<1>(jacfwd<0>(mixed))(u, v).aval_shape().to_string(), "f32[5,2]");
}

TEST(HasAux, AuxMayBeUsedAndDifferentiated) {
  const auto cube = [](Array x) { return std::pair(x * x * x, x * x * x); };
  const auto of_aux = [&](Array x) { return grad(cube)(x).second; };
  EXPECT_EQ(grad(of_aux)(4.0f).item<float>(), 48);
  EXPECT_EQ(jit(grad(of_aux))(4.0f).item<float>(), 48);
  EXPECT_EQ(jit(grad(jit(of_aux)))(4.0f).item<float>(), 48);
  const auto of_forward = [&](Array x) { return jacfwd(has_aux(cube))(x).second; };
  const auto of_reverse = [&](Array x) { return jacrev(has_aux(cube))(x).second * numpy::sin(x); };
  EXPECT_EQ(jacfwd(of_forward)(4.0f).item<float>(), 48);
  EXPECT_NEAR(jit(jacrev(jit(of_reverse)))(4.0f).item<float>(), 48 * std::sin(4.0f) + 64 * std::cos(4.0f), 1e-4);
  const auto [slope, aux] = grad([](Array x) { return std::pair(x * x * x, std::vector<Array>{x * x, 4.0f}); })(4.0f);
  EXPECT_EQ(slope.item<float>(), 48);
  EXPECT_EQ(aux[0].item<float>(), 16);
  EXPECT_EQ(aux[1].item<float>(), 4);
  const auto [value, push, positive] =
      linearize(has_aux([](Array x) { return std::pair(x * 2.0f - 3.0f, x > 0.0f); }), Array(3.4f));
  EXPECT_FLOAT_EQ(value.item<float>(), 3.8f);
  EXPECT_EQ(push(5.0f).item<float>(), 10);
  EXPECT_TRUE(positive.item<bool>());
}

TEST(Vjp, RefusesCotangentsThatDoNotFit) {
  const auto pull = vjp([](Array x, Array y) { return x * y; }, numpy::array(3.0f), numpy::array(4.0f)).second;
  error_of([&] { pull(numpy::ones({2})); }, StatusCode::kInvalidArgument);
  error_of([&] { pull(numpy::ones({}, ElementType::kF16)); }, StatusCode::kInvalidArgument);
  const auto matrix =
      vjp([](Array x, Array y) { return numpy::matmul(x, y); }, numpy::ones({2, 5}), numpy::ones({5, 3})).second;
  const std::string text = error_of([&] { matrix(numpy::ones({2, 4})); }, StatusCode::kInvalidArgument);
  EXPECT_TRUE(has(text, "is f32[2,4], wanted f32[2,3]")) << text;
  const auto sums = linearize([](Array x) { return numpy::sum(x); }, numpy::array({1.0f, 2.0f, 3.0f})).second;
  error_of([&] { sums(numpy::ones({3, 2})); }, StatusCode::kInvalidArgument);
  const auto compiled = linearize(jit([](Array x) { return numpy::sum(x); }), numpy::array({1.0f, 2.0f, 3.0f})).second;
  error_of([&] { compiled(numpy::ones({3, 2})); }, StatusCode::kInvalidArgument);
  const auto one = linearize(same, numpy::array(1.0f)).second;
  EXPECT_EQ(one(numpy::array(1.0f)).item<float>(), 1);
  error_of([&] { one(numpy::array(1)); }, StatusCode::kInvalidArgument);
  EXPECT_EQ(linearize([](Array x) { return Pair(x, 1.0f); }, numpy::array(3.0f))
                .second(numpy::array(1.0f))
                .second.item<float>(),
            0);
  EXPECT_EQ(std::get<0>(vjp([](Array) { return Array(1.0f); }, Array(3.14f)).second(1.0f)).item<float>(), 0);
}

TEST(Vjp, IsTheTransposeUnderJitAndInPieces) {
  const auto f = [](Array x, Array w) { return numpy::matmul(x * 1.0f, w) * 2.0f; };
  const Array x = numpy::ones({3, 4}), w = numpy::ones({4, 4});
  const auto [y, pull] = vjp(f, x, w);
  const auto [dx, dw] = pull(numpy::ones_like(y));
  expect_near(dx, 2.0f * numpy::matmul(numpy::ones_like(y), numpy::transpose(w)));
  expect_near(dw, 2.0f * numpy::matmul(numpy::transpose(x), numpy::ones_like(y)));
  const auto twice = jit([](Array v) { return numpy::sin(numpy::sin(v)); });
  EXPECT_FLOAT_EQ(std::get<0>(vjp(twice, Array(1.0f)).second(1.0f)).item<float>(),
                  std::cos(std::sin(1.0f)) * std::cos(1.0f));
  const auto branched = [](Array v) { return lax::cond(v > 0.0f, sine, [](Array u) { return numpy::cos(u); }, v); };
  EXPECT_FLOAT_EQ(std::get<0>(vjp(branched, Array(3.0f)).second(1.0f)).item<float>(), std::cos(3.0f));
  using Map = std::map<std::string, Array>;
  const auto of_map =
      vjp([](Map m) { return std::vector<Array>{m["hi"] * m["bye"]}; }, Map{{"hi", 2.0f}, {"bye", 3.0f}});
  EXPECT_EQ(std::get<0>(of_map.second(std::vector<Array>{1.0f})).at("bye").item<float>(), 2);
}

struct Point {
  Array x, y;
  HILO_TREE(x, y)
  bool is_zero() const { return static_cast<bool>(x == 0.0f) && static_cast<bool>(y == 0.0f); }
};

TEST(Grad, OfStructsAreStructs) {
  const auto f = [](Point p) { return numpy::sqrt(p.x * p.x + p.y * p.y); };
  const Point at{3.0f, 4.0f};
  const Point slope = grad(f)(at);
  EXPECT_FLOAT_EQ(slope.x.item<float>(), 0.6f);
  EXPECT_FLOAT_EQ(slope.y.item<float>(), 0.8f);
  EXPECT_EQ(jit(f)(at).item<float>(), 5);
  const auto guarded = [&](Point p) { return p.is_zero() ? Array(0.0f) : f(p); };
  EXPECT_EQ(grad(guarded)(Point{0.0f, 0.0f}).x.item<float>(), 0);
}

TEST(LinearTranspose, OfIntegersComplexNumbersAndParts) {
  EXPECT_EQ(std::get<0>(linear_transpose([](Array x) { return 2 * x; }, Array(1))(3)).item<int>(), 6);
  const auto complex = linear_transpose([](Array x) { return Complex(1, 2) * x; }, Array(Complex(0, 1)));
  EXPECT_EQ(std::get<0>(complex(Complex(3, 4))).item<Complex>(), Complex(-5, 10));
  const auto first = linear_transpose([](std::vector<Array> x) { return x[0]; }, std::vector<Array>{1.0f, 2.0f})(3.0f);
  EXPECT_EQ(std::get<0>(first)[0].item<float>(), 3);
  EXPECT_EQ(std::get<0>(first)[1].item<float>(), 0);
  const auto f = jit([](Array x) { return Pair(2.0f * x, x > 0.0f); });
  EXPECT_EQ(std::get<0>(linear_transpose([&](Array x) { return f(x).first; }, Array(1.0f))(1.0f)).item<float>(), 2);
  const auto pull = linear_transpose([](Array x) { return 2.0f * x; }, numpy::zeros({3}));
  EXPECT_EQ(std::get<0>(pull(numpy::arange(3, float32))).to_vector<float>(), (Floats{0, 2, 4}));
  error_of([&] { linear_transpose([](Array x) { return numpy::stack({x, x}); }, Array(1.0f))(1.0f); },
           StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo
