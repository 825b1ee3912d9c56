// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/jet.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/fft/fft.h"
#include "hilo/lax/barrier.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/elementwise.h"
#include "hilo/lax/slicing.h"
#include "hilo/lax/special.h"
#include "hilo/lax/window.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"
#include "tests/support/x64.h"

namespace hilo {
namespace {

using Function = std::function<Array(const Array&)>;
constexpr int kOrder = 4;

/// The derivatives of t -> f(x + v1 t + v2 t^2 / 2 + ...) at 0; one nested jvp computes each.
std::vector<Array> by_nested_jvps(const Function& f, const Array& x, const std::vector<Array>& terms) {
  Function curve = [&](const Array& t) {
    Array at = x, power = t;
    double factorial = 1;
    for (size_t k = 0; k < terms.size(); ++k) {
      factorial *= static_cast<double>(k + 1);
      at = at + terms[k] * power / factorial;
      power = power * t;
    }
    return f(at);
  };
  std::vector<Array> out;
  for (size_t k = 0; k < terms.size(); ++k) {
    curve = [before = curve](const Array& t) {
      return jvp(before, std::tuple(t), std::tuple(numpy::ones({}, float64))).second;
    };
    out.push_back(curve(numpy::zeros({}, float64)));
  }
  return out;
}

void expect_close(const Array& got, const Array& wanted, const std::string& what) {
  const std::vector<double> a = got.to_vector<double>(), b = wanted.to_vector<double>();
  ASSERT_EQ(a.size(), b.size()) << what;
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9 * std::max(1.0, std::abs(b[i]))) << what;
}

class Jet : public testing::Test {
 protected:
  const X64Scope x64_;

  std::vector<Array> terms() const {
    return {numpy::array({0.7, -0.4}), numpy::array({0.3, 0.9}), numpy::array({-1.1, 0.2}), numpy::array({0.6, -0.8})};
  }
  void agrees(const std::string& what, const Function& f, const Array& x) const {
    const auto [y, series] = jet(f, std::tuple(x), std::tuple(terms()));
    expect_close(y, f(x), what);
    const std::vector<Array> wanted = by_nested_jvps(f, x, terms());
    ASSERT_EQ(series.size(), static_cast<size_t>(kOrder));
    for (int k = 0; k < kOrder; ++k) {
      const auto i = static_cast<size_t>(k);
      expect_close(series[i], wanted[i], what + ", derivative " + std::to_string(k + 1));
    }
    const auto compiled = jit([&](const Array& at) { return jet(f, std::tuple(at), std::tuple(terms())).second[3]; });
    expect_close(compiled(x), series[3], what + ", compiled");
  }
};

TEST_F(Jet, KnowsElementwiseOps) {
  const Array x = numpy::array({0.3, 0.6}), big = numpy::array({1.3, 2.6});
  agrees("exp", [](const Array& v) { return numpy::exp(v); }, x);
  agrees("expm1", [](const Array& v) { return numpy::expm1(v); }, x);
  agrees("log", [](const Array& v) { return numpy::log(v); }, x);
  agrees("log1p", [](const Array& v) { return numpy::log1p(v); }, x);
  agrees("sin", [](const Array& v) { return numpy::sin(v); }, x);
  agrees("cos", [](const Array& v) { return numpy::cos(v); }, x);
  agrees("tan", [](const Array& v) { return numpy::tan(v); }, x);
  agrees("sinh", [](const Array& v) { return numpy::sinh(v); }, x);
  agrees("cosh", [](const Array& v) { return numpy::cosh(v); }, x);
  agrees("tanh", [](const Array& v) { return numpy::tanh(v); }, x);
  agrees("logistic", [](const Array& v) { return lax::logistic(v); }, x);
  agrees("sqrt", [](const Array& v) { return numpy::sqrt(v); }, x);
  agrees("rsqrt", [](const Array& v) { return lax::rsqrt(v); }, x);
  agrees("cbrt", [](const Array& v) { return numpy::cbrt(v); }, x);
  agrees("arcsin", [](const Array& v) { return numpy::arcsin(v); }, x);
  agrees("arccos", [](const Array& v) { return numpy::arccos(v); }, x);
  agrees("arctan", [](const Array& v) { return numpy::arctan(v); }, x);
  agrees("arcsinh", [](const Array& v) { return numpy::arcsinh(v); }, x);
  agrees("arccosh", [](const Array& v) { return numpy::arccosh(v); }, big);
  agrees("arctanh", [](const Array& v) { return numpy::arctanh(v); }, x);
  agrees("erf", [](const Array& v) { return lax::erf(v); }, x);
  agrees("erfc", [](const Array& v) { return lax::erfc(v); }, x);
  agrees("erf_inv", [](const Array& v) { return lax::erf_inv(v); }, x);
  agrees("abs", [](const Array& v) { return numpy::abs(v - 0.5); }, x);
  agrees("negative", [](const Array& v) { return -v; }, x);
}

TEST_F(Jet, KnowsOpsOfTwo) {
  const Array x = numpy::array({0.3, 0.6}), c = numpy::array({1.7, -0.5});
  agrees("mul", [](const Array& v) { return v * numpy::sin(v); }, x);
  agrees("div", [](const Array& v) { return numpy::sin(v) / v; }, x);
  agrees("div by it", [](const Array& v) { return 2.0 / v; }, x);
  agrees("div of it", [&](const Array& v) { return v / c; }, x);
  agrees("power", [](const Array& v) { return numpy::power(v, 2.5); }, x);
  agrees("square", [](const Array& v) { return numpy::power(v, 2); }, x);
  agrees("exponent", [](const Array& v) { return numpy::power(2.5, v); }, x);
  agrees("both", [](const Array& v) { return numpy::power(v, v + 1.0); }, x);
  agrees("max", [](const Array& v) { return numpy::maximum(v * v, 0.2); }, x);
  agrees("min", [](const Array& v) { return numpy::minimum(v * v, 0.2); }, x);
  agrees("arctan2", [](const Array& v) { return numpy::arctan2(numpy::sin(v), v + 1.0); }, x);
  agrees("clip", [](const Array& v) { return numpy::clip(v * 2.0, 0.1, 0.9); }, x);
  agrees("where", [](const Array& v) { return numpy::where(v > 0.5, v * v, numpy::exp(v)); }, x);
  agrees("floor", [](const Array& v) { return numpy::floor(v * 3.0) * v; }, x);
}

TEST_F(Jet, KnowsOpsOfOtherShapes) {
  const Array x = numpy::array({0.3, 0.6}), m = numpy::array({{1.0, -2.0}, {0.5, 3.0}});
  agrees("matmul", [&](const Array& v) { return numpy::matmul(m, numpy::sin(v)); }, x);
  agrees("outer", [](const Array& v) { return numpy::outer(numpy::sin(v), v); }, x);
  agrees("sum", [](const Array& v) { return numpy::sum(v * v); }, x);
  agrees("mean", [](const Array& v) { return numpy::mean(numpy::exp(v)); }, x);
  agrees("max", [](const Array& v) { return numpy::max(v * v); }, x);
  agrees("min", [](const Array& v) { return numpy::min(v * v); }, x);
  agrees("reverse", [](const Array& v) { return numpy::flip(v) * v; }, x);
  agrees("stack", [](const Array& v) { return numpy::stack({v, v * v}); }, x);
  agrees("transpose", [](const Array& v) { return numpy::transpose(numpy::outer(v, v)); }, x);
  agrees("element", [](const Array& v) { return v[0] * v[1]; }, x);
  agrees("gather", [](const Array& v) { return numpy::sin(v)(numpy::array({1, 0, 1})); }, x);
  agrees("scatter", [](const Array& v) { return numpy::zeros({3}, float64).at(numpy::array({2, 0})).add(v * v); }, x);
  agrees("pad", [](const Array& v) { return numpy::pad(v * v, 1); }, x);
}

TEST_F(Jet, ANetworkHasDerivativesToo) {
  const Array w = numpy::array({{0.5, -1.0}, {0.25, 0.75}});
  agrees(
      "network",
      [&](const Array& v) { return numpy::sum(numpy::tanh(numpy::matmul(w, numpy::tanh(numpy::matmul(w, v))))); },
      numpy::array({0.3, 0.6}));
}

TEST_F(Jet, LooksIntoCallsAndCustomRules) {
  const Array x = numpy::array({0.3, 0.6});
  const auto inner = jit([](const Array& v) { return numpy::sin(v) * v; });
  agrees("jit", [&](const Array& v) { return inner(v) + v; }, x);
  agrees("vmap", [](const Array& v) { return vmap([](const Array& e) { return numpy::exp(e) * e; })(v); }, x);
  const auto own = custom_jvp([](Array v) { return v * v * v; }).defjvps([](Array t, Array, Array) { return 0.0 * t; });
  const auto series = jet([&](const Array& v) { return own(v); }, std::tuple(x), std::tuple(terms())).second;
  const auto plain = jet([](const Array& v) { return v * v * v; }, std::tuple(x), std::tuple(terms())).second;
  expect_close(series[3], plain[3], "as in JAX, the function itself is expanded");
}

TEST_F(Jet, TakesTreesAndSeveralArguments) {
  const auto f = [](const std::pair<Array, Array>& p, const Array& z) {
    return std::pair(p.first * p.second, p.first * z);
  };
  const auto one = [](double v) { return numpy::array(v); };
  const std::pair<Array, Array> p(one(2), one(3)), dp(one(1), one(0.5)), none(one(0), one(0));
  const auto [y, series] =
      jet(f, std::tuple(p, one(4)), std::tuple(std::vector{dp, none}, std::vector{one(-1), one(0)}));
  EXPECT_EQ(y.first.item<double>(), 6);
  EXPECT_EQ(series[0].first.item<double>(), 1 * 3 + 2 * 0.5);
  EXPECT_EQ(series[1].first.item<double>(), 2 * 1 * 0.5);
  EXPECT_EQ(series[0].second.item<double>(), 1 * 4 - 2);
  EXPECT_EQ(series[1].second.item<double>(), -2);
}

TEST_F(Jet, CanBeDifferentiatedAndBatched) {
  const auto third = [](const Array& v) {
    const Array zero = numpy::zeros_like(v);
    return jet([](const Array& u) { return numpy::sin(u); }, std::tuple(v),
               std::tuple(std::vector{numpy::ones_like(v), zero, zero}))
        .second[2];
  };
  const Array x = numpy::array(0.4);
  expect_close(third(x), -numpy::cos(x), "third derivative");
  expect_close(grad(third)(x), numpy::sin(x), "gradient of it");
  expect_close(vmap(third)(numpy::array({0.1, 0.4})), -numpy::cos(numpy::array({0.1, 0.4})), "batch");
}

TEST_F(Jet, RefusesByName) {
  const Array x = numpy::array(0.4);
  const auto of = [&](const Function& f) {
    return error_of([&] { jet(f, std::tuple(x), std::tuple(std::vector{x})); }, StatusCode::kUnimplemented);
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(of([](const Array& v) {
                    return lax::while_loop([](Array u) { return u < 3.0; }, [](Array u) { return u * 2.0; }, v);
                  }),
                  "jet of while_loop (jet_test.cc:"));
  EXPECT_TRUE(has(
      of([](const Array& v) { return lax::cond(v > 0.0, [](Array u) { return u; }, [](Array u) { return -u; }, v); }),
      "jet of cond (jet_test.cc:"));
  EXPECT_TRUE(has(of([](const Array& v) { return lax::fori_loop(0, 3, [](Array, Array u) { return u * 2.0; }, v); }),
                  "jet of scan ("));
  EXPECT_TRUE(has(of([](const Array& v) { return numpy::sort(numpy::stack({v, 2.0 * v}))[0]; }), "jet of sort ("));
}

TEST_F(Jet, RefusesSeriesThatDontFit) {
  const Array x = numpy::array(0.4);
  const auto f = [](const Array& u, const Array& v) { return u * v; };
  const std::string lengths = error_of([&] { jet(f, std::tuple(x, x), std::tuple(std::vector{x}, std::vector{x, x})); },
                                       StatusCode::kInvalidArgument);
  EXPECT_NE(lengths.find("the series have different lengths; got 1 and 2"), std::string::npos);
  const std::string shapes =
      error_of([&] { jet(f, std::tuple(x, x), std::tuple(std::vector{numpy::ones({2}, float64)}, std::vector{x})); },
               StatusCode::kInvalidArgument);
  EXPECT_NE(shapes.find("got f64[2], wanted f64[]"), std::string::npos) << shapes;
}

// ---- as JAX's jet_test has them
// ---------------------------------------------------------------------------------------

TEST_F(Jet, RoundingAndSignsHaveNoDerivatives) {
  const Array x = numpy::array({1.3, -2.6});
  agrees("floor", [](const Array& v) { return numpy::floor(v); }, x);
  agrees("ceil", [](const Array& v) { return numpy::ceil(v); }, x);
  agrees("trunc", [](const Array& v) { return numpy::trunc(v); }, x);
  agrees("round", [](const Array& v) { return lax::round(v); }, x);
  agrees("to even", [](const Array& v) { return numpy::round(v); }, x);
  agrees("sign", [](const Array& v) { return numpy::sign(v); }, x);
  agrees("sign times it", [](const Array& v) { return numpy::sign(v) * v * v; }, x);
  agrees("stop_gradient", [](const Array& v) { return lax::stop_gradient(v * v) * v; }, x);
}

TEST_F(Jet, ReducesAlongAnAxis) {
  const Array x = numpy::array({0.3, 0.6});
  const auto table = [](const Array& v) { return numpy::outer(numpy::sin(v), numpy::array({1.0, -2.0, 0.5})); };
  for (const int axis : {0, 1}) {
    agrees("max", [&](const Array& v) { return numpy::max(table(v), axis); }, x);
    agrees("min", [&](const Array& v) { return numpy::min(table(v), axis); }, x);
    agrees("sum", [&](const Array& v) { return numpy::sum(table(v), axis); }, x);
  }
}

TEST_F(Jet, KnowsComplexNumbersAndFft) {
  const Array x = numpy::array({0.3, 0.6});
  const auto z = [](const Array& v) { return lax::complex(numpy::sin(v), v * v); };
  agrees("real", [&](const Array& v) { return numpy::real(z(v) * z(v)); }, x);
  agrees("imag", [&](const Array& v) { return numpy::imag(z(v) * z(v)); }, x);
  agrees("conj", [&](const Array& v) { return numpy::imag(numpy::conj(z(v)) * numpy::exp(z(v))); }, x);
  agrees("fft", [&](const Array& v) { return numpy::real(fft::fft(z(v))); }, x);
  agrees("ifft", [&](const Array& v) { return numpy::imag(fft::ifft(z(v))); }, x);
  agrees("rfft", [&](const Array& v) { return numpy::real(fft::rfft(numpy::sin(v))); }, x);
  agrees("irfft", [&](const Array& v) { return fft::irfft(z(v), 2); }, x);
}

TEST_F(Jet, KnowsRunningSums) {
  const Array x = numpy::array({0.6, 0.3});
  for (const bool reverse : {false, true}) {
    agrees("cumsum", [&](const Array& v) { return lax::cumsum(numpy::sin(v), 0, reverse); }, x);
  }
}

TEST_F(Jet, KnowsRunningProductsAndExtrema) {
  const Array x = numpy::array({0.6, -0.9});
  const auto six = [](const Array& v) { return numpy::concatenate({numpy::sin(v), v * v, v}); };
  for (const bool reverse : {false, true}) {
    agrees("cumprod", [&](const Array& v) { return lax::cumprod(six(v), 0, reverse); }, x);
    agrees("cummax", [&](const Array& v) { return lax::cummax(six(v), 0, reverse); }, x);
    agrees("cummin", [&](const Array& v) { return lax::cummin(six(v), 0, reverse); }, x);
  }
}

TEST_F(Jet, KnowsSlicesAndCopies) {
  const Array x = numpy::array({0.3, 0.6});
  agrees("slice", [](const Array& v) { return lax::dynamic_slice(numpy::sin(v), {Array(1)}, {1}); }, x);
  agrees(
      "update",
      [](const Array& v) {
        return lax::dynamic_update_slice(numpy::sin(v), lax::dynamic_slice(v * v, {Array(0)}, {1}), {Array(1)});
      },
      x);
  agrees("copy", [](const Array& v) { return numpy::copy(v * v); }, x);
  agrees("rem", [](const Array& v) { return numpy::fmod(v * v, numpy::array({0.07, 0.25})); }, x);
  agrees("unstack", [](const Array& v) { return numpy::unstack(v * v)[1]; }, x);
}

TEST_F(Jet, KnowsConvolutions) {
  const Array kernel = numpy::array({0.5, -1.0, 0.25});
  agrees(
      "convolve", [&](const Array& v) { return numpy::convolve(numpy::sin(v), kernel, "same"); },
      numpy::array({0.3, 0.6}));
  agrees("both", [](const Array& v) { return numpy::convolve(numpy::sin(v), v); }, numpy::array({0.3, 0.6}));
}

TEST_F(Jet, StaysFiniteFarOut) {
  const Array far = numpy::array({500.0, -500.0});
  for (const Function& f : {Function([](const Array& v) { return numpy::tanh(v); }),
                            Function([](const Array& v) { return lax::logistic(v); })}) {
    const auto [y, series] = jet(f, std::tuple(far), std::tuple(terms()));
    for (const Array& derivative : series) {
      for (const double number : derivative.to_vector<double>()) EXPECT_NEAR(number, 0, 1e-200);
    }
  }
}

TEST_F(Jet, OfAConstantIsZero) {
  const auto series = jet([](const Array&) { return numpy::array({2.0, 3.0}); }, std::tuple(numpy::array({0.3, 0.6})),
                          std::tuple(terms()))
                          .second;
  ASSERT_EQ(series.size(), static_cast<size_t>(kOrder));
  for (const Array& derivative : series) EXPECT_EQ(derivative.to_vector<double>(), (std::vector<double>{0, 0}));
}

TEST_F(Jet, GoesThroughGradients) {
  const Array x = numpy::array({0.3, 0.6});
  agrees("fan out", grad([](const Array& v) { return numpy::sum(numpy::square(v) * numpy::sin(v) + v * v); }), x);
  agrees("element", grad([](const Array& v) { return numpy::sin(v[1]) * v[1] * v[0]; }), x);
}

TEST_F(Jet, TruthValuesAndIntegersHaveNone) {
  const Array x = numpy::array({0.3, 0.6});
  const auto number = [](const Array& truth) { return numpy::astype(truth, float64); };
  const auto whole = [](const Array& v) { return numpy::astype(v * 10.0, int32); };
  agrees("isfinite", [&](const Array& v) { return number(numpy::isfinite(v)) * v; }, x);
  agrees("le", [&](const Array& v) { return number(v <= 0.4) * v; }, x);
  agrees("lt", [&](const Array& v) { return number(v < 0.4) * v; }, x);
  agrees("ge", [&](const Array& v) { return number(v >= 0.4) * v; }, x);
  agrees("gt", [&](const Array& v) { return number(v > 0.4) * v; }, x);
  agrees("eq", [&](const Array& v) { return number(v == 0.6) * v; }, x);
  agrees("ne", [&](const Array& v) { return number(v != 0.6) * v; }, x);
  agrees("not", [&](const Array& v) { return number(numpy::logical_not(v > 0.4)) * v; }, x);
  agrees("and", [&](const Array& v) { return number(numpy::logical_and(v > 0.4, v < 0.5)) * v; }, x);
  agrees("or", [&](const Array& v) { return number(numpy::logical_or(v > 0.4, v < 0.1)) * v; }, x);
  agrees("xor", [&](const Array& v) { return number(numpy::logical_xor(v > 0.4, v < 0.5)) * v; }, x);
  agrees("left", [&](const Array& v) { return number(numpy::left_shift(whole(v), 1)) * v; }, x);
  agrees("right", [&](const Array& v) { return number(numpy::right_shift(whole(v), 1)) * v; }, x);
  agrees(
      "logical",
      [&](const Array& v) {
        return number(numpy::right_shift(numpy::astype(whole(v), ElementType::kU32), numpy::array(1u))) * v;
      },
      x);
}

}  // namespace
}  // namespace hilo
