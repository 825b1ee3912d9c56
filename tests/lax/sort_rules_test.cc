// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/hlo/ops/random.h"
#include "hilo/numpy/numpy.h"
#include "hilo/trace/trace.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

std::tuple<Array, Array> four_numbers(const Array& state) {
  Operation operation{hlo::Opcode::kRngBitGenerator, {state}, std::make_shared<hlo::RngBitGeneratorAttributes>(), {}};
  operation.declared = Shape::tuple(std::vector<Shape>{state.aval_shape(), Shape::array(ElementType::kU32, {4})});
  const std::vector<Array> results = bind(operation);
  return {results[0], results[1]};
}

TEST(RngBitGenerator, UnderVmapDrawsFromEachState) {
  const Array states = Array::from_vector<uint64_t>({1, 2, 3, 4}, {2, 2});
  const auto [moved, bits] = vmap(four_numbers)(states);
  EXPECT_EQ(bits.aval_shape().to_string(), "u32[2,4]");
  for (int64_t i = 0; i < 2; ++i) {
    const auto [own_state, own_bits] = four_numbers(states[i]);
    EXPECT_EQ(bits[i].to_vector<uint32_t>(), own_bits.to_vector<uint32_t>());
    EXPECT_EQ(moved[i].to_vector<uint64_t>(), own_state.to_vector<uint64_t>());
  }
}

TEST(RngBitGenerator, RunsInsideCallsAndUnderVmapOfCalls) {
  const Array states = Array::from_vector<uint64_t>({1, 2, 3, 4}, {2, 2});
  const auto compiled = jit(four_numbers);
  EXPECT_EQ(std::get<1>(compiled(states[0])).to_vector<uint32_t>(),
            std::get<1>(four_numbers(states[0])).to_vector<uint32_t>());
  EXPECT_EQ(std::get<1>(vmap(compiled)(states)).to_vector<uint32_t>(),
            std::get<1>(vmap(four_numbers)(states)).to_vector<uint32_t>());
}

}  // namespace
}  // namespace hilo
