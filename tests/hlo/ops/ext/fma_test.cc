// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/op_def.h"

#include <cmath>
#include <random>

#include "hilo/hlo/ir/extensions.h"
#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

/// The op on scalars.
template <typename T>
T fused(T x, T y, T z) {
  const StatusOr<Literal> result =
      run_op(kExtFma, {Literal::scalar(x), Literal::scalar(y), Literal::scalar(z)}, nullptr);
  EXPECT_TRUE(result.ok()) << result.status().to_string();
  return result.ok() ? result->data<T>()[0] : T{};
}

TEST(Fma, RoundsOnce) {
  EXPECT_EQ(fused(1 + 0x1p-23f, 1 - 0x1p-23f, -1.0f), -0x1p-46f);
  EXPECT_EQ(fused(1 + 0x1p-52, 1 - 0x1p-52, -1.0), -0x1p-104);
  EXPECT_EQ(static_cast<float>(fused(float16(1 + 0x1p-10f), float16(1 - 0x1p-10f), float16(-1.0f))), -0x1p-20f);
  EXPECT_EQ(static_cast<float>(fused(bfloat16(1 + 0x1p-7f), bfloat16(1 - 0x1p-7f), bfloat16(-1.0f))), -0x1p-14f);
}

TEST(Fma, IsThatOfTheCLibraryForNumbersOfAllSizes) {
  std::mt19937 bits(1);
  std::vector<float> x(10000), y(x), z(x);
  for (size_t i = 0; i < x.size(); ++i) {
    for (std::vector<float>* v : {&x, &y, &z}) (*v)[i] = std::bit_cast<float>(static_cast<uint32_t>(bits()));
    if (i % 2 == 0) z[i] = -std::nextafter(x[i] * y[i], 0.0f);  // the sum cancels
  }
  const auto literal = [](const std::vector<float>& v) {
    return Literal::array<float>(std::vector<int64_t>{10000}, std::span<const float>(v));
  };
  const StatusOr<Literal> result = run_op(kExtFma, {literal(x), literal(y), literal(z)}, nullptr);
  ASSERT_TRUE(result.ok()) << result.status().to_string();
  for (size_t i = 0; i < x.size(); ++i) {
    const float got = result->data<float>()[i], wanted = std::fma(x[i], y[i], z[i]);
    if (std::isnan(wanted)) EXPECT_TRUE(std::isnan(got)) << i;
    else EXPECT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(wanted)) << x[i] << " " << y[i] << " " << z[i];
  }
}

TEST(Fma, RefusesOtherTypesAndOperandsOfDifferentShapes) {
  const Shape narrow = Shape::array(ElementType::kF8E5M2, {3}), three = Shape::array(ElementType::kF32, {3});
  EXPECT_EQ(error_of(shape_of(kExtFma, {narrow, narrow, narrow}, nullptr)),
            "INVALID_ARGUMENT: wrong element type; got f8e5m2[3]; wanted bf16, f16, f32 or f64. Hint: convert");
  EXPECT_EQ(error_of(shape_of(kExtFma, {three, three, Shape::scalar(ElementType::kF32)}, nullptr)),
            "INVALID_ARGUMENT: operands differ; got f32[3] and f32[]; wanted one shape. Hint: convert or broadcast");
}

TEST(Fma, IsAProductAndASumToWhoLacksIt) {
  const std::vector<Shape> operands(3, Shape::array(ElementType::kBf16, {2}));
  const StatusOr<ComputationPtr> op = computation_of(kExtFma, operands, nullptr);
  ASSERT_TRUE(op.ok());
  const StatusOr<ComputationPtr> body = op_def(kExtFma).decompose((*op)->root(), operands);
  ASSERT_TRUE(body.ok()) << body.status().to_string();
  EXPECT_EQ((*body)->result_shape(), operands[0]);
}

}  // namespace
}  // namespace hilo::hlo
