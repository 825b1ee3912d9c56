// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/jacobian.h"

#include <gtest/gtest.h>

#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/custom_vjp.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

struct Params {
  Array w, b;
};

TEST(Jacobian, ForwardAndReverseAgree) {
  auto f = [](const Array& x) { return numpy::stack({x[0] * x[1], x[0] + x[1], numpy::sin(x[0])}); };
  const Array x = numpy::array({2.0, 3});
  const std::vector<float> forward = jacfwd(f)(x).to_vector<float>();
  EXPECT_EQ(forward, jacrev(f)(x).to_vector<float>());
  EXPECT_EQ(forward[0], 3);
  EXPECT_EQ(forward[1], 2);
}

TEST(Hessian, OfRosenbrockIsTheTextbooks) {
  auto f = [](const Array& x) { return 100.0f * numpy::square(x[1] - x[0] * x[0]) + numpy::square(1.0f - x[0]); };
  const std::vector<float> h = hessian(f)(numpy::array({1.0, 1})).to_vector<float>();
  EXPECT_NEAR(h[0], 802, 1e-2);
  EXPECT_NEAR(h[1], -400, 1e-2);
  EXPECT_NEAR(h[2], -400, 1e-2);
  EXPECT_NEAR(h[3], 200, 1e-2);
}

/// w * x + b and its sum, as a struct.
struct Outcome {
  Array y, total;
};
Outcome affine(const Params& p, const Array& x) {
  const Array y = p.w * x + p.b;
  return {y, numpy::sum(y)};
}
Params params() { return {numpy::array({2.0, 3}), Array(1.0f) * numpy::ones({})}; }

TEST(Jacobian, OfAStructHasItsTree) {
  const auto f = [](const Params& p, const Array& x) { return affine(p, x).y; };
  const Array x = numpy::array({5.0, 7});
  const Params forward = jacfwd(f)(params(), x), reverse = jacrev(f)(params(), x);
  EXPECT_EQ(forward.w.to_vector<float>(), (Floats{5, 0, 0, 7}));
  EXPECT_EQ(forward.b.to_vector<float>(), (Floats{1, 1}));
  EXPECT_EQ(reverse.w.to_vector<float>(), (Floats{5, 0, 0, 7}));
  EXPECT_EQ(reverse.b.aval_shape().to_string(), "f32[2]");
}

TEST(Jacobian, OfSeveralArgumentsIsATupleInTheOrderAskedFor) {
  const auto f = [](const Params& p, const Array& x) { return affine(p, x).y; };
  const Array x = numpy::array({5.0, 7});
  const auto [dx, dp] = jacrev<1, 0>(f)(params(), x);
  EXPECT_EQ(dx.to_vector<float>(), (Floats{2, 0, 0, 3}));
  EXPECT_EQ(dp.w.to_vector<float>(), (Floats{5, 0, 0, 7}));
  EXPECT_EQ(jacfwd<-1>(f)(params(), x).to_vector<float>(), (Floats{2, 0, 0, 3}));
}

TEST(Jacobian, OfATreeOfResultsIsATreeOfTrees) {
  const Array x = numpy::array({5.0, 7});
  const auto f = [](const Params& p, const Array& at) {
    const Outcome o = affine(p, at);
    return std::tuple(o.total, std::map<std::string, std::vector<Array>>{{"y", {o.y, o.y * o.y}}});
  };
  const auto [of_total, of_map] = jacfwd(f)(params(), x);
  EXPECT_EQ(of_total.w.to_vector<float>(), (Floats{5, 7}));
  EXPECT_EQ(of_map.at("y")[0].w.to_vector<float>(), (Floats{5, 0, 0, 7}));
  EXPECT_EQ(of_map.at("y")[1].b.to_vector<float>(), (Floats{22, 44}));
}

TEST(Jacobian, OfAStructOfResultsIsThatStructOrAList) {
  const Array x = numpy::array({5.0, 7});
  const Outcome along_x = jacrev<1>(affine)(params(), x);
  EXPECT_EQ(along_x.y.to_vector<float>(), (Floats{2, 0, 0, 3}));
  EXPECT_EQ(along_x.total.to_vector<float>(), (Floats{2, 3}));
  const std::vector<Params> leaves = jacrev(affine)(params(), x);
  ASSERT_EQ(leaves.size(), 2);
  EXPECT_EQ(leaves[0].w.to_vector<float>(), (Floats{5, 0, 0, 7}));
  EXPECT_EQ(leaves[1].b.item<float>(), 2);
}

TEST(Hessian, OfSeveralArgumentsHasMixedDerivatives) {
  const auto f = [](const Array& x, const Array& y) { return numpy::sum(x * x) * y; };
  const auto [of_x, of_y] = hessian<0, 1>(f)(numpy::array({1.0, 2}), Array(3.0f) * numpy::ones({}));
  const auto& [xx, xy] = of_x;
  const auto& [yx, yy] = of_y;
  EXPECT_EQ(xx.template to_vector<float>(), (Floats{6, 0, 0, 6}));
  EXPECT_EQ(xy.template to_vector<float>(), (Floats{2, 4}));
  EXPECT_EQ(yx.template to_vector<float>(), (Floats{2, 4}));
  EXPECT_EQ(yy.template item<float>(), 0);
}

TEST(Hessian, OfAStructIsAListOfStructs) {
  const auto f = [](const Params& p) { return numpy::sum(p.w * p.w) * p.b; };
  const std::vector<Params> rows = hessian(f)(params());
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].w.to_vector<float>(), (Floats{2, 0, 0, 2}));
  EXPECT_EQ(rows[0].b.to_vector<float>(), (Floats{4, 6}));
  EXPECT_EQ(rows[1].w.to_vector<float>(), (Floats{4, 6}));
  EXPECT_EQ(rows[1].b.item<float>(), 0);
}

TEST(Hessian, ComposesWithJitAndVmap) {
  const auto f = [](const Array& x) { return numpy::prod(x); };
  const Array rows = numpy::array({{1.0, 2, 3}, {2, 2, 2}});
  EXPECT_EQ(jit(vmap(hessian(f)))(rows).to_vector<float>(),
            (Floats{0, 3, 2, 3, 0, 1, 2, 1, 0, 0, 2, 2, 2, 0, 2, 2, 2, 0}));
}

TEST(Jacobian, RefusesIntegers) {
  const auto same = [](const Array& x) { return x; };
  std::string text = error_of([&] { jacfwd(same)(numpy::arange(3)); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("jacfwd requires real-valued inputs"), std::string::npos) << text;
  text = error_of([&] { jacrev(same)(numpy::arange(3)); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("jacrev requires real- or complex-valued inputs"), std::string::npos) << text;
  const auto to_integer = [](const Array& x) { return numpy::astype(x, ElementType::kS32); };
  text = error_of([&] { jacrev(to_integer)(numpy::zeros({3})); }, StatusCode::kInvalidArgument);
  EXPECT_NE(
      text.find("jacrev requires real-valued outputs (output dtype that is a sub-dtype of floating), but got s32[3]"),
      std::string::npos)
      << text;
}

size_t times(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Jacobian, ForwardRunsALoopOnceForAllInputs) {
  const auto f = [](const Params& p, const Array& x) {
    const auto step = [&](const Array& c, const Array& v) { return std::pair(numpy::sin(c * p.w + v) + p.b, c); };
    return lax::scan(step, x, numpy::ones({3, 2})).first;
  };
  const Array x = numpy::array({5.0, 7});
  const std::string text = make_hlo([&](const Params& p) { return jacfwd<0, 1>(f)(p, x); })(params());
  EXPECT_EQ(times(text, "%hilo.scan"), 1 + times(text, "get-tuple-element(%hilo.scan"));
  const auto [of_p, of_x] = jacfwd<0, 1>(f)(params(), x);
  const auto [p_reverse, x_reverse] = jacrev<0, 1>(f)(params(), x);
  const auto close = [](const Array& a, const Array& b) {
    ASSERT_EQ(a.aval_shape().to_string(), b.aval_shape().to_string());
    for (int64_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a.to_vector<float>()[i], b.to_vector<float>()[i], 1e-5);
  };
  close(of_p.w, p_reverse.w);
  close(of_p.b, p_reverse.b);
  close(of_x, x_reverse);
}

TEST(Jacobian, HasZerosForIntegersAndEmptyArrays) {
  const auto f = [](const Array& x, const Array& n) { return x * numpy::astype(n, ElementType::kF32); };
  const auto [of_x, of_n] = jacfwd<0, 1>(f, {.allow_int = true})(numpy::array({2.0, 3}), numpy::arange(2));
  EXPECT_EQ(of_x.to_vector<float>(), (Floats{0, 0, 0, 1}));
  EXPECT_EQ(of_n.to_vector<float>(), (Floats{0, 0, 0, 0}));
  EXPECT_EQ(jacfwd([](const Array& x) { return numpy::sum(x); })(numpy::zeros({0})).aval_shape().to_string(), "f32[0]");
}

/// Whether jacobian goes forward for a function of `inputs` numbers with `results` numbers.
bool goes_forward(int64_t inputs, int64_t results) {
  const Array x = numpy::ones({inputs});
  const FlatFunction f = [&](std::span<const Array> v) {
    return std::vector<Array>{numpy::broadcast_to(numpy::sum(v[0]), {results})};
  };
  return jacobian_detail::forward_is_cheaper(f, std::span(&x, 1), [] { return size_t{1}; }, inputs);
}

TEST(Jacobian, TakesTheCheaperDirection) {
  EXPECT_TRUE(goes_forward(3, 3));
  EXPECT_TRUE(goes_forward(6, 3));
  EXPECT_FALSE(goes_forward(7, 3));
  const auto f = [](const Params& p, const Array& x) { return affine(p, x).y; };
  const Array x = numpy::array({5.0, 7});
  EXPECT_EQ(jacobian(f)(params(), x).w.to_vector<float>(), (Floats{5, 0, 0, 7}));
  const auto total = [](const Array& v) { return std::pair(numpy::sum(v * v), v); };
  const auto [slope, aux] = jacobian(has_aux(total))(numpy::array({1.0, 2, 3}));
  EXPECT_EQ(slope.to_vector<float>(), (Floats{2, 4, 6}));
  EXPECT_EQ(aux.to_vector<float>(), (Floats{1, 2, 3}));
}

TEST(Jacobian, TakesTheOnlyDirectionThatAFunctionHas) {
  const auto doubled = custom_vjp([](const Array& x) { return x * x; })
                           .defvjp([](const Array& x) { return std::pair(x * x, x); },
                                   [](const Array& x, const Array& g) { return g * x * 3.0f; });
  EXPECT_EQ(jacobian(doubled)(numpy::array({1.0, 2})).to_vector<float>(), (Floats{3, 0, 0, 6}));
  const auto grown = [](const Array& x) {
    return lax::while_loop([](const Array& c) { return numpy::sum(c) < 9.0f; }, [](const Array& c) { return c * 2.0f; },
                           x);
  };
  const auto total = [&](const Array& x) { return numpy::sum(grown(x)); };
  EXPECT_EQ(jacobian(total)(numpy::array({1.0, 2, 3})).to_vector<float>(), (Floats{2, 2, 2}));
}

TEST(Hvp, IsTheHessianTimesAVector) {
  const auto f = [](Array x, Array y) { return numpy::sum(numpy::sin(x) * y * x); };
  const Array x = numpy::array({0.5f, -1.0f}), y = numpy::array({2.0f, 3.0f}), v = numpy::array({1.0f, -2.0f});
  const Array whole = hessian([&](Array a) { return f(a, y); })(x);
  const Array wanted = numpy::matmul(whole, v);
  const Array got = hvp(f, std::tuple(x, y), std::tuple(v, numpy::zeros({2})));
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(got[i].item<float>(), wanted[i].item<float>(), 1e-6);
}

}  // namespace
}  // namespace hilo
