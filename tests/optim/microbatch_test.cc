// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/microbatch.h"

#include <gtest/gtest.h>

#include <tuple>

#include "hilo/hilo.h"

namespace hilo::optim {
namespace {

std::pair<Array, Array> rows_and_sum(const Array& x) { return {x + 1, numpy::sum(3 * x)}; }

TEST(Microbatch, ConcatenatesAndSumsAsTheWholeBatchDoes) {
  const auto f = microbatch(rows_and_sum, 0, 2, {AccumulationType::CONCAT, AccumulationType::SUM});
  const auto [rows, sum] = f(numpy::arange(1, 7));
  EXPECT_EQ(rows.to_vector<int>(), (std::vector<int>{2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(sum.item<int>(), 63);
}

TEST(Microbatch, MeanOfGradientsIsThatOfTheBatch) {
  const auto loss = [](Array w, Array x, Array y) { return numpy::mean(numpy::square(numpy::matmul(x, w) - y)); };
  const Array w = numpy::array({1.0f, -2.0f}), x = numpy::arange(12.0f).reshape(6, 2), y = numpy::arange(6.0f);
  for (const int size : {1, 2, 3, 6}) {
    const Array g = jit(microbatch(grad(loss), {1, 2}, size, AccumulationType::MEAN))(w, x, y);
    EXPECT_TRUE(numpy::allclose(g, grad(loss)(w, x, y), {.rtol = 1e-5}).item<bool>()) << size;
  }
}

TEST(Microbatch, RunningMeanStopsEarly) {
  const auto mean = [](Array x) { return numpy::mean(x); };
  const Array x = numpy::array({1.0f, 10.0f, 3.0f, 30.0f});
  const auto f = [&](Array n) {
    return microbatch(mean, 0, 2, AccumulationType::RUNNING_MEAN, {.num_real_microbatches = n})(x);
  };
  EXPECT_EQ(f(1).item<float>(), 2);  // rows 0 and 2
  EXPECT_EQ(jit(f)(2).item<float>(), 11);
}

TEST(Microbatch, TakesOtherAxesAndCanBeDifferentiated) {
  const Array x = numpy::arange(8.0f).reshape(2, 4);
  const auto squares = [](Array x) { return numpy::sum(x * x, 1); };
  const auto f = microbatch(squares, 0, 2, AccumulationType::SUM, {.in_axes = 1});
  EXPECT_EQ(f(x).to_vector<float>(), (std::vector<float>{14, 126}));
  const Array g = grad([&](Array x) { return f(x).sum(); })(x);
  EXPECT_TRUE(numpy::array_equal(g, 2 * x).item<bool>());
}

TEST(Microbatch, WithoutASizeIsTheFunction) {
  const auto [rows, sum] = microbatch(rows_and_sum, 0, std::nullopt)(numpy::arange(3));
  EXPECT_EQ(sum.item<int>(), 9);
  EXPECT_EQ(rows.size(), 3);
}

TEST(Microbatch, RefusesPartsThatDontFill) {
  EXPECT_THROW(microbatch(rows_and_sum, 0, 4)(numpy::arange(6)), Error);
  EXPECT_THROW(microbatch(rows_and_sum, 1, 2)(numpy::arange(6)), Error);
  EXPECT_THROW(microbatch(rows_and_sum, 0, 2, AccumulationType::MEAN)(numpy::arange(6)), Error);
}

}  // namespace
}  // namespace hilo::optim
