// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/fwd_and_bwd.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"

namespace hilo {
namespace {

TEST(Vjp, ComesInTwoHalves) {
  const auto f = [](Array x, Array w) { return numpy::matmul(numpy::sin(x), w); };
  const Array x = numpy::reshape(numpy::arange(6, ElementType::kF32), {2, 3}), w = numpy::ones({3, 2}),
              g = numpy::array({{1.0f, 2.0f}, {3.0f, 4.0f}});
  const auto [fwd, bwd] = fwd_and_bwd<0, 1>(f);
  const auto [y, needed] = fwd(x, w);
  const auto [value, pull] = vjp(f, x, w);
  EXPECT_EQ(y.to_vector<float>(), value.to_vector<float>());
  const auto [gx, gw] = bwd(needed, g);
  const auto [wanted_x, wanted_w] = pull(g);
  EXPECT_EQ(gx.to_vector<float>(), wanted_x.to_vector<float>());
  EXPECT_EQ(gw.to_vector<float>(), wanted_w.to_vector<float>());
  const auto [only] = fwd_and_bwd<1>(f).second(fwd(x, w).second, g);
  EXPECT_EQ(only.to_vector<float>(), wanted_w.to_vector<float>());
}

}  // namespace
}  // namespace hilo
