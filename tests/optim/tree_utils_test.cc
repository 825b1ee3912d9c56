// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/tree_utils.h"

#include <gtest/gtest.h>

#include <complex>
#include <map>

#include "hilo/numpy/numpy.h"

namespace hilo::optim::tree_utils {
namespace {

using ParamMap = std::map<std::string, Array>;

const ParamMap& a() {
  static const ParamMap p = {{"x", Array(2.0f)}, {"y", numpy::array({1.0f, -3.0f})}};
  return p;
}
const ParamMap& b() {
  static const ParamMap p = {{"x", Array(4.0f)}, {"y", numpy::array({0.5f, 2.0f})}};
  return p;
}

TEST(TreeUtils, ComputeLeafByLeaf) {
  EXPECT_EQ(tree_add(a(), b()).at("y").to_vector<float>(), (std::vector<float>{1.5f, -1}));
  EXPECT_EQ(tree_sub(a(), b()).at("x").item<float>(), -2);
  EXPECT_EQ(tree_mul(a(), b()).at("x").item<float>(), 8);
  EXPECT_EQ(tree_div(a(), b()).at("x").item<float>(), 0.5f);
  EXPECT_EQ(tree_add_scale(a(), 10.0f, b()).at("y").to_vector<float>(), (std::vector<float>{6, 17}));
}

TEST(TreeUtils, SumsAndProductsAreOverAllLeaves) {
  EXPECT_EQ(tree_sum(a()).item<float>(), 0);
  EXPECT_EQ(tree_vdot(a(), b()).item<float>(), 8 + 0.5f - 6);
  EXPECT_EQ(tree_sum(ParamMap{}).item<float>(), 0);
}

TEST(TreeUtils, TheProductConjugatesTheFirst) {
  const Array i(std::complex<float>(0, 1));
  EXPECT_EQ(tree_vdot(i, i).item<std::complex<float>>(), std::complex<float>(1, 0));
}

TEST(TreeUtils, StructuresMustAgree) { EXPECT_THROW(tree_add(a(), ParamMap{{"x", Array(1.0f)}}), Error); }

}  // namespace
}  // namespace hilo::optim::tree_utils
