// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/ravel_pytree.h"

#include <gtest/gtest.h>

#include "hilo/transform/grad.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;
using Parts = std::pair<Array, std::vector<Array>>;

Parts parts() { return {numpy::array({{1.0f, 2.0f}, {3.0f, 4.0f}}), {numpy::arange(2), Array(7.0f)}}; }

TEST(RavelPytree, MakesOneVectorAndGoesBack) {
  const auto [flat, unravel] = flatten_util::ravel_pytree(parts());
  EXPECT_EQ(flat.to_vector<float>(), (Floats{1, 2, 3, 4, 0, 1, 7}));
  const Parts back = unravel(flat * 2.0f);
  EXPECT_EQ(back.first.aval_shape().to_string(), "f32[2,2]");
  EXPECT_EQ(back.second[0].aval_shape().to_string(), "s32[2]");
  EXPECT_EQ(back.second[0].to_vector<int>(), (std::vector<int>{0, 2}));
  EXPECT_EQ(back.second[1].item<float>(), 14);
}

TEST(RavelPytree, IsDifferentiable) {
  const auto [flat, unravel] = flatten_util::ravel_pytree(parts());
  const auto& back = unravel;
  const auto f = [&](Array v) { return numpy::sum(back(v).first * back(v).first); };
  EXPECT_EQ(grad(f)(flat).to_vector<float>(), (Floats{2, 4, 6, 8, 0, 0, 0}));
}

TEST(RavelPytree, TakesNothingAndRefusesWrongSizes) {
  const auto [flat, unravel] = flatten_util::ravel_pytree(std::vector<Array>());
  EXPECT_EQ(flat.size(), 0);
  EXPECT_TRUE(unravel(flat).empty());
  const auto [other, back] = flatten_util::ravel_pytree(parts());
  const auto& unravel_parts = back;
  const std::string text = error_of([&] { unravel_parts(numpy::ones({6})); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("wanted a vector of 7, got f32[6]"), std::string::npos) << text;
}

TEST(RavelPytree, MixesTypesAndPutsThemBack) {
  const auto [ints, to_ints] = flatten_util::ravel_pytree(std::vector<Array>{1, numpy::arange(3)});
  EXPECT_EQ(ints.aval_shape().to_string(), "s32[4]");
  EXPECT_EQ(to_ints(ints)[1].to_vector<int>(), (std::vector<int>{0, 1, 2}));
  const std::vector<Array> mixed = {numpy::array(2), numpy::array({1.5f, 2.5f}),
                                    numpy::array(std::complex<float>(0, 1))};
  const auto [flat, back] = flatten_util::ravel_pytree(mixed);
  EXPECT_EQ(flat.aval_shape().to_string(), "c64[4]");
  const std::vector<Array> again = back(flat);
  EXPECT_EQ(again[0].aval_shape().to_string(), "s32[]");
  EXPECT_EQ(again[0].item<int>(), 2);
  EXPECT_EQ(again[1].to_vector<float>(), (Floats{1.5f, 2.5f}));
  const auto [nothing, to_nothing] = flatten_util::ravel_pytree(std::tuple<>());
  EXPECT_EQ(nothing.size(), 0);
}

TEST(RavelPytree, OfOneTypeTakesAnyTypeAndOfSeveralTheirs) {
  const auto [flat, unravel] = flatten_util::ravel_pytree(std::vector<Array>{numpy::arange(3, float32)});
  EXPECT_EQ(unravel(numpy::astype(flat, int32))[0].aval_shape().to_string(), "s32[3]");
  EXPECT_EQ(unravel(flat)[0].aval_shape().to_string(), "f32[3]");
  const auto [mixed, back] = flatten_util::ravel_pytree(parts());
  const auto& unravel_parts = back;
  const std::string text =
      error_of([&, &m = mixed] { unravel_parts(numpy::astype(m, int32)); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("wanted f32, as the leaves have several types, got s32[7]"), std::string::npos) << text;
}

}  // namespace
}  // namespace hilo
