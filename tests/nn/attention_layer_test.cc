// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/attention_layer.h"

#include <gtest/gtest.h>

#include "tests/nn/recorded_layers.h"
#include "tests/support/error_of.h"

namespace hilo::nn {
namespace {

TEST(AttentionLayer, AttentionIsThatOfFlax) {
  const auto p = [](const std::string& name) { return parameter("attention", name); };
  const MultiHeadAttention params = {p("query.kernel"), p("key.kernel"), p("value.kernel"), p("out.kernel"),
                                     p("query.bias"),   p("key.bias"),   p("value.bias"),   p("out.bias")};
  const Array context = get("attention/in1");
  expect_as_recorded(
      "attention",
      {"query.kernel", "key.kernel", "value.kernel", "out.kernel", "query.bias", "key.bias", "value.bias", "out.bias"},
      params, [&](const MultiHeadAttention& m, const Array& x) { return multi_head_attention(m, x, context); });
}

TEST(AttentionLayer, HeadsMayShareKeysAndTurnWithTheirPositions) {
  const auto p = [](const std::string& name) { return parameter("grouped_attention", name); };
  const MultiHeadAttention params = {p("query"),   p("key"),     p("value"),   p("out"),
                                     std::nullopt, std::nullopt, std::nullopt, std::nullopt};
  expect_as_recorded("grouped_attention", {"query", "key", "value", "out"}, params,
                     [](const MultiHeadAttention& m, const Array& x) {
                       return multi_head_attention(m, x, {.is_causal = true, .positions = numpy::arange(5)});
                     });
}

TEST(AttentionLayer, AMaskedKeyChangesNothing) {
  const MultiHeadAttention params = multi_head_attention_init(random::key(0), 8, 2);
  const Array x = random::normal(random::key(1), {1, 4, 8});
  const Array mask = numpy::arange(4) < 3;  // the last key is masked
  const Array other = numpy::at(x, 0, 3).set(7.0f);
  const Array a = multi_head_attention(params, x, {.mask = mask}),
              b = multi_head_attention(params, other, {.mask = mask});
  expect_near(a(0, range(0, 3)), b(0, range(0, 3)), "what sees the first three");
}

TEST(AttentionLayer, RotaryProductsDependOnDistanceAlone) {
  const Array q = random::normal(random::key(0), {1, 1, 8}), k = random::normal(random::key(1), {1, 1, 8});
  const auto product = [&](float i, float j) {
    return numpy::sum(rotary_embedding(q, numpy::array({i})) * rotary_embedding(k, numpy::array({j}))).item<float>();
  };
  EXPECT_NEAR(product(5, 2), product(3, 0), 1e-5);
  EXPECT_NEAR(product(5, 5), numpy::sum(q * k).item<float>(), 1e-5);
  EXPECT_GT(std::abs(product(5, 2) - product(5, 4)), 1e-3);
}

TEST(AttentionLayerInit, VarianceIsOneOverTheInputs) {
  const auto variance = [](const Array& x) { return numpy::var(x).item<double>(); };
  const MultiHeadAttention a = multi_head_attention_init(random::key(0), 128, 4, {.num_key_value_heads = 2});
  EXPECT_EQ(a.key.aval_shape().to_string(), "f32[128,2,32]");
  EXPECT_NEAR(variance(a.query), 1.0 / 128, 5e-4);
  EXPECT_NEAR(variance(a.out), 1.0 / 128, 5e-4);
}

TEST(AttentionLayer, ErrorsNameWhatDoesNotFit) {
  const auto says = [](const auto& f, const std::string& part) {
    const std::string text = error_of(f, StatusCode::kInvalidArgument);
    return text.find(part) != std::string::npos ? part : text;
  };
  const auto holds = [&](const auto& f, const std::string& part) { EXPECT_EQ(says(f, part), part); };
  holds([] { multi_head_attention_init(random::key(0), 8, 3); }, "3 heads don't divide 8 features");
  holds([] { multi_head_attention_init(random::key(0), 8, 4, {.num_key_value_heads = 3}); },
        "3 key heads don't divide 4 heads");
  holds([] { rotary_embedding(numpy::ones({4, 2, 3}), numpy::arange(4)); },
        "wanted floats [..., positions, heads, even size] and [positions]; got f32[4,2,3] and s32[4]");
}

}  // namespace
}  // namespace hilo::nn
