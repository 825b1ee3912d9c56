// SPDX-License-Identifier: Apache-2.0
#include "hilo/rules/batch_by_scan.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/trace/trace.h"

namespace hilo::rules {
namespace {

using Floats = std::vector<float>;

TEST(BatchByScan, RunsOneExampleAfterTheOther) {
  const Array x = numpy::array({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}}), y = numpy::array({10.0f, 20.0f});
  const Operation sum{hlo::Opcode::kAdd, {x, y}, nullptr, std::nullopt};
  const std::vector<BatchDim> dims = {BatchDim(0), BatchDim()};
  const BatchResult result = batch_by_scan(sum, dims, {.axis_size = 3});
  EXPECT_EQ(result.results[0].to_vector<float>(), (Floats{11, 22, 13, 24, 15, 26}));
  EXPECT_EQ(result.dims[0], BatchDim(0));
}

TEST(BatchByScan, TakesTheBatchFromAnyAxis) {
  const Array x = numpy::array({{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}});  // three examples, in columns
  const Operation negate{hlo::Opcode::kNegate, {x}, nullptr, std::nullopt};
  const std::vector<BatchDim> dims = {BatchDim(1)};
  EXPECT_EQ(batch_by_scan(negate, dims, {.axis_size = 3}).results[0].to_vector<float>(),
            (Floats{-1, -4, -2, -5, -3, -6}));
}

TEST(BatchByScan, OfNoExamplesIsEmpty) {
  const Operation negate{hlo::Opcode::kNegate, {numpy::zeros({0, 2})}, nullptr, std::nullopt};
  const std::vector<BatchDim> dims = {BatchDim(0)};
  EXPECT_EQ(batch_by_scan(negate, dims, {.axis_size = 0}).results[0].aval_shape().to_string(), "f32[0,2]");
}

}  // namespace
}  // namespace hilo::rules
