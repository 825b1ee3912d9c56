// SPDX-License-Identifier: Apache-2.0
// Comparisons with SciPy's values are in tests/scipy/golden.inc.
#include "hilo/scipy/signal/windows.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"

namespace hilo::scipy::signal {
namespace {

TEST(GetWindow, PeriodicOneIsTheSymmetricOneWithoutItsLastValue) {
  for (const Window& window : {Window("hann"), Window("kaiser", 4.0), Window("parzen"), Window("tukey", 0.3)}) {
    std::vector<float> longer = get_window(window, 8, {.fftbins = false}).to_vector<float>();
    longer.pop_back();
    EXPECT_EQ(get_window(window, 7).to_vector<float>(), longer) << window.name();
  }
}

TEST(GetWindow, HasTheTypeThatIsAsked) {
  EXPECT_EQ(get_window("hann", 4).dtype(), ElementType::kF32);
  EXPECT_EQ(get_window("hann", 4, {.dtype = ElementType::kBf16}).dtype(), ElementType::kBf16);
  const Array own = numpy::array({1.0f, 2.0f});
  EXPECT_EQ(get_window(own, 2).to_vector<float>(), (std::vector<float>{1, 2}));
}

TEST(GetWindow, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW((void)get_window("welch", 8), Error);
  EXPECT_THROW((void)get_window("kaiser", 8), Error);
  EXPECT_THROW((void)get_window({"hann", 2.0}, 8), Error);
  EXPECT_THROW((void)get_window("hann", 0), Error);
  EXPECT_THROW((void)get_window(numpy::ones({3}), 4), Error);
  EXPECT_THROW((void)get_window(numpy::ones({2, 2}), 2), Error);
}

}  // namespace
}  // namespace hilo::scipy::signal
