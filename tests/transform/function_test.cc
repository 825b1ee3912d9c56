// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/function.h"

#include <gtest/gtest.h>

#include <vector>

#include "hilo/lax/combine.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/map.h"
#include "hilo/lax/window.h"
#include "hilo/nn/normalization.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "hilo/tree/functions.h"

namespace hilo {
namespace {

Array rows() { return numpy::array({{1.0f, 3.0f, 2.0f}, {6.0f, 4.0f, 5.0f}}); }
std::vector<float> list(const Array& x) {
  const ArrayView<float> values = x.data<float>();
  return {values.begin(), values.end()};
}
using List = std::vector<float>;

TEST(Function, OverloadedNamesAreTransformed) {
  const Array x = rows();
  EXPECT_EQ(list(jit(HILO_FN(lax::cumsum))(x)), (List{1, 3, 2, 7, 7, 7}));
  EXPECT_EQ(list(vmap(HILO_FN(numpy::sum))(x)), (List{6, 15}));
  EXPECT_EQ(list(grad(HILO_FN(numpy::sum))(x)), (List{1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(list(vmap(HILO_FN(numpy::dot))(x, x)), (List{14, 77}));
  EXPECT_EQ(list(checkpoint(HILO_FN(numpy::max))(x)), (List{6}));
  EXPECT_EQ(list(jacfwd(HILO_FN(numpy::cumsum))(x[0])), (List{1, 0, 0, 1, 1, 0, 1, 1, 1}));
  EXPECT_EQ(list(numpy::sum(vmap(HILO_FN(nn::softmax))(x), 1)).size(), 2u);
}

TEST(Function, OverloadedNamesAreBranchesRowsAndReducers) {
  const Array x = rows();
  EXPECT_EQ(list(lax::cond(true, HILO_FN(numpy::sum), HILO_FN(numpy::max), x)), (List{21}));
  EXPECT_EQ(list(lax::map(HILO_FN(numpy::sort), x)), (List{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(list(lax::associative_scan(HILO_FN(numpy::maximum), x)), (List{1, 3, 2, 6, 4, 5}));
  EXPECT_EQ(list(numpy::apply_along_axis(HILO_FN(numpy::min), 1, x)), (List{1, 4}));
  EXPECT_EQ(list(tree::map(HILO_FN(numpy::mean), std::vector<Array>{x, 2 * x})[1]), (List{7}));
}

}  // namespace
}  // namespace hilo
