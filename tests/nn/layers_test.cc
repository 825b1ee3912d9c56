// SPDX-License-Identifier: Apache-2.0
// Layers compared with flax's: values and gradients that tests/golden/record_layers.py recorded with jax 0.10.2 and
// flax 0.12.8.
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/io/npz.h"
#include "hilo/nn/attention_layer.h"
#include "hilo/nn/linear.h"
#include "hilo/nn/norm_layers.h"
#include "hilo/nn/recurrent.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/paths.h"
#include "tests/support/error_of.h"

namespace hilo::nn {
namespace {

const io::NamedLiterals& recorded() {
  static const io::NamedLiterals all = *io::read_npz(std::string(tests::kSourceDir) + "/tests/nn/data/layers.npz");
  return all;
}

Array get(const std::string& name) {
  const auto found = recorded().find(name);
  if (found == recorded().end()) throw std::out_of_range("nothing is recorded as " + name);
  return Array::from_literal(found->second);
}
Array parameter(const std::string& layer, const std::string& name) { return get(layer + "/param/" + name); }

/// Both are sums of at most some hundred products of numbers around 1, in another order.
void expect_near(const Array& got, const Array& wanted, const std::string& what) {
  ASSERT_EQ(got.aval_shape(), wanted.aval_shape()) << what;
  const std::vector<double> a = got.to_vector<double>(), b = wanted.to_vector<double>();
  double largest = 1;
  for (double value : b) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 4e-6 * largest) << what << " at " << i;
}

Array weighted_sum(const Array& out) {
  return numpy::sum(out * numpy::reshape(numpy::cos(numpy::arange(out.size()).astype(ElementType::kF32)), out.shape()));
}

/// f(params, x) and its gradients are those recorded of `layer`; names[i] is what flax calls the i-th array of params.
template <typename Params, typename F>
void expect_as_recorded(const std::string& layer, const std::vector<std::string>& names, const Params& params,
                        const F& f) {
  const Array x = get(layer + "/in"), wanted = get(layer + "/out");
  expect_near(f(params, x), wanted, layer);
  expect_near(jit(f)(params, x), wanted, layer + " under jit");
  const auto [of_params, of_x] =
      grad<0, 1>([&](const Params& p, const Array& in) { return weighted_sum(f(p, in)); })(params, x);
  expect_near(of_x, get(layer + "/grad/in"), layer + ", gradient of the input");
  const std::vector<Array> grads = flatten(of_params).leaves;
  ASSERT_EQ(grads.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i)
    expect_near(grads[i], get(layer + "/grad/" + names[i]), layer + "/" + names[i]);
}

TEST(Layers, DenseIsThatOfFlax) {
  const Dense params = {parameter("dense", "kernel"), parameter("dense", "bias")};
  expect_as_recorded("dense", {"kernel", "bias"}, params, [](const Dense& p, const Array& x) { return dense(p, x); });
}

TEST(Layers, ConvIsThatOfFlax) {
  const Conv params = {parameter("conv", "kernel"), parameter("conv", "bias")};
  expect_as_recorded("conv", {"kernel", "bias"}, params,
                     [](const Conv& p, const Array& x) { return conv(p, x, {.strides = {2, 1}}); });
  const Conv grouped = {parameter("conv_grouped", "kernel"), std::nullopt};
  expect_as_recorded("conv_grouped", {"kernel"}, grouped, [](const Conv& p, const Array& x) {
    return conv(p, x, {.padding = "VALID", .kernel_dilation = {2}, .feature_group_count = 2});
  });
}

TEST(Layers, NormsAreThoseOfFlax) {
  expect_as_recorded("layer_norm", {"scale", "bias"},
                     LayerNorm{parameter("layer_norm", "scale"), parameter("layer_norm", "bias")},
                     [](const LayerNorm& p, const Array& x) { return layer_norm(p, x); });
  expect_as_recorded("rms_norm", {"scale"}, RMSNorm{parameter("rms_norm", "scale")},
                     [](const RMSNorm& p, const Array& x) { return rms_norm(p, x); });
  expect_as_recorded("group_norm", {"scale", "bias"},
                     GroupNorm{parameter("group_norm", "scale"), parameter("group_norm", "bias"), 2},
                     [](const GroupNorm& p, const Array& x) { return group_norm(p, x); });
}

TEST(Layers, BatchNormIsThatOfFlax) {
  const BatchNorm params = {parameter("batch_norm", "scale"), parameter("batch_norm", "bias")};
  const BatchStats stats = {get("batch_norm/mean"), get("batch_norm/var")};
  expect_as_recorded("batch_norm_train", {"scale", "bias"}, params,
                     [&](const BatchNorm& p, const Array& x) { return batch_norm_train(p, stats, x).first; });
  expect_as_recorded("batch_norm", {"scale", "bias"}, params,
                     [&](const BatchNorm& p, const Array& x) { return batch_norm(p, stats, x); });
  const BatchStats next = batch_norm_train(params, stats, get("batch_norm/in")).second;
  expect_near(next.mean, get("batch_norm/new_mean"), "running mean");
  expect_near(next.var, get("batch_norm/new_var"), "running variance");
}

TEST(Layers, BatchNormTakesTheBatchesOfAllReplicas) {
  const auto [params, stats] = batch_norm_init(3);
  const Array x = get("batch_norm/in");
  const auto [whole, whole_stats] = batch_norm_train(params, stats, x);
  const auto part = [&, &params = params, &stats = stats](const Array& one) {
    return batch_norm_train(params, stats, one, "all");
  };
  const auto [parts, part_stats] = vmap(part, {.axis_name = "all"})(x);
  expect_near(parts, whole, "batch_norm_train over an axis");
}

TEST(Layers, AttentionIsThatOfFlax) {
  const auto p = [](const std::string& name) { return parameter("attention", name); };
  const MultiHeadAttention params = {p("query.kernel"), p("key.kernel"), p("value.kernel"), p("out.kernel"),
                                     p("query.bias"),   p("key.bias"),   p("value.bias"),   p("out.bias")};
  const Array context = get("attention/in1");
  expect_as_recorded(
      "attention",
      {"query.kernel", "key.kernel", "value.kernel", "out.kernel", "query.bias", "key.bias", "value.bias", "out.bias"},
      params, [&](const MultiHeadAttention& m, const Array& x) { return multi_head_attention(m, x, context); });
}

TEST(Layers, HeadsMayShareKeysAndTurnWithTheirPositions) {
  const auto p = [](const std::string& name) { return parameter("grouped_attention", name); };
  const MultiHeadAttention params = {p("query"),   p("key"),     p("value"),   p("out"),
                                     std::nullopt, std::nullopt, std::nullopt, std::nullopt};
  expect_as_recorded("grouped_attention", {"query", "key", "value", "out"}, params,
                     [](const MultiHeadAttention& m, const Array& x) {
                       return multi_head_attention(m, x, {.is_causal = true, .positions = numpy::arange(5)});
                     });
}

TEST(Layers, AMaskedKeyChangesNothing) {
  const MultiHeadAttention params = multi_head_attention_init(random::key(0), 8, 2);
  const Array x = random::normal(random::key(1), {1, 4, 8});
  const Array mask = numpy::arange(4) < 3;  // the last key isn't seen
  const Array other = numpy::at(x, 0, 3).set(7.0f);
  const Array a = multi_head_attention(params, x, {.mask = mask}),
              b = multi_head_attention(params, other, {.mask = mask});
  expect_near(a(0, range(0, 3)), b(0, range(0, 3)), "what sees the first three");
}

TEST(Layers, RotaryProductsDependOnDistanceAlone) {
  const Array q = random::normal(random::key(0), {1, 1, 8}), k = random::normal(random::key(1), {1, 1, 8});
  const auto product = [&](float i, float j) {
    return numpy::sum(rotary_embedding(q, numpy::array({i})) * rotary_embedding(k, numpy::array({j}))).item<float>();
  };
  EXPECT_NEAR(product(5, 2), product(3, 0), 1e-5);
  EXPECT_NEAR(product(5, 5), numpy::sum(q * k).item<float>(), 1e-5);
  EXPECT_GT(std::abs(product(5, 2) - product(5, 4)), 1e-3);
}

std::vector<Array> columns(const Array& x, int64_t count) { return numpy::split(x, count, -1); }

TEST(Layers, LstmIsThatOfFlax) {
  const auto p = [](const std::string& name) { return parameter("lstm", name); };
  const auto joined = [&](const std::string& before, const std::string& after) {
    return numpy::concatenate(std::vector<Array>{p(before + "i" + after), p(before + "f" + after),
                                                 p(before + "g" + after), p(before + "o" + after)},
                              -1);
  };
  const LSTM params = {joined("i", ".kernel"), joined("h", ".kernel"), joined("h", ".bias")};
  const Array xs = get("lstm/in");
  const auto f = [](const LSTM& m, const Array& x) { return lstm(m, x).second; };
  expect_near(f(params, xs), get("lstm/out"), "lstm");
  expect_near(lstm(params, xs).first.h, get("lstm/out")(all, -1), "the last state");
  expect_near(vmap([&](const Array& x) { return f(params, x); })(xs), get("lstm/out"), "lstm without batch");
  const auto [of_params, of_xs] =
      grad<0, 1>([&](const LSTM& m, const Array& x) { return weighted_sum(f(m, x)); })(params, xs);
  expect_near(of_xs, get("lstm/grad/in"), "gradient of the input");
  const std::vector<std::string> gates = {"i", "f", "g", "o"};
  for (size_t i = 0; i < 4; ++i) {
    expect_near(columns(of_params.input, 4)[i], get("lstm/grad/i" + gates[i] + ".kernel"), "input " + gates[i]);
    expect_near(columns(of_params.hidden, 4)[i], get("lstm/grad/h" + gates[i] + ".kernel"), "hidden " + gates[i]);
    expect_near(columns(of_params.bias, 4)[i], get("lstm/grad/h" + gates[i] + ".bias"), "bias " + gates[i]);
  }
}

TEST(Layers, GruIsThatOfFlax) {
  const auto p = [](const std::string& name) { return parameter("gru", name); };
  const auto joined = [&](const std::string& before, const std::string& after) {
    return numpy::concatenate(
        std::vector<Array>{p(before + "r" + after), p(before + "z" + after), p(before + "n" + after)}, -1);
  };
  const GRU params = {joined("i", ".kernel"), joined("h", ".kernel"), joined("i", ".bias"), p("hn.bias")};
  const Array xs = get("gru/in");
  const auto f = [](const GRU& m, const Array& x) { return gru(m, x).second; };
  expect_near(f(params, xs), get("gru/out"), "gru");
  expect_near(gru(params, xs).first, get("gru/out")(all, -1), "the last state");
  const auto [of_params, of_xs] =
      grad<0, 1>([&](const GRU& m, const Array& x) { return weighted_sum(f(m, x)); })(params, xs);
  expect_near(of_xs, get("gru/grad/in"), "gradient of the input");
  expect_near(of_params.hidden_bias, get("gru/grad/hn.bias"), "hidden bias");
  const std::vector<std::string> gates = {"r", "z", "n"};
  for (size_t i = 0; i < 3; ++i) {
    expect_near(columns(of_params.input, 3)[i], get("gru/grad/i" + gates[i] + ".kernel"), "input " + gates[i]);
    expect_near(columns(of_params.hidden, 3)[i], get("gru/grad/h" + gates[i] + ".kernel"), "hidden " + gates[i]);
  }
}

TEST(Layers, NarrowTypesAreNormalisedInF32) {
  const Array x = (1000.0f + numpy::arange(64)).astype(ElementType::kF16);  // squares overflow f16
  const Array y = layer_norm(layer_norm_init(64), x);
  EXPECT_EQ(y.dtype(), ElementType::kF16);
  EXPECT_NEAR(numpy::std(y.astype(ElementType::kF32)).item<float>(), 1, 1e-2);
}

TEST(Layers, EmbeddingTakesRows) {
  const Embedding params = {numpy::reshape(numpy::arange(6).astype(ElementType::kF32), {3, 2})};
  EXPECT_EQ(embed(params, numpy::array({{2, 0}})).to_vector<float>(), (std::vector<float>{4, 5, 0, 1}));
  EXPECT_EQ(embed_attend(params, numpy::array({1.0f, 10.0f})).to_vector<float>(), (std::vector<float>{10, 32, 54}));
  EXPECT_TRUE(std::isnan(embed(params, numpy::array({3})).to_vector<float>()[0]));
}

TEST(Layers, DropoutKeepsTheMean) {
  const Array x = numpy::ones({100000});
  const Array y = dropout(random::key(0), x, 0.25);
  EXPECT_NEAR(numpy::mean(y).item<float>(), 1, 0.01);
  EXPECT_NEAR(numpy::mean((y == 0).astype(ElementType::kF32)).item<float>(), 0.25, 0.01);
  EXPECT_EQ(numpy::max(y).item<float>(), 1 / 0.75f);
  EXPECT_EQ(dropout(random::key(0), x, 0).to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(numpy::max(dropout(random::key(0), x, 1)).item<float>(), 0);
}

TEST(LayersInit, VarianceIsOneOverTheInputs) {
  const auto variance = [](const Array& x) { return numpy::var(x).item<double>(); };
  const Dense d = dense_init(random::key(0), 200, 300);
  EXPECT_NEAR(variance(d.kernel), 1.0 / 200, 3e-4);
  EXPECT_EQ(numpy::max(numpy::abs(*d.bias)).item<float>(), 0);
  EXPECT_FALSE(dense_init(random::key(0), 2, 3, {.use_bias = false}).bias.has_value());
  EXPECT_NEAR(variance(conv_init(random::key(0), {3, 3}, 32, 64).kernel), 1.0 / (9 * 32), 2e-4);
  EXPECT_NEAR(variance(embedding_init(random::key(0), 1000, 50).embedding), 1.0 / 50, 1e-3);
  const MultiHeadAttention a = multi_head_attention_init(random::key(0), 128, 4, {.num_key_value_heads = 2});
  EXPECT_EQ(a.key.aval_shape().to_string(), "f32[128,2,32]");
  EXPECT_NEAR(variance(a.query), 1.0 / 128, 5e-4);
  EXPECT_NEAR(variance(a.out), 1.0 / 128, 5e-4);
  const LSTM l = lstm_init(random::key(0), 100, 64);
  EXPECT_NEAR(variance(l.input), 1.0 / 100, 5e-4);
  const Array square = columns(l.hidden, 4)[2];
  expect_near(numpy::matmul(numpy::transpose(square), square), numpy::eye(64), "an orthogonal kernel");
}

TEST(LayersError, NamesWhatDoesNotFit) {
  const auto says = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos ? part : text;
  };
  const random::Key key = random::key(0);
  std::string part = "size 0; wanted at least 1";
  EXPECT_EQ(says(error_of([&] { dense_init(key, 0, 3); }, StatusCode::kInvalidArgument), part), part);
  part = "2 groups don't divide 3 and 4 features";
  EXPECT_EQ(says(error_of([&] { conv_init(key, {3}, 3, 4, {.feature_group_count = 2}); }, StatusCode::kInvalidArgument),
                 part),
            part);
  part = "3 groups don't divide 8 features";
  EXPECT_EQ(says(error_of([&] { group_norm_init(8, 3); }, StatusCode::kInvalidArgument), part), part);
  part = "3 heads don't divide 8 features";
  EXPECT_EQ(says(error_of([&] { multi_head_attention_init(key, 8, 3); }, StatusCode::kInvalidArgument), part), part);
  part = "3 key heads don't divide 4 heads";
  EXPECT_EQ(says(error_of([&] { multi_head_attention_init(key, 8, 4, {.num_key_value_heads = 3}); },
                          StatusCode::kInvalidArgument),
                 part),
            part);
  part = "rate 1.5; wanted 0 to 1";
  EXPECT_EQ(says(error_of([&] { dropout(key, numpy::ones({2}), 1.5); }, StatusCode::kInvalidArgument), part), part);
  part = "wanted floats of 4 features along the last axis; got f32[2,3]";
  EXPECT_EQ(
      says(error_of([&] { layer_norm(layer_norm_init(4), numpy::ones({2, 3})); }, StatusCode::kInvalidArgument), part),
      part);
  part = "wanted integers; got f32[2]";
  EXPECT_EQ(
      says(error_of([&] { embed(embedding_init(key, 3, 2), numpy::ones({2})); }, StatusCode::kInvalidArgument), part),
      part);
  part = "wanted floats [..., positions, heads, even size] and [positions]; got f32[4,2,3] and s32[4]";
  EXPECT_EQ(
      says(error_of([&] { rotary_embedding(numpy::ones({4, 2, 3}), numpy::arange(4)); }, StatusCode::kInvalidArgument),
           part),
      part);
  part = "wanted [batch, positions, in] or [positions, in]; got f32[3]";
  EXPECT_EQ(says(error_of([&] { lstm(lstm_init(key, 3, 2), numpy::ones({3})); }, StatusCode::kInvalidArgument), part),
            part);
}

}  // namespace
}  // namespace hilo::nn
