// SPDX-License-Identifier: Apache-2.0
// Values recorded from jax 0.10.2.
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo::numpy {
namespace {

template <typename T>
Array vector_of(std::vector<T> values) {
  return Array::from_vector(values, {static_cast<int64_t>(values.size())});
}

/// The remainder computed by hand, by an operator, and compiled.
template <typename T>
void expect_remainders(const std::vector<T>& x, const std::vector<T>& y, const std::vector<T>& wanted) {
  EXPECT_EQ(remainder(vector_of(x), vector_of(y)).template to_vector<T>(), wanted);
  EXPECT_EQ((vector_of(x) % vector_of(y)).template to_vector<T>(), wanted);
  EXPECT_EQ(
      jit([](const Array& a, const Array& b) { return a % b; })(vector_of(x), vector_of(y)).template to_vector<T>(),
      wanted);
}

TEST(Remainder, OfIntegersByZeroIsZero) {
  expect_remainders<int32_t>({7, -7, 7, -7, 0, 2147483647, INT32_MIN, INT32_MIN, -1}, {0, 0, -3, 3, 0, 0, 0, -1, 0},
                             {0, 0, -2, 2, 0, 0, 0, 0, 0});
  expect_remainders<int8_t>({7, -7, 7, -7, 0, 127, -128, -128, -1}, {0, 0, -3, 3, 0, 0, 0, -1, 0},
                            {0, 0, -2, 2, 0, 0, 0, 0, 0});
  expect_remainders<uint8_t>({7, 0, 1, 255, 0, 5, 255}, {0, 0, 0, 0, 0, 3, 2}, {0, 0, 0, 0, 0, 2, 1});
  expect_remainders<uint32_t>({7, 4294967295u, 5}, {0, 0, 3}, {0, 0, 2});
  expect_remainders<int64_t>({7, INT64_MIN, INT64_MIN}, {0, 0, -1}, {0, 0, 0});
}

TEST(Remainder, OfPredicatesIsThatOfIntegers) {
  const Array r = remainder(vector_of<int32_t>({1, 0}) > 0, vector_of<int32_t>({0, 0}) > 0);
  EXPECT_EQ(r.aval_shape().to_string(), "s32[2]");
  EXPECT_EQ(r.to_vector<int>(), (std::vector<int>{0, 0}));
}

TEST(Remainder, OfFloatsKeepsNanAndSlopes) {
  EXPECT_TRUE(std::isnan(remainder(Array(5.0f), Array(0.0f)).item<float>()));
  EXPECT_EQ(remainder(Array(-5.0f), Array(INFINITY)).item<float>(), INFINITY);
  const auto [dx, dy] =
      grad<0, 1>([](const Array& x, const Array& y) { return remainder(x, y); })(Array(-5.0f), Array(3.0f));
  EXPECT_EQ(dx.item<float>(), 1);
  EXPECT_EQ(dy.item<float>(), 2);
}

TEST(Remainder, OfNumbersStaysWeaklyTyped) { EXPECT_TRUE((Array(7) % Array(3)).weak_type()); }

TEST(Power, OfIntegersIsThatOfJax) {
  const Array x = vector_of<int32_t>({0, 1, -1, 2, -2, 2, 3, 0, 2, 3, 3});
  const Array y = vector_of<int32_t>({0, -1, -1, -1, -1, 3, 40, -1, 31, 64, 70});
  const std::vector<int32_t> wanted = {1, 1, -1, 0, 0, 8, 689956897, 0, INT32_MIN, 1, 729};
  EXPECT_EQ(power(x, y).to_vector<int32_t>(), wanted);
  EXPECT_EQ(jit([](const Array& a, const Array& b) { return power(a, b); })(x, y).to_vector<int32_t>(), wanted);
  EXPECT_EQ(power(vector_of<uint8_t>({2, 3}), vector_of<uint8_t>({7, 9})).to_vector<int>(),
            (std::vector<int>{128, 227}));
  const Array truths = power(vector_of<int32_t>({1, 0}) > 0, vector_of<int32_t>({1, 0}) > 0);
  EXPECT_EQ(truths.aval_shape().to_string(), "s32[2]");
  EXPECT_EQ(truths.to_vector<int>(), (std::vector<int>{1, 1}));
}

TEST(Power, ByANumberMultiplies) {
  EXPECT_EQ(power(vector_of<int32_t>({2, 3, -2}), 3).to_vector<int>(), (std::vector<int>{8, 27, -8}));
  EXPECT_EQ(power(vector_of<int32_t>({5}), 0).to_vector<int>(), (std::vector<int>{1}));
  EXPECT_EQ(power(vector_of<int32_t>({3}), 64).to_vector<uint32_t>(), (std::vector<uint32_t>{2038349057u}));
  EXPECT_EQ(power(vector_of<float>({2, -3}), 3).to_vector<float>(), (std::vector<float>{8, -27}));
  EXPECT_EQ(power(vector_of<float>({2, -4}), -2).to_vector<float>(), (std::vector<float>{0.25f, 0.0625f}));
  EXPECT_EQ(power(vector_of<int32_t>({2}), 0.5f).dtype(), ElementType::kF32);
}

TEST(Power, ByANumberHasASlopeAtZero) {
  const auto slope = [](int n) { return grad([n](const Array& x) { return power(x, n); })(Array(0.0f)).item<float>(); };
  EXPECT_EQ(slope(0), 0);
  EXPECT_EQ(slope(1), 1);
  EXPECT_EQ(slope(2), 0);
  EXPECT_EQ(slope(3), 0);
  EXPECT_EQ(slope(-1), -INFINITY);
}

TEST(Power, ByAnArrayOfIntegersIsFlatWhereItIsZero) {
  const Array y = vector_of<int32_t>({0, 1, 2, -1});
  const auto slopes = grad([&](const Array& x) { return sum(power(x, y)); })(vector_of<float>({0, 0, 0, 0}));
  EXPECT_EQ(slopes.to_vector<float>(), (std::vector<float>{0, 1, 0, -INFINITY}));
}

TEST(Abs, HasSlopeOneAtZero) {
  const auto slopes = vmap(grad([](const Array& x) { return abs(x); }))(vector_of<float>({0, -0.0f, 2, -3}));
  EXPECT_EQ(slopes.to_vector<float>(), (std::vector<float>{1, 1, 1, -1}));
}

}  // namespace
}  // namespace hilo::numpy
