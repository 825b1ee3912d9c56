// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/numpy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo {
namespace {

TEST(Promotion, FollowsJaxsTable) {
  const auto type = [](ElementType a, bool weak_a, ElementType b, bool weak_b) {
    const Aval out = numpy::promote_types({Shape::scalar(a), weak_a}, {Shape::scalar(b), weak_b});
    return std::string(element_type_name(out.shape.element_type())) + (out.weak_type ? "*" : "");
  };
  using enum ElementType;
  EXPECT_EQ(type(kF32, false, kS32, true), "f32");
  EXPECT_EQ(type(kF16, false, kF32, true), "f16");
  EXPECT_EQ(type(kS32, false, kF32, true), "f32*");
  EXPECT_EQ(type(kBf16, false, kF16, false), "f32");
  EXPECT_EQ(type(kU8, false, kS8, false), "s16");
  EXPECT_EQ(type(kS8, false, kS32, true), "s8");
  EXPECT_EQ(type(kPred, false, kS32, true), "s32*");
  EXPECT_EQ(type(kS32, true, kF32, true), "f32*");
  EXPECT_EQ(type(kU32, false, kF32, false), "f32");
}

TEST(Operators, BroadcastAndPromote) {
  const Array x = numpy::reshape(numpy::array({1.0, 2}), {2, 1});
  EXPECT_EQ((x + numpy::array({10.0, 20, 30})).to_vector<float>(), (std::vector<float>{11, 21, 31, 12, 22, 32}));
  EXPECT_EQ((numpy::arange(3) * 2).dtype(), ElementType::kS32);
  EXPECT_EQ((numpy::arange(3) / 2).dtype(), ElementType::kF32);
  EXPECT_EQ((Array(-7) % Array(3)).item<int>(), 2);
}

TEST(Operators, RefuseShapesThatDontBroadcast) {
  try {
    numpy::zeros({2}) + numpy::zeros({3});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("broadcast (numpy_test.cc:"), std::string::npos) << error.what();
  }
}

/// The sum and the number of elements exceed the largest f16; the mean doesn't.
TEST(Numpy, TakesMeansOfHalfPrecisionInF32) {
  for (const ElementType type : {ElementType::kF16, ElementType::kBf16}) {
    const Array x = numpy::full({70000}, 2, type);
    const auto expect = [&](const Array& got, float wanted) {
      EXPECT_EQ(got.dtype(), type);
      EXPECT_EQ(ops::convert_element_type(got, ElementType::kF32).item<float>(), wanted);
    };
    expect(numpy::mean(x), 2);
    expect(numpy::var(x), 0);
    expect(numpy::sum(x), type == ElementType::kF16 ? std::numeric_limits<float>::infinity() : 140288);
    expect(numpy::prod(numpy::reshape(x, {10000, 7}), 1)[0], 128);
  }
}

TEST(Numpy, TakesMeansOfAllLengthsToTheLastDigits) {
  for (const int64_t n : {1000003, (1 << 20) + 3}) {
    const Array x = numpy::full({n}, Array(0.1f));
    EXPECT_NEAR(numpy::mean(x).item<float>(), 0.1f, 1e-7) << n;
  }
}

TEST(Numpy, ReducesAsNumpy) {
  const Array x = numpy::array({{1.0, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(numpy::sum(x).item<float>(), 21);
  EXPECT_EQ(numpy::sum(x, 0).to_vector<float>(), (std::vector<float>{5, 7, 9}));
  EXPECT_EQ(numpy::mean(x, -1, true).aval_shape().to_string(), "f32[2,1]");
  EXPECT_EQ(numpy::max(x, {0, 1}).item<float>(), 6);
  EXPECT_EQ(numpy::argmax(x, 1).to_vector<int>(), (std::vector<int>{2, 2}));
  EXPECT_EQ(numpy::argmin(x, 0).to_vector<int>(), (std::vector<int>{0, 0, 0}));
}

TEST(Numpy, MultipliesMatricesStacksAndVectors) {
  const Array a = numpy::reshape(numpy::astype(numpy::arange(12), ElementType::kF32), {2, 2, 3});
  const Array v = numpy::array({1.0, 1, 1});
  EXPECT_EQ(numpy::matmul(a, v).to_vector<float>(), (std::vector<float>{3, 12, 21, 30}));
  EXPECT_EQ(numpy::matmul(a, numpy::transpose(a, {0, 2, 1})).aval_shape().to_string(), "f32[2,2,2]");
  EXPECT_EQ(numpy::matmul(numpy::array({{1.0, 2}}), a).aval_shape().to_string(), "f32[2,1,3]");
}

TEST(Numpy, SortsWithNanLast) {
  const std::vector<float> sorted = numpy::sort(Array::from_vector<float>({3, NAN, -1, 2}, {4})).to_vector<float>();
  EXPECT_EQ(std::vector<float>(sorted.begin(), sorted.begin() + 3), (std::vector<float>{-1, 2, 3}));
  EXPECT_TRUE(std::isnan(sorted[3]));
  EXPECT_EQ(numpy::argsort(numpy::array({3.0, 1, 2})).to_vector<int>(), (std::vector<int>{1, 2, 0}));
}

TEST(Numpy, SlicesAndTakes) {
  const Array x = numpy::array({{1.0, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(x[-1].to_vector<float>(), (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(numpy::slice(x, -2, 3, 1, 1).to_vector<float>(), (std::vector<float>{2, 3, 5, 6}));
  EXPECT_EQ(numpy::take(x, Array(1), 1).to_vector<float>(), (std::vector<float>{2, 5}));
  EXPECT_EQ(numpy::take_along_rows(x, numpy::astype(numpy::array({2.0, 0}), ElementType::kS32)).to_vector<float>(),
            (std::vector<float>{3, 4}));
}

TEST(Array, PrintsAsNumpy) {
  EXPECT_EQ(numpy::array({{1, 2.5}, {-3, 4}}).to_string(), "[[ 1.   2.5]\n [-3.   4. ]]");
  EXPECT_EQ(numpy::arange(3).to_string(), "[0 1 2]");
  EXPECT_EQ((numpy::arange(2) > 0).to_string(), "[False  True]");
  EXPECT_EQ(Array(1.5f).to_string(), "1.5");
}

TEST(Array, RefusesIntegersThatDontFit) {
  try {
    (void)(Array(int64_t{1} << 40) + 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kOutOfRange);
    EXPECT_NE(std::string(error.what()).find("1099511627776 does not fit s32"), std::string::npos);
  }
}

}  // namespace
}  // namespace hilo
