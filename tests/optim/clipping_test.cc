// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/clipping.h"

#include <gtest/gtest.h>

#include <limits>

#include "hilo/optim/optim.h"

namespace hilo::optim {
namespace {

struct ClippedParams {
  Array x, y;
};

ClippedParams updated(const GradientTransformation& tx, const ClippedParams& g,
                      const ClippedParams& p = {Array(1.0f), Array(1.0f)}) {
  return tx.update(g, tx.init(p), p).first;
}
std::pair<float, float> values(const ClippedParams& p) { return {p.x.item<float>(), p.y.item<float>()}; }

TEST(Clip, BoundsEachElement) {
  EXPECT_EQ(values(updated(clip(1.0), {Array(-3.0f), Array(0.5f)})), (std::pair<float, float>(-1, 0.5f)));
}

TEST(ClipByGlobalNorm, ScalesAllArraysByOneFactor) {
  const auto [x, y] = values(updated(clip_by_global_norm(1.0), {Array(3.0f), Array(-4.0f)}));
  EXPECT_NEAR(x, 0.6f, 1e-6);
  EXPECT_NEAR(y, -0.8f, 1e-6);
  EXPECT_EQ(values(updated(clip_by_global_norm(10.0), {Array(3.0f), Array(-4.0f)})), (std::pair<float, float>(3, -4)));
  EXPECT_EQ(values(updated(clip_by_global_norm(1.0), {Array(0.0f), Array(0.0f)})), (std::pair<float, float>(0, 0)));
}

TEST(ClipByBlockRms, BoundsEachArrayByItself) {
  const auto [x, y] = values(updated(clip_by_block_rms(1.0), {Array(5.0f), Array(0.5f)}));
  EXPECT_NEAR(x, 1, 1e-6);
  EXPECT_EQ(y, 0.5f);
}

TEST(ZeroNans, ReplacesNansAlone) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(values(updated(zero_nans(), {Array(nan), Array(inf)})), (std::pair<float, float>(0, inf)));
}

TEST(KeepParamsNonnegative, StopsAtZero) {
  EXPECT_EQ(values(updated(keep_params_nonnegative(), {Array(-3.0f), Array(-0.5f)})),
            (std::pair<float, float>(-1, -0.5f)));
}

TEST(PerExampleClip, SumsWhatIsNoLongerThanTheBound) {
  const auto [sums, clipped] = per_example_global_norm_clip({numpy::array({{3.0f, 4.0f}, {0.0f, 0.5f}})}, 1.0);
  EXPECT_NEAR(sums[0](0).item<float>(), 0.6f, 1e-6);
  EXPECT_NEAR(sums[0](1).item<float>(), 1.3f, 1e-6);
  EXPECT_EQ(clipped.item<int>(), 1);
}

}  // namespace
}  // namespace hilo::optim
