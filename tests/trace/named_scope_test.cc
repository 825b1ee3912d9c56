// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/named_scope.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

/// The line of the text that contains the op.
std::string line_of(const std::string& text, const std::string& op) {
  const size_t at = text.find(" " + op + "(");
  if (at == std::string::npos) return "";
  const size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

Array model(const Array& x) {
  const auto outer = named_scope("model");
  const Array h = [&] {
    const auto inner = named_scope("attention");
    return numpy::sin(x);
  }();
  return numpy::sum(numpy::exp(h));
}

TEST(NamedScope, NamesReachTheInstructions) {
  const std::string text = make_hlo([](Array x) { return model(x) + 1.0f; })(numpy::ones({3}));
  EXPECT_NE(line_of(text, "sine").find("op_name=\"model/attention\""), std::string::npos) << text;
  EXPECT_NE(line_of(text, "exponential").find("op_name=\"model\""), std::string::npos) << text;
  EXPECT_EQ(line_of(text, "add").find("op_name"), std::string::npos) << text;
}

TEST(NamedScope, DerivativesAndBatchesKeepThem) {
  const std::string slope = make_hlo(grad(jit(model)))(numpy::ones({3}));
  EXPECT_NE(line_of(slope, "cosine").find("op_name=\"model/attention\""), std::string::npos) << slope;
  const std::string batch = make_hlo(vmap(jit(model)))(numpy::ones({2, 3}));
  EXPECT_NE(line_of(batch, "sine").find("op_name=\"model/attention\""), std::string::npos) << batch;
}

TEST(NamedScope, WhatIsCalledInAScopeGetsItsName) {
  const auto f = [](Array x) {
    const auto scope = named_scope("outer");
    return jit(model, {.inline_ = true})(x);
  };
  EXPECT_NE(line_of(make_hlo(f)(numpy::ones({3})), "sine").find("op_name=\"outer/model/attention\""),
            std::string::npos);
}

TEST(NamedScope, EndsWithItsScope) {
  {
    const auto scope = named_scope("a");
    EXPECT_EQ(NamedScope::current(), "a");
  }
  EXPECT_EQ(NamedScope::current(), "");
  const std::string error = error_of([] { const auto scope = named_scope(""); }, StatusCode::kInvalidArgument);
  EXPECT_NE(error.find("the name is empty"), std::string::npos);
}

TEST(NamedCall, PutsTheNameAroundAFunction) {
  const auto f = named_call([](const Array& x) { return numpy::cos(x); }, "head");
  EXPECT_NE(line_of(make_hlo(f)(numpy::ones({3})), "cosine").find("op_name=\"head\""), std::string::npos);
  EXPECT_EQ(f(0.0f).item<float>(), 1);
}

}  // namespace
}  // namespace hilo
