// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/linear.h"

#include <gtest/gtest.h>

#include "tests/nn/recorded_layers.h"
#include "tests/support/error_of.h"

namespace hilo::nn {
namespace {

TEST(Linear, DenseIsThatOfFlax) {
  const Dense params = {parameter("dense", "kernel"), parameter("dense", "bias")};
  expect_as_recorded("dense", {"kernel", "bias"}, params, [](const Dense& p, const Array& x) { return dense(p, x); });
}

TEST(Linear, ConvIsThatOfFlax) {
  const Conv params = {parameter("conv", "kernel"), parameter("conv", "bias")};
  expect_as_recorded("conv", {"kernel", "bias"}, params,
                     [](const Conv& p, const Array& x) { return conv(p, x, {.strides = {2, 1}}); });
  const Conv grouped = {parameter("conv_grouped", "kernel"), std::nullopt};
  expect_as_recorded("conv_grouped", {"kernel"}, grouped, [](const Conv& p, const Array& x) {
    return conv(p, x, {.padding = "VALID", .kernel_dilation = {2}, .feature_group_count = 2});
  });
}

TEST(Linear, EmbeddingTakesRows) {
  const Embedding params = {numpy::reshape(numpy::arange(6).astype(ElementType::kF32), {3, 2})};
  EXPECT_EQ(embed(params, numpy::array({{2, 0}})).to_vector<float>(), (std::vector<float>{4, 5, 0, 1}));
  EXPECT_EQ(embed_attend(params, numpy::array({1.0f, 10.0f})).to_vector<float>(), (std::vector<float>{10, 32, 54}));
  EXPECT_TRUE(std::isnan(embed(params, numpy::array({3})).to_vector<float>()[0]));
}

TEST(Linear, DropoutKeepsTheMean) {
  const Array x = numpy::ones({100000});
  const Array y = dropout(random::key(0), x, 0.25);
  EXPECT_NEAR(numpy::mean(y).item<float>(), 1, 0.01);
  EXPECT_NEAR(numpy::mean((y == 0).astype(ElementType::kF32)).item<float>(), 0.25, 0.01);
  EXPECT_EQ(numpy::max(y).item<float>(), 1 / 0.75f);
  EXPECT_EQ(dropout(random::key(0), x, 0).to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(numpy::max(dropout(random::key(0), x, 1)).item<float>(), 0);
}

TEST(LinearInit, VarianceIsOneOverTheInputs) {
  const auto variance = [](const Array& x) { return numpy::var(x).item<double>(); };
  const Dense d = dense_init(random::key(0), 200, 300);
  EXPECT_NEAR(variance(d.kernel), 1.0 / 200, 3e-4);
  EXPECT_EQ(numpy::max(numpy::abs(*d.bias)).item<float>(), 0);
  EXPECT_FALSE(dense_init(random::key(0), 2, 3, {.use_bias = false}).bias.has_value());
  EXPECT_NEAR(variance(conv_init(random::key(0), {3, 3}, 32, 64).kernel), 1.0 / (9 * 32), 2e-4);
  EXPECT_NEAR(variance(embedding_init(random::key(0), 1000, 50).embedding), 1.0 / 50, 1e-3);
}

TEST(Linear, ErrorsNameWhatDoesNotFit) {
  const auto says = [](const auto& f, const std::string& part) {
    const std::string text = error_of(f, StatusCode::kInvalidArgument);
    return text.find(part) != std::string::npos ? part : text;
  };
  const auto holds = [&](const auto& f, const std::string& part) { EXPECT_EQ(says(f, part), part); };
  holds([] { dense_init(random::key(0), 0, 3); }, "size 0; wanted at least 1");
  holds([] { conv_init(random::key(0), {3}, 3, 4, {.feature_group_count = 2}); },
        "2 groups don't divide 3 and 4 features");
  holds([] { dropout(random::key(0), numpy::ones({2}), 1.5); }, "rate 1.5; wanted 0 to 1");
  holds([] { embed(embedding_init(random::key(0), 3, 2), numpy::ones({2})); }, "wanted integers; got f32[2]");
}

}  // namespace
}  // namespace hilo::nn
