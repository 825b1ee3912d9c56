// SPDX-License-Identifier: Apache-2.0
// Types and values recorded from jax 0.10.2.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "tests/support/logged_texts.h"
#include "tests/support/x64.h"

namespace hilo::numpy {
namespace {

std::string type_of(const Array& x) { return std::string(element_type_name(x.dtype())); }

TEST(Creation, IsOf32BitsByDefault) {
  for (const Array& x : {zeros({2}), ones({2}), eye(2), linspace(0, 1, 3), array({1.0, 2}), array({{1.0, 2}, {3, 4}}),
                         full({2}, 1.0), random::uniform(random::key(0), {2}), random::normal(random::key(0), {2})})
    EXPECT_EQ(type_of(x), "f32");
  EXPECT_EQ(type_of(arange(3)), "s32");
  EXPECT_EQ(type_of(random::bits(random::key(0), {2})), "u32");
  EXPECT_EQ(type_of(random::permutation(random::key(0), 3)), "s32");
}

TEST(Creation, IsOf64BitsUnderX64) {
  const X64Scope x64;
  for (const Array& x : {zeros({2}), ones({2}), eye(2), linspace(0, 1, 3), array({1.0, 2}), array({{1.0, 2}, {3, 4}}),
                         full({2}, 1.0), random::uniform(random::key(0), {2}), random::normal(random::key(0), {2}),
                         mean(arange(3)), linalg::inv(eye(2, ElementType::kS64))})
    EXPECT_EQ(type_of(x), "f64");
  // Integers of less than 32 bits are promoted to f32, as in JAX.
  for (const Array& x : {mean(arange(3, {.dtype = int32})), linalg::inv(eye(2, ElementType::kS32))})
    EXPECT_EQ(type_of(x), "f32");
  for (const Array& x :
       {arange(3), full({2}, 1), argmax(zeros({3})), argmin(zeros({3})), argsort(zeros({3})), sum(zeros({3}) > 0),
        sum(zeros({3}, ElementType::kS16)), sum(zeros({3}, ElementType::kS32)), prod(ones({3}, ElementType::kS8)),
        cumsum(zeros({3}) > 0), linalg::matrix_rank(eye(2)), random::permutation(random::key(0), 3)})
    EXPECT_EQ(type_of(x), "s64");
  EXPECT_EQ(type_of(sum(zeros({3}, ElementType::kU8))), "u64");
  EXPECT_EQ(type_of(random::bits(random::key(0), {2})), "u64");
  EXPECT_EQ(type_of(cumsum(zeros({3}, ElementType::kS8))), "s8");
  EXPECT_EQ(argmax(array({1.0, 5, 2})).item<int64_t>(), 1);
  EXPECT_EQ(argsort(array({3.0, 1, 2})).to_vector<int64_t>(), (std::vector<int64_t>{1, 2, 0}));
}

TEST(Creation, Holds64BitValuesUnderX64) {
  const X64Scope x64;
  EXPECT_EQ(array({0.1}).item<double>(), 0.1);
  const std::vector<double> points = linspace(0.1, 0.7, 7).to_vector<double>();
  for (size_t i = 0; i < points.size(); ++i) EXPECT_DOUBLE_EQ(points[i], 0.1 * static_cast<double>(i + 1));
  EXPECT_EQ(full({1}, int64_t{1} << 40).item<int64_t>(), int64_t{1} << 40);
}

TEST(Creation, TakesAType) {
  using enum ElementType;
  for (const ElementType type : {kF16, kBf16, kS8, kU32, kC64}) {
    for (const Array& x : {zeros({2}, type), ones({2}, type), eye(2, type), linspace(0, 1, 3, type),
                           array({1.0, 2}, type), full({2}, 1.0, type), arange(3, type)})
      EXPECT_EQ(x.dtype(), type) << element_type_name(type);
  }
}

/// As jax.numpy does with NumPy's arrays. JAX: jnp.array(np.array([1.5, 2**24 + 1])).dtype is float32.
TEST(Creation, AVectorHasTheTypeOfItsNumbersIn32BitsByDefault) {
  const LoggedTexts logged;
  const std::vector<double> reals = {1.5, 16777217};
  const std::vector<int64_t> integers = {-3, (int64_t{1} << 40) + 5};
  const std::vector<uint64_t> naturals = {7};
  const std::vector<std::complex<double>> complex = {{1, 2}};
  const std::vector<std::vector<double>> rows = {reals, {3, 4}};
  const auto types = [](const auto& v) { return type_of(array(v)) + " " + type_of(asarray(v)); };
  EXPECT_EQ(types(reals), "f32 f32");
  EXPECT_EQ(types(integers), "s32 s32");
  EXPECT_EQ(types(naturals), "u32 u32");
  EXPECT_EQ(types(complex), "c64 c64");
  EXPECT_EQ(types(rows), "f32 f32");
  EXPECT_EQ(types(std::vector<int8_t>{1}), "s8 s8");
  EXPECT_EQ(array(reals).to_vector<float>(), (std::vector<float>{1.5f, 16777216}));
  EXPECT_EQ(array(integers).to_vector<int>(), (std::vector<int>{-3, 5}));
  // A requested type is that of the whole numbers, and an Array keeps its own.
  EXPECT_EQ(array(integers, float32).to_vector<float>(), (std::vector<float>{-3, 1099511627776}));
  EXPECT_EQ(type_of(array(Array::from_vector(reals, {2}))), "f64");
  EXPECT_TRUE(logged.all.empty()) << logged.all[0];
  EXPECT_EQ(type_of(array(reals, float64)), "f32");  // with the warning of a type that was requested
  EXPECT_EQ(logged.all.size(), 1u);
  const X64Scope x64;
  EXPECT_EQ(types(reals), "f64 f64");
  EXPECT_EQ(types(integers), "s64 s64");
  EXPECT_EQ(types(naturals), "u64 u64");
  EXPECT_EQ(types(complex), "c128 c128");
  EXPECT_EQ(types(rows), "f64 f64");
  EXPECT_EQ(array(integers).to_vector<int64_t>(), integers);
}

TEST(Creation, WarnsOnceWhereX64IsAskedForInVain) {
  const LoggedTexts logged;
  Array x;
  for (int i = 0; i < 3; ++i) x = zeros({2}, ElementType::kF64);
  EXPECT_EQ(type_of(x), "f32");
  ASSERT_EQ(logged.all.size(), 1u);
  EXPECT_NE(logged.all[0].find("Explicitly requested dtype float64 in zeros (creation_types_test.cc:"),
            std::string::npos)
      << logged.all[0];
  EXPECT_NE(logged.all[0].find("will be truncated to dtype float32"), std::string::npos) << logged.all[0];
  EXPECT_EQ(type_of(arange(3, ElementType::kU64)), "u32");
  EXPECT_EQ(type_of(astype(x, ElementType::kC128)), "c64");
  EXPECT_EQ(type_of(random::uniform(random::key(0), {2}, ElementType::kF64)), "f32");
  ASSERT_EQ(logged.all.size(), 4u);
  EXPECT_NE(logged.all[1].find("uint64 in arange"), std::string::npos);
  EXPECT_NE(logged.all[2].find("complex128 in astype"), std::string::npos);
}

TEST(Creation, IsSilentWhereTheTypeIsThereOrNotAskedFor) {
  const LoggedTexts logged;
  zeros({2}, ElementType::kF16);
  arange(3);
  {
    const X64Scope x64;
    zeros({2}, ElementType::kF64);
  }
  EXPECT_TRUE(logged.all.empty()) << logged.all[0];
}

TEST(Linspace, HitsItsEndsAndTakesFewPoints) {
  EXPECT_EQ(linspace(0, 1, 0).aval_shape().to_string(), "f32[0]");
  EXPECT_EQ(linspace(2, 5, 1).to_vector<float>(), (std::vector<float>{2}));
  EXPECT_EQ(linspace(0, 10, 4, ElementType::kS32).to_vector<int>(), (std::vector<int>{0, 3, 6, 10}));
  EXPECT_EQ(linspace(-5, 5, 4, ElementType::kS32).to_vector<int>(), (std::vector<int>{-5, -2, 1, 5}));
  const std::vector<float> to_infinity = linspace(0, INFINITY, 3).to_vector<float>();
  EXPECT_TRUE(std::isnan(to_infinity[0]));
  EXPECT_EQ(to_infinity[1], INFINITY);
  EXPECT_EQ(to_infinity[2], INFINITY);
  EXPECT_EQ(linspace(INFINITY, 3, 3).to_vector<float>()[2], 3);
}

TEST(Arange, OfANegativeCountIsEmpty) { EXPECT_EQ(arange(-3).aval_shape().to_string(), "s32[0]"); }

TEST(Transpose, TakesNegativeAxes) {
  EXPECT_EQ(transpose(zeros({2, 3, 4}), {-1, 0, -2}).aval_shape().to_string(), "f32[4,2,3]");
}

TEST(Reshape, FindsTheUnknownExtent) {
  EXPECT_EQ(reshape(zeros({6}), {2, -1}).aval_shape().to_string(), "f32[2,3]");
  EXPECT_EQ(reshape(zeros({0}), {5, -1}).aval_shape().to_string(), "f32[5,0]");
}

}  // namespace
}  // namespace hilo::numpy
