// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/hlo/ops/random.h"
#include "hilo/numpy/numpy.h"
#include "hilo/trace/trace.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

/// Random bits of this shape, and the next state.
std::tuple<Array, Array> numbers(const Array& state, std::vector<int64_t> sizes) {
  auto attributes = std::make_shared<hlo::RngBitGeneratorAttributes>();
  attributes->algorithm = hlo::RandomAlgorithm::kDefault;
  Operation operation{hlo::Opcode::kRngBitGenerator, {state}, std::move(attributes), {}};
  operation.declared = Shape::tuple({state.aval_shape(), Shape::array(ElementType::kU32, sizes)});
  const std::vector<Array> results = bind(operation);
  return {results[0], results[1]};
}

std::tuple<Array, Array> four_numbers(const Array& state) { return numbers(state, {4}); }

// Recorded from jax 0.10.2 on the CPU: jax.vmap(lambda k: lax.rng_bit_generator(k, (4,),
// dtype=jnp.uint32))(jnp.arange(1, 9, dtype=jnp.uint32).reshape(2, 4)). JAX combines words to u64, low word first.
TEST(RngBitGenerator, UnderVmapGivesTheNumbersOfJax) {
  const Array states = Array::from_vector<uint64_t>(
      {1 | uint64_t{2} << 32, 3 | uint64_t{4} << 32, 5 | uint64_t{6} << 32, 7 | uint64_t{8} << 32}, {2, 2});
  const auto [moved, bits] = vmap(four_numbers)(states);
  EXPECT_EQ(bits.to_vector<uint32_t>(), (std::vector<uint32_t>{512747620, 1298009047, 1267190206, 761827841, 1383286907,
                                                               1639995030, 2756207988, 2154813423}));
  EXPECT_EQ(moved.to_vector<uint64_t>(), (std::vector<uint64_t>{1 | uint64_t{2} << 32, 5 | uint64_t{4} << 32,
                                                                5 | uint64_t{6} << 32, 7 | uint64_t{8} << 32}));
}

TEST(RngBitGenerator, UnderVmapDrawsAllBitsFromTheFirstState) {
  const Array states = Array::from_vector<uint64_t>({1, 2, 3, 4, 5, 6}, {3, 2});
  for (const Array& shown : {states, numpy::transpose(states)}) {
    const int axis = shown.shape(0) == 3 ? 0 : 1;
    const auto [moved, bits] = vmap(four_numbers, {axis})(shown);
    const auto [first_moved, all_bits] = numbers(states[0], {3, 4});
    EXPECT_EQ(bits.to_vector<uint32_t>(), all_bits.to_vector<uint32_t>());
    EXPECT_EQ(moved[0].to_vector<uint64_t>(), first_moved.to_vector<uint64_t>());
    for (int64_t i : {1, 2}) EXPECT_EQ(moved[i].to_vector<uint64_t>(), states[i].to_vector<uint64_t>());
  }
}

TEST(RngBitGenerator, UnderVmapOverNothingDrawsNothing) {
  const auto [moved, bits] = vmap(four_numbers)(Array::from_vector<uint64_t>({}, {0, 2}));
  EXPECT_EQ(moved.aval_shape().to_string(), "u64[0,2]");
  EXPECT_EQ(bits.aval_shape().to_string(), "u32[0,4]");
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
