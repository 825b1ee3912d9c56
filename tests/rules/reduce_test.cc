// SPDX-License-Identifier: Apache-2.0
// vmap and derivatives of reductions whose initial value is an argument.
#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

auto folding(hlo::Opcode opcode) {
  return [opcode](const Array& x, const Array& initial) { return ops::reduce(opcode, x, initial, {0}); };
}

TEST(ReduceRules, TakeAnInitialValuePerExample) {
  const Array rows = numpy::array({{1.0, 2, 3}, {4, -5, 6}});
  const Array initial = numpy::array({10.0, -20});
  EXPECT_EQ(vmap(folding(hlo::Opcode::kAdd))(rows, initial).to_vector<float>(), (Floats{16, -15}));
  EXPECT_EQ(vmap(folding(hlo::Opcode::kMultiply))(rows, initial).to_vector<float>(), (Floats{60, 2400}));
  EXPECT_EQ(vmap(folding(hlo::Opcode::kMaximum))(rows, initial).to_vector<float>(), (Floats{10, 6}));
  EXPECT_EQ(vmap(folding(hlo::Opcode::kMinimum))(rows, initial).to_vector<float>(), (Floats{1, -20}));
  // One operand for all initial values. The result has the batch axis in addition to its own axes.
  EXPECT_EQ(vmap(folding(hlo::Opcode::kAdd), {kNoAxis, 0})(rows, initial).to_vector<float>(),
            (Floats{15, 7, 19, -15, -23, -11}));
  const Array bits = Array::from_vector<int32_t>({12, 10, 6, 5}, {2, 2});
  const Array masks = Array::from_vector<int32_t>({15, 1}, {2});
  EXPECT_EQ(vmap(folding(hlo::Opcode::kAnd))(bits, masks).to_vector<int>(), (std::vector<int>{8, 0}));
  EXPECT_EQ(vmap(folding(hlo::Opcode::kXor))(bits, masks).to_vector<int>(), (std::vector<int>{9, 2}));
}

TEST(ReduceRules, DifferentiateTheInitialValue) {
  const Array x = numpy::array({2.0, 3, 4});
  const auto slope = [&](hlo::Opcode opcode, float initial) {
    return grad<0, 1>(folding(opcode))(x, Array(initial) * numpy::ones({}));
  };
  EXPECT_EQ(std::get<1>(slope(hlo::Opcode::kAdd, 5)).item<float>(), 1);
  EXPECT_EQ(std::get<1>(slope(hlo::Opcode::kMultiply, 5)).item<float>(), 24);
  EXPECT_EQ(std::get<0>(slope(hlo::Opcode::kMultiply, 5)).to_vector<float>(), (Floats{60, 40, 30}));
  EXPECT_EQ(std::get<1>(slope(hlo::Opcode::kMaximum, 5)).item<float>(), 1);
  EXPECT_EQ(std::get<0>(slope(hlo::Opcode::kMaximum, 5)).to_vector<float>(), (Floats{0, 0, 0}));
}

}  // namespace
}  // namespace hilo
