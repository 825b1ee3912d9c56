// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/window.h"

#include <gtest/gtest.h>

#include <limits>

namespace hilo::hlo {
namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

int64_t count(int64_t size, const WindowDimension& window) {
  const StatusOr<int64_t> counted = window_count(0, size, window);
  EXPECT_TRUE(counted.ok()) << counted.status().to_string();
  return counted.ok() ? *counted : -1;
}

TEST(Window, CountsWhatFits) {
  EXPECT_EQ(count(5, {.size = 2}), 4);
  EXPECT_EQ(count(5, {.size = 2, .stride = 2}), 2);
  EXPECT_EQ(count(5, {.size = 3, .stride = 2, .padding_low = 1, .padding_high = 1}), 3);
  EXPECT_EQ(count(5, {.size = 3, .padding_low = -1, .padding_high = -1}), 1);
  EXPECT_EQ(count(5, {.size = 2, .base_dilation = 3}), 12);
  EXPECT_EQ(count(5, {.size = 2, .window_dilation = 3}), 2);
}

TEST(Window, NoneFitsIntoWhatIsSmaller) {
  EXPECT_EQ(count(2, {.size = 3}), 0);
  EXPECT_EQ(count(0, {.size = 1}), 0);
  EXPECT_EQ(count(0, {.size = 1, .padding_low = 2}), 2);
  EXPECT_EQ(count(2, {.size = 1, .padding_low = -9}), 0);
}

TEST(Window, SizesThatDoNotFitAreErrors) {
  EXPECT_FALSE(window_count(0, 5, {.padding_low = kLargest, .padding_high = kLargest}).ok());
  EXPECT_FALSE(window_count(0, 5, {.base_dilation = kLargest}).ok());
  EXPECT_FALSE(window_count(0, 5, {.size = kLargest, .window_dilation = 2}).ok());
  EXPECT_EQ(window_count(3, 5, {.padding_high = kLargest}).status().message(),
            "window: dim 3: the padded size doesn't fit 2^63-1");
  EXPECT_EQ(count(5, {.padding_low = kLargest, .padding_high = -kLargest}), 5);
}

TEST(Window, SourcesLeaveOutPaddingAndDilation) {
  const WindowDimension window = {
      .size = 3, .stride = 2, .padding_low = 1, .padding_high = 2, .base_dilation = 2, .window_dilation = 2};
  // Padded: . a . b . c . . Windows start at 0 and 2; elements are 2 apart.
  EXPECT_EQ(count(3, window), 2);
  EXPECT_EQ(window_source(window, 3, 0, 0), std::nullopt);
  EXPECT_EQ(window_source(window, 3, 0, 1), std::nullopt);
  WindowDimension shifted = window;
  shifted.padding_low = 2;
  EXPECT_EQ(window_source(shifted, 3, 0, 0), std::nullopt);
  EXPECT_EQ(window_source(shifted, 3, 0, 1), 0);
  EXPECT_EQ(window_source(shifted, 3, 1, 2), 2);
  shifted.reversal = true;
  EXPECT_EQ(window_source(shifted, 3, 1, 2), 0);
}

TEST(Window, ASourceFarOutOfTheArrayIsPadding) {
  const WindowDimension window = {.padding_low = -kLargest, .padding_high = kLargest};
  EXPECT_EQ(window_source(window, 5, 3, 0), std::nullopt);
}

TEST(Window, ChecksNameWhatIsWrong) {
  EXPECT_EQ(check_window({{}}, 2).message(), "window: got 1 dimensions, wanted 2");
  EXPECT_EQ(check_window({{}, {.stride = 0}}, 2).message(), "window: dim 1: stride 0 < 1");
  EXPECT_EQ(check_window({{.window_dilation = -1}}, 1).message(), "window: dim 0: window dilation -1 < 1");
  EXPECT_TRUE(check_window({}, 0).ok());
}

}  // namespace
}  // namespace hilo::hlo
