// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/with_gradients.h"

#include <gtest/gtest.h>

#include "hilo/core.h"
#include "hilo/import/callable.h"

namespace hilo {
namespace {

std::vector<LoadedValue> values(std::initializer_list<Shape> shapes) {
  std::vector<LoadedValue> out;
  for (const Shape& shape : shapes) out.push_back(loaded_value("v", shape));
  return out;
}

TEST(WithGradients, AddsThoseOfTheFirstResult) {
  const FlatFunction f = [](std::span<const Array> x) {
    return std::vector<Array>{numpy::sum(x[0] * x[1]), x[0] + x[1]};
  };
  const Array x = numpy::array({1.0f, 2.0f}), y = numpy::array({3.0f, 4.0f});
  const std::vector<Array> both = {x, y};
  const std::vector<Array> results = with_gradients(f, {1, 0})(both);
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0].item<float>(), 11.0f);
  EXPECT_EQ(results[2][1].item<float>(), 2.0f);
  EXPECT_EQ(results[3][1].item<float>(), 4.0f);
}

TEST(WithGradients, ChecksResultAndArguments) {
  const Shape scalar = Shape::scalar(ElementType::kF32), whole = Shape::array(ElementType::kS32, {2});
  const auto code = [&](std::initializer_list<Shape> inputs, std::initializer_list<Shape> outputs,
                        std::vector<int64_t> arguments) {
    return check_gradients(values(inputs), values(outputs), arguments, "grad", "f").code();
  };
  EXPECT_EQ(code({scalar, whole}, {scalar, whole}, {0}), StatusCode::kOk);
  EXPECT_EQ(code({scalar, whole}, {whole}, {0}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({scalar, whole}, {}, {0}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({scalar, whole}, {scalar}, {1}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({scalar, whole}, {scalar}, {2}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({scalar, whole}, {scalar}, {0, 0}), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo
