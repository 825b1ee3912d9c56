// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/norm_layers.h"

#include <gtest/gtest.h>

#include "hilo/transform/vmap.h"
#include "tests/nn/recorded_layers.h"
#include "tests/support/error_of.h"

namespace hilo::nn {
namespace {

TEST(NormLayers, NormsAreThoseOfFlax) {
  expect_as_recorded("layer_norm", {"scale", "bias"},
                     LayerNorm{parameter("layer_norm", "scale"), parameter("layer_norm", "bias")},
                     [](const LayerNorm& p, const Array& x) { return layer_norm(p, x); });
  expect_as_recorded("rms_norm", {"scale"}, RMSNorm{parameter("rms_norm", "scale")},
                     [](const RMSNorm& p, const Array& x) { return rms_norm(p, x); });
  expect_as_recorded("group_norm", {"scale", "bias"},
                     GroupNorm{parameter("group_norm", "scale"), parameter("group_norm", "bias"), 2},
                     [](const GroupNorm& p, const Array& x) { return group_norm(p, x); });
}

TEST(NormLayers, BatchNormIsThatOfFlax) {
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

TEST(NormLayers, BatchNormTakesTheBatchesOfAllReplicas) {
  const auto [params, stats] = batch_norm_init(3);
  const Array x = get("batch_norm/in");
  const auto [whole, whole_stats] = batch_norm_train(params, stats, x);
  const auto part = [&, &params = params, &stats = stats](const Array& one) {
    return batch_norm_train(params, stats, one, "all");
  };
  const auto [parts, part_stats] = vmap(part, {.axis_name = "all"})(x);
  expect_near(parts, whole, "batch_norm_train over an axis");
}

TEST(NormLayers, NarrowTypesAreNormalisedInF32) {
  const Array x = (1000.0f + numpy::arange(64)).astype(ElementType::kF16);  // squares overflow f16
  const Array y = layer_norm(layer_norm_init(64), x);
  EXPECT_EQ(y.dtype(), ElementType::kF16);
  EXPECT_NEAR(numpy::std(y.astype(ElementType::kF32)).item<float>(), 1, 1e-2);
}

TEST(NormLayers, ErrorsNameWhatDoesNotFit) {
  const auto says = [](const auto& f, const std::string& part) {
    const std::string text = error_of(f, StatusCode::kInvalidArgument);
    return text.find(part) != std::string::npos ? part : text;
  };
  const auto holds = [&](const auto& f, const std::string& part) { EXPECT_EQ(says(f, part), part); };
  holds([] { group_norm_init(8, 3); }, "3 groups don't divide 8 features");
  holds([] { layer_norm(layer_norm_init(4), numpy::ones({2, 3})); },
        "wanted floats of 4 features along the last axis; got f32[2,3]");
}

}  // namespace
}  // namespace hilo::nn
