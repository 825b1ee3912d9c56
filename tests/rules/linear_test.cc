// SPDX-License-Identifier: Apache-2.0
#include "hilo/rules/linear.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/trace/trace.h"

namespace hilo::rules {
namespace {

using Floats = std::vector<float>;

TEST(LinearJvp, IsTheOpOnTangents) {
  const Operation sum{
      hlo::Opcode::kAdd, {numpy::array({1.0f, 2.0f}), numpy::array({10.0f, 20.0f})}, nullptr, std::nullopt};
  const std::vector<Tangent> tangents = {Tangent(numpy::array({3.0f, 4.0f})), Tangent(numpy::array({5.0f, 6.0f}))};
  const JvpResult result = linear_jvp(sum, tangents);
  EXPECT_EQ(result.primals[0].to_vector<float>(), (Floats{11, 22}));
  EXPECT_EQ(result.tangents[0].value().to_vector<float>(), (Floats{8, 10}));
}

TEST(LinearJvp, ZeroTangentsAreZeros) {
  const Operation sum{
      hlo::Opcode::kAdd, {numpy::array({1.0f, 2.0f}), numpy::array({10.0f, 20.0f})}, nullptr, std::nullopt};
  const std::vector<Tangent> tangents = {Tangent(), Tangent(numpy::array({5.0f, 6.0f}))};
  EXPECT_EQ(linear_jvp(sum, tangents).tangents[0].value().to_vector<float>(), (Floats{5, 6}));
}

}  // namespace
}  // namespace hilo::rules
