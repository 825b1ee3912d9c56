// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/custom_batching.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"
#include "tests/support/golden_values.h"

namespace hilo {
namespace {

using Flags = std::vector<bool>;

Array x() { return numpy::array({-3.0f, 0.5f, 2.0f}); }
Array y() { return numpy::array({1.5f, -2.0f, 0.25f}); }

/// A sum that records the flags of its batching rule.
Array shifted(const Array& a, const Array& b) {
  static const auto f = custom_batching::custom_vmap([](Array p, Array q) {
                          return p + q;
                        }).def_vmap([](int64_t axis_size, Flags in_batched, Array p, Array q) {
    const float shift =
        100.0f * static_cast<float>(axis_size) + (in_batched[0] ? 10.0f : 0.0f) + (in_batched[1] ? 1.0f : 0.0f);
    return std::pair(p + q + shift, true);
  });
  return f(a, b);
}

TEST(CustomVmap, DoesWhatItsRuleSays) {
  const std::vector<Array> values = {vmap(shifted)(x(), y()), vmap(shifted, {0, kNoAxis})(x(), 1.0f),
                                     jit(vmap(shifted, {kNoAxis, 0}))(1.0f, y())};
  expect_golden("custom_vmap.values", values);
  const auto nested = vmap(vmap(shifted, {0, kNoAxis}));
  expect_golden("custom_vmap.nested", nested(numpy::stack({x(), y()}), numpy::array({1.0f, 2.0f})));
  expect_golden("custom_vmap.nested",
                jit(vmap(jit(vmap(shifted, {0, kNoAxis}))))(numpy::stack({x(), y()}), numpy::array({1.0f, 2.0f})));
  EXPECT_EQ(shifted(1.0f, 2.0f).item<float>(), 3);
}

TEST(CustomVmap, IsDifferentiatedAsItsFunction) {
  EXPECT_EQ(grad(shifted)(1.0f, 2.0f).item<float>(), 1);
  EXPECT_EQ(vmap(grad(shifted))(x(), y()).to_vector<float>(), (std::vector<float>{1, 1, 1}));
  const auto total = [](Array a) { return numpy::sum(vmap(shifted)(a, y())); };
  EXPECT_EQ(grad(total)(x()).to_vector<float>(), (std::vector<float>{1, 1, 1}));
}

/// `sine_or_cosine` computes a sine, and a cosine if batched. `asked` stores the arguments of its rule.
std::vector<Flags> asked;
Array sine_or_cosine(const Array& v) {
  static const auto f = custom_batching::custom_vmap([](Array a) {
                          return numpy::sin(a);
                        }).def_vmap([](int64_t, Flags in_batched, Array a) {
    asked.push_back(in_batched);
    return std::pair(numpy::cos(a), in_batched);
  });
  return f(v);
}
std::pair<Array, Array> pushed(const Array& v, const Array& t) {
  return jvp(sine_or_cosine, std::tuple(v), std::tuple(t));
}
bool close(const Array& got, const Array& wanted) { return numpy::allclose(got, wanted).item<bool>(); }

TEST(CustomVmap, BatchedDerivativesForwardsAreThoseOfTheRule) {
  const Array t = 2.0f * y();
  EXPECT_TRUE(close(pushed(x(), t).second, numpy::cos(x()) * t));  // No argument is batched.
  const auto check = [&](const std::pair<Array, Array>& got) {
    EXPECT_TRUE(close(got.first, numpy::cos(x())));
    EXPECT_TRUE(close(got.second, -numpy::sin(x()) * t));
  };
  asked.clear();
  check(vmap(pushed)(x(), t));
  EXPECT_EQ(asked, std::vector<Flags>{{true}});
  check(jit(vmap(pushed))(x(), t));
  const auto of_all = [](Array v) { return vmap(sine_or_cosine)(v); };
  check(jvp(of_all, std::tuple(x()), std::tuple(t)));
  // Only one of a value and its tangent has the axis, so the rule runs once for each example.
  asked.clear();
  const auto [value, tangents] = vmap(pushed, {.in_axes = {kNoAxis, 0}, .out_axes = {kNoAxis, 0}})(1.0f, t);
  EXPECT_EQ(asked, std::vector<Flags>{{false}});
  EXPECT_TRUE(close(value, numpy::cos(Array(1.0f))) && close(tangents, -numpy::sin(Array(1.0f)) * t));
  const auto [values, slopes] = vmap(pushed, {0, kNoAxis})(x(), 4.0f);
  EXPECT_TRUE(close(values, numpy::cos(x())) && close(slopes, -4.0f * numpy::sin(x())));
  const auto each = [](Array v) { return vmap(sine_or_cosine)(v); };
  EXPECT_TRUE(close(jacfwd(each)(x()), -numpy::diag(numpy::sin(x()))));
  EXPECT_TRUE(close(jacfwd(sine_or_cosine)(x()), -numpy::diag(numpy::sin(x()))));
}

TEST(CustomVmap, RulesMayCloseOverConstants) {
  const Array z = numpy::array({2.0f, 1.0f, 3.0f});
  const auto f =
      custom_batching::custom_vmap([z](Array a) { return z + numpy::sin(a); }).def_vmap([z](int64_t, Flags, Array a) {
        return std::pair(z + numpy::cos(numpy::expand_dims(a, 1)), true);
      });
  const auto push = [&](Array v, Array t) { return jvp(f, std::tuple(v), std::tuple(t)); };
  EXPECT_TRUE(close(push(1.0f, 2.0f).second, numpy::full({3}, 2.0f) * numpy::cos(Array(1.0f))));
  const auto [values, tangents] = vmap(push)(x(), y());
  EXPECT_TRUE(close(values, z + numpy::cos(numpy::expand_dims(x(), 1))));
  EXPECT_TRUE(close(tangents, numpy::broadcast_to(numpy::expand_dims(-numpy::sin(x()) * y(), 1), {3, 3})));
}

TEST(CustomVmap, ALinearRuleKeepsTangentsUnbatched) {
  const auto linear = custom_batching::custom_vmap([](Array a) {
                        return 7.0f * a;
                      }).def_vmap([](int64_t, Flags in_batched, Array a) { return std::pair(11.0f * a, in_batched); });
  const auto push = [&](Array v, Array t) { return jvp(linear, std::tuple(v), std::tuple(t)); };
  const VmapOptions unbatched{.in_axes = {0, kNoAxis}, .out_axes = {0, kNoAxis}};
  EXPECT_EQ(vmap(push, unbatched)(x(), 4.0f).second.item<float>(), 44);
  EXPECT_NE(error_of([&] { vmap(pushed, unbatched)(x(), 4.0f); }, StatusCode::kInvalidArgument).find("out_axes"),
            std::string::npos);
}

TEST(CustomVmap, PrimalsOfARuleMayFollowTangents) {
  // Not a real derivative: the tangent flows into the value.
  const auto odd =
      custom_jvp([](Array a) { return numpy::cos(a); }).defjvp([](std::tuple<Array> v, std::tuple<Array> t) {
        return std::pair(numpy::cos(std::get<0>(v) * std::get<0>(t)), std::get<0>(t));
      });
  const auto f = custom_batching::custom_vmap([](Array a) {
                   return numpy::sin(a);
                 }).def_vmap([odd](int64_t, Flags in_batched, Array a) { return std::pair(odd(a), in_batched); });
  const auto push = [&](Array v, Array t) { return jvp(f, std::tuple(v), std::tuple(t)); };
  const auto [values, tangents] = vmap(push, {kNoAxis, 0})(1.0f, y());
  EXPECT_TRUE(close(values, numpy::cos(y())) && close(tangents, y()));
  const VmapOptions unbatched{.in_axes = {kNoAxis, 0}, .out_axes = {kNoAxis, 0}};
  EXPECT_NE(error_of([&] { vmap(push, unbatched)(1.0f, y()); }, StatusCode::kInvalidArgument).find("out_axes"),
            std::string::npos);
}

TEST(CustomVmap, AxisIsMovedToTheFrontAndResultsMayHaveNone) {
  const auto f =
      custom_batching::custom_vmap([](Array a) {
        return std::pair(a, Array(7.0f));
      }).def_vmap([](int64_t, Flags, Array a) { return std::pair(std::pair(a, Array(7.0f)), Flags{true, false}); });
  const auto [rows, seven] = vmap(f, {1})(numpy::stack({x(), y()}));
  EXPECT_EQ(rows.aval_shape().to_string(), "f32[3,2]");
  EXPECT_EQ(seven.to_vector<float>(), (std::vector<float>{7, 7, 7}));
}

TEST(CustomVmap, SaysWhatARuleGotWrong) {
  const auto f = custom_batching::custom_vmap([](Array a) { return a; }).def_vmap([](int64_t, Flags, Array a) {
    return std::pair(numpy::sum(a), true);
  });
  const std::string text = error_of([&] { vmap(f)(x()); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("result 0 of the vmap rule is f32[], wanted f32[3]"), std::string::npos) << text;
  const auto closes_over = [](Array w) {
    return custom_batching::custom_vmap([w](Array a) { return a * w; }).def_vmap([](int64_t, Flags, Array a) {
      return std::pair(a, true);
    })(w);
  };
  const std::string closure = error_of([&] { vmap(closes_over)(x()); }, StatusCode::kUnimplemented);
  EXPECT_NE(closure.find("closes over a value that is batched"), std::string::npos) << closure;
}

}  // namespace
}  // namespace hilo
