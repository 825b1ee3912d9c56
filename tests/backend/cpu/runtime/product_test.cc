// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/product.h"

#include <cmath>

#include "tests/backend/cpu/runtime/runtime_check.h"

namespace hilo::cpu::runtime {
namespace {

ArrayPlaces dense_places(int64_t count) {
  ArrayPlaces places;
  places.count = count;
  places.dimensions.back() = {count, 1};
  return places;
}

/// [m, k] x [k, n].
std::vector<float> product(int64_t m, int64_t k, int64_t n, std::vector<float> a, std::vector<float> b, Isa isa) {
  ConvolutionProblem part;
  part.batch = {m, k, 0, n};
  part.inputs = {k, 1, n, 0};
  part.outputs = {n, 0, 1, 1};
  ProblemWriter<ProductProblem> writer({ElementType::kF32,
                                        ElementType::kF32,
                                        ElementType::kF32,
                                        SumType::kF32,
                                        isa,
                                        dense_places(m * k),
                                        dense_places(k * n),
                                        dense_places(m * n),
                                        {}});
  writer.set(writer.problem.parts, std::vector{part});
  const size_t scratch = product_scratch(writer.problem, std::span(&part, 1));
  std::vector<float> c(static_cast<size_t>(m * n), NAN);
  call_within(Routine::kProduct, std::move(writer).finish(), {a.data(), b.data(), c.data()}, 1, scratch);
  return c;
}

TEST(RuntimeProduct, StaysInItsMemory) {
  for (const Isa isa : supported_isas()) {
    for (const int64_t size : {1, 3, 4, 17, 40, 50}) {
      const std::vector<float> ones(static_cast<size_t>(size * 600), 1);
      for (const float c : product(size, 600, size, ones, ones, isa)) EXPECT_EQ(c, 600);
    }
  }
}

TEST(RuntimeProduct, SumsWithoutTermsAreZero) {
  for (const float c : product(2, 0, 3, {}, {}, Isa::kSse2)) EXPECT_EQ(c, 0);
}

TEST(RuntimeProduct, KeepsNaNInItsRowAndColumn) {
  std::vector<float> a = {1, NAN, 3, 4}, b = {1, 2, 3, 4};
  const std::vector<float> c = product(2, 2, 2, a, b, Isa::kSse2);
  EXPECT_TRUE(std::isnan(c[0]) && std::isnan(c[1]));
  EXPECT_EQ(c[2], 15);
  EXPECT_EQ(c[3], 22);
}

}  // namespace
}  // namespace hilo::cpu::runtime
