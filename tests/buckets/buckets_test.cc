// SPDX-License-Identifier: Apache-2.0
// jit with buckets computes for every size what jit without them computes, and compiles one program per bucket.
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/base/log.h"
#include "hilo/core.h"
#include "hilo/lax/window.h"
#include "hilo/nn/nn.h"
#include "tests/support/error_of.h"
#include "tests/support/logged_texts.h"

namespace hilo {
namespace {

using Function = std::function<Array(const Array&)>;

struct Case {
  const char* name;
  Function f;
};

Array weights() { return numpy::reshape(numpy::arange(12.0f), {3, 4}) / 7.0f - 0.7f; }

Array scanned(const Array& x, bool reverse) {
  const auto step = [](const Array& carry, const Array& row) {
    const Array next = numpy::tanh(carry + row);
    return std::pair(next, next * row);
  };
  const auto [last, all] = lax::scan(step, numpy::zeros({3}), x, {.reverse = reverse});
  return all + last;
}

/// Functions of an array of n rows of 3 numbers.
std::vector<Case> cases() {
  return {
      {"elementwise", [](const Array& x) { return numpy::tanh(x) * 2.0f + numpy::exp(-x); }},
      {"sum", [](const Array& x) { return numpy::sum(x * x); }},
      {"mean", [](const Array& x) { return numpy::mean(numpy::cos(x), 0); }},
      {"variance", [](const Array& x) { return numpy::var(x, 0); }},
      {"maximum", [](const Array& x) { return numpy::max(x - 9.0f, 0); }},
      {"product", [](const Array& x) { return numpy::prod(x, 0); }},
      {"argmax", [](const Array& x) { return numpy::argmax(x, 0).astype(float32); }},
      {"argmin", [](const Array& x) { return numpy::argmin(x, 0).astype(float32); }},
      {"any", [](const Array& x) { return numpy::any(x > 1.4f, 0).astype(float32); }},
      {"softmax over rows", [](const Array& x) { return nn::softmax(x, {.axis = 0}); }},
      {"softmax in rows", [](const Array& x) { return nn::softmax(x, {.axis = 1}); }},
      {"relu", [](const Array& x) { return nn::relu(x) + nn::gelu(x); }},
      {"cumsum", [](const Array& x) { return numpy::cumsum(x, 0); }},
      {"cummax in reverse", [](const Array& x) { return lax::cummax(x, 0, true); }},
      {"matmul", [](const Array& x) { return numpy::matmul(x, weights()); }},
      {"gram matrix", [](const Array& x) { return numpy::matmul(x.T(), x); }},
      {"kernel matrix", [](const Array& x) { return numpy::matmul(x, x.T()); }},
      {"first rows", [](const Array& x) { return x(range(0, 2)) * 3.0f; }},
      {"all but the first row", [](const Array& x) { return x(range(1, none)) * 3.0f; }},
      {"all but the last row", [](const Array& x) { return numpy::sum(x(range(0, -1)), 0); }},
      {"last row", [](const Array& x) { return x[-1] + 1.0f; }},
      {"differences", [](const Array& x) { return x(range(1, none)) - x(range(0, -1)); }},
      {"flip", [](const Array& x) { return numpy::flip(x, 0); }},
      {"concatenate", [](const Array& x) { return numpy::concatenate({x, numpy::ones({2, 3}), 2.0f * x}, 0); }},
      {"pad", [](const Array& x) { return numpy::cumsum(numpy::pad(x, {{2, 1}, {0, 0}}), 0); }},
      {"transpose", [](const Array& x) { return x.T() * 2.0f; }},
      {"flatten", [](const Array& x) { return numpy::sum(x.reshape({-1})); }},
      {"outer dimension", [](const Array& x) { return numpy::sum(x(all, newaxis, all) - x(newaxis, all, all), 1); }},
      {"gather", [](const Array& x) { return numpy::take(x, numpy::array({0, 1, 0, 900, -1}), 0, "clip"); }},
      {"gather by rows", [](const Array& x) { return x[numpy::argmax(x, 1)]; }},
      {"scatter", [](const Array& x) { return numpy::zeros({3}).at(numpy::argmax(x, 1)).add(x(all, 0)); }},
      {"positions", [](const Array& x) { return x * numpy::arange(x.shape()[0]).astype(float32)(all, newaxis); }},
      {"scan", [](const Array& x) { return scanned(x, false); }},
      {"scan in reverse", [](const Array& x) { return scanned(x, true); }},
      {"gradient",
       [](const Array& x) {
         return grad([&](const Array& w) { return numpy::mean(numpy::square(numpy::tanh(numpy::matmul(x, w)))); })(
             weights());
       }},
      {"gradient by rows",
       [](const Array& x) { return grad([](const Array& v) { return numpy::sum(nn::logsumexp(v, 0)); })(x); }},
      {"vmap", [](const Array& x) { return vmap([](const Array& row) { return row * numpy::sum(row); })(x); }},
      {"inner jit", [](const Array& x) { return jit([](const Array& v) { return numpy::sum(v, 0); })(x) * 2.0f; }},
      {"loop",
       [](const Array& x) {
         return lax::fori_loop(0, 3, [](const Array&, const Array& v) { return v * 0.5f + numpy::mean(v, 0); }, x);
       }},
      {"sort in rows", [](const Array& x) { return numpy::sort(x, 1); }},
  };
}

Array rows(int64_t n) { return numpy::sin(numpy::arange(static_cast<float>(3 * n)) * 1.7f).reshape({n, 3}) * 1.5f; }

void expect_close(const Array& got, const Array& expected, const std::string& what) {
  ASSERT_EQ(got.aval_shape(), expected.aval_shape()) << what;
  ASSERT_EQ(got.dtype(), expected.dtype()) << what;
  const std::vector<float> a = got.to_vector<float>(), b = expected.to_vector<float>();
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], 2e-5f * std::max(1.0f, std::abs(b[i]))) << what << ", element " << i;
}

TEST(Buckets, ComputeWhatEachSizeComputes) {
  for (const Case& c : cases()) {
    const auto padded = jit(c.f, {.buckets = {8, 64}, .bucket_axes = {0}});
    for (const int64_t n : {5, 2, 7, 8, 3, 9, 40, 64, 63, 33}) {
      const std::string what = std::string(c.name) + ", " + std::to_string(n) + " rows";
      try {
        expect_close(padded(rows(n)), c.f(rows(n)), what);
      } catch (const Error& error) {
        ADD_FAILURE() << what << ": " << error.what();
        break;
      }
    }
  }
}

TEST(Buckets, LearnTheDimensionsThatChange) {
  const auto f = jit([](const Array& w, const Array& x) { return numpy::matmul(w, x); }, {.buckets = {16}});
  const auto columns = [](int64_t n) { return numpy::ones({4, n}); };
  for (const int64_t n : {3, 5, 16, 9, 5}) {
    const Array result = f(weights(), columns(n));
    expect_close(result, numpy::matmul(weights(), columns(n)), std::to_string(n) + " columns");
  }
}

TEST(Buckets, CompileOneProgramEach) {
  const auto f = jit([](const Array& x) { return numpy::mean(numpy::tanh(x), 0); },
                     {.name = "bucketed", .buckets = {64, 256}, .bucket_axes = {0}});
  int compiled = 0;
  set_log_sink([&](LogLevel, std::string_view text) {
    compiled +=
        text.find("compilation of") != std::string_view::npos && text.find("bucketed") != std::string_view::npos;
  });
  {
    const auto scope = log_compiles();
    for (int64_t n = 1; n <= 200; n += 3) f(rows(n));
  }
  set_log_sink({});
  EXPECT_GE(compiled, 2);
  EXPECT_LE(compiled, 4);  // the size 1 may be a case of its own
}

TEST(Buckets, RefuseWhatNoRulePads) {
  const auto sorted = jit([](const Array& x) { return numpy::sort(x, 0); }, {.buckets = {8}, .bucket_axes = {0}});
  const std::string text = error_of([&] { sorted(rows(5)); }, StatusCode::kUnimplemented);
  EXPECT_NE(text.find("sort"), std::string::npos) << text;
  EXPECT_NE(text.find("no rule pads dimension 0"), std::string::npos) << text;
  const auto unrolled = jit(
      [](const Array& x) {
        Array sum = numpy::zeros({3});
        for (int64_t i = 0; i < x.shape()[0]; ++i) sum = sum + x[i];
        return sum;
      },
      {.buckets = {8}, .bucket_axes = {0}});
  error_of([&] { unrolled(rows(5)); }, StatusCode::kUnimplemented);
  const std::string large = error_of([&] { sorted(rows(9)); }, StatusCode::kInvalidArgument);
  EXPECT_NE(large.find("the largest bucket is 8"), std::string::npos) << large;
}

}  // namespace
}  // namespace hilo
