// SPDX-License-Identifier: Apache-2.0
// The expected bits were recorded from jaxlib 0.10.2: jax.lax.rng_bit_generator under jit, on the CPU.
#include "hilo/hlo/ops/random.h"

#include <fmt/format.h>

#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

const Shape kState = Shape::array(ElementType::kU64, {2});

AttributesPtr algorithm(RandomAlgorithm which) {
  auto attributes = std::make_shared<RngBitGeneratorAttributes>();
  attributes->algorithm = which;
  return attributes;
}

Literal state(uint64_t counter = 0xfffffffffffffffe) {
  return Literal::array<uint64_t>({2}, {0x1234567890abcdef, counter});
}

StatusOr<Literal> draw(RandomAlgorithm which, ElementType type, std::initializer_list<int64_t> dimensions) {
  return run_op(Opcode::kRngBitGenerator, {state()}, algorithm(which),
                Shape::tuple({kState, Shape::array(type, dimensions)}));
}

std::string hex(const StatusOr<Literal>& result) {
  if (!result.ok()) return result.status().to_string();
  std::string text;
  for (std::byte b : result->elements()[1].bytes()) text += fmt::format("{:02x}", std::to_integer<int>(b));
  return text;
}

uint64_t counter_after(const StatusOr<Literal>& result) { return result->elements()[0].data<uint64_t>()[1]; }

TEST(RngBitGenerator, ThreefryPairsAlongTheFirstEvenOrElseTheWidestDimension) {
  const StatusOr<Literal> odd = draw(RandomAlgorithm::kThreeFry, ElementType::kU32, {3, 5});
  EXPECT_EQ(hex(odd),
            "b73b098153a7285521a6fa64a36af8b98028c112534c85ff608014000535276c6ed48fb97de5928d2651be30e65e60b1e29fea389d"
            "9d2e4f366d8116");
  EXPECT_EQ(counter_after(odd), 7u);
  const StatusOr<Literal> middle = draw(RandomAlgorithm::kThreeFry, ElementType::kU32, {1, 7, 3});
  EXPECT_EQ(hex(middle),
            "b73b098121a6fa648028c11253a72855a36af8b96b3cab4e534c85ff0535276c7de5928d608014006ed48fb90f8b4acd2651be30e2"
            "9fea38366d8116e65e60b19d9d2e4fb82f73d55dd2779d65c14a2eb64a7af1");
  EXPECT_EQ(counter_after(middle), 10u);
  const StatusOr<Literal> scalar = draw(RandomAlgorithm::kThreeFry, ElementType::kU32, {});
  EXPECT_EQ(hex(scalar), "b73b0981");
  EXPECT_EQ(counter_after(scalar), 0xffffffffffffffffu);
}

TEST(RngBitGenerator, ThreefryFillsOtherWidths) {
  const StatusOr<Literal> wide = draw(RandomAlgorithm::kThreeFry, ElementType::kU64, {5});
  EXPECT_EQ(hex(wide), "b73b098153a7285521a6fa64a36af8b98028c1126b3cab4e534c85ff608014000535276c6ed48fb9");
  EXPECT_EQ(counter_after(wide), 3u);
  EXPECT_EQ(hex(draw(RandomAlgorithm::kThreeFry, ElementType::kU16, {2})), "b73b53a7");
  EXPECT_EQ(hex(draw(RandomAlgorithm::kThreeFry, ElementType::kU32, {0})), "");
}

TEST(RngBitGenerator, PhiloxCountsIn128Bits) {
  const StatusOr<Literal> words = draw(RandomAlgorithm::kPhilox, ElementType::kU32, {5});
  EXPECT_EQ(hex(words), "10965a3ceddffc3f8fb3413c6d02447e55f1db3f");
  EXPECT_EQ(counter_after(words), 0u);
  EXPECT_EQ(hex(draw(RandomAlgorithm::kPhilox, ElementType::kU64, {5})),
            "10965a3ceddffc3f8fb3413c6d02447e55f1db3fb806863790aafefc028444dacb86639a804330d6");
}

TEST(RngBitGenerator, DefaultIsPhilox) {
  EXPECT_EQ(hex(draw(RandomAlgorithm::kDefault, ElementType::kU32, {2})), "10965a3ceddffc3f");
}

TEST(RngBitGenerator, CarriesIntoALongState) {
  const Literal long_state = Literal::array<uint64_t>({3}, {1, ~uint64_t{0}, 5});
  const StatusOr<Literal> result = run_op(Opcode::kRngBitGenerator, {long_state}, algorithm(RandomAlgorithm::kPhilox),
                                          Shape::tuple({long_state.shape(), Shape::array(ElementType::kU32, {8})}));
  ASSERT_TRUE(result.ok()) << result.status().to_string();
  EXPECT_EQ(result->elements()[0].to_string(), "u64[3] {1, 1, 6}");
}

TEST(RngBitGenerator, ErrorsNameTheState) {
  const Shape bits = Shape::array(ElementType::kU32, {2});
  const auto infer = [&](const Shape& s, RandomAlgorithm which, std::optional<Shape> declared) {
    return error_of(shape_of(Opcode::kRngBitGenerator, {s}, algorithm(which), declared));
  };
  const Shape words = Shape::array(ElementType::kU32, {4}), three = Shape::array(ElementType::kU64, {3});
  EXPECT_EQ(infer(words, RandomAlgorithm::kThreeFry, Shape::tuple({words, bits})),
            "INVALID_ARGUMENT: the state of rng_three_fry must be u64[2]; got u32[4]");
  EXPECT_EQ(infer(three, RandomAlgorithm::kThreeFry, Shape::tuple({three, bits})),
            "INVALID_ARGUMENT: the state of rng_three_fry must be u64[2]; got u64[3]");
  EXPECT_EQ(infer(words, RandomAlgorithm::kPhilox, Shape::tuple({words, bits})),
            "INVALID_ARGUMENT: the state of rng_philox must be u64[2] or u64[3]; got u32[4]");
  EXPECT_EQ(infer(kState, RandomAlgorithm::kThreeFry, std::nullopt),
            "INVALID_ARGUMENT: the result's shape must be stated");
  EXPECT_EQ(infer(kState, RandomAlgorithm::kThreeFry, bits),
            "INVALID_ARGUMENT: the result must be (u64[2], random bits); got u32[2]");
  EXPECT_EQ(infer(kState, RandomAlgorithm::kThreeFry, Shape::tuple({kState, Shape::array(ElementType::kPred, {2})})),
            "INVALID_ARGUMENT: random bits must be integers or floats of 8 to 64 bits; got pred[2]");
}

}  // namespace
}  // namespace hilo::hlo
