// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/custom_batching.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"
#include "tests/support/golden_values.h"

namespace hilo {
namespace {

using Flags = std::vector<bool>;

Array x() { return numpy::array({-3.0f, 0.5f, 2.0f}); }
Array y() { return numpy::array({1.5f, -2.0f, 0.25f}); }

/// A sum that says how it was batched.
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
