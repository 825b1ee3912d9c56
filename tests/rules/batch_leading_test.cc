// SPDX-License-Identifier: Apache-2.0
#include "hilo/rules/batch_leading.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/trace/trace.h"

namespace hilo::rules {
namespace {

using Floats = std::vector<float>;

TEST(BatchLeading, PutsTheNewAxisInFrontOfAllOperands) {
  const Array x = numpy::array({{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}}), y = numpy::array({10.0f, 20.0f});
  const Operation sum{hlo::Opcode::kAdd, {x, y}, nullptr, std::nullopt};
  const std::vector<BatchDim> dims = {BatchDim(1), BatchDim()};
  const BatchResult result = batch_leading(sum, dims, {.axis_size = 3});
  EXPECT_EQ(result.results[0].aval_shape().to_string(), "f32[3,2]");
  EXPECT_EQ(result.results[0].to_vector<float>(), (Floats{11, 24, 12, 25, 13, 26}));
  EXPECT_EQ(result.dims, std::vector<BatchDim>{BatchDim(0)});
}

TEST(BatchLeading, OfNoExamplesIsEmpty) {
  const Operation negate{hlo::Opcode::kNegate, {numpy::zeros({2, 0})}, nullptr, std::nullopt};
  const std::vector<BatchDim> dims = {BatchDim(1)};
  EXPECT_EQ(batch_leading(negate, dims, {.axis_size = 0}).results[0].aval_shape().to_string(), "f32[0,2]");
}

}  // namespace
}  // namespace hilo::rules
