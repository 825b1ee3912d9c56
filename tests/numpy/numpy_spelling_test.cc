// SPDX-License-Identifier: Apache-2.0
// How calls of jax.numpy are spelled in C++. The golden tests check their values.
#include "hilo/hilo.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/error_of.h"

using namespace hilo;  // NOLINT: as in programs of users

namespace {

using Floats = std::vector<float>;

Array matrix() { return numpy::array({{1.0, 5.0, 3.0}, {4.0, 2.0, 6.0}}); }

TEST(Spelling, TypesAreValues) {
  EXPECT_EQ(numpy::zeros({2}, float32).dtype(), float32);
  EXPECT_EQ(numpy::zeros({2}, int32).dtype(), ElementType::kS32);
  EXPECT_EQ(numpy::zeros({2}, {.dtype = bool_}).dtype(), bool_);
  EXPECT_EQ(numpy::zeros({2}, numpy::bfloat16).dtype(), element_type_of<bfloat16_t>);
  EXPECT_EQ(matrix().astype<int32_t>().dtype(), int32);
  EXPECT_EQ(matrix().astype(numpy::float16).dtype(), numpy::float16);
  EXPECT_EQ(numpy::int8(3).dtype(), int8);
  EXPECT_EQ(numpy::promote_types(int8, uint8), int16);
  EXPECT_EQ(numpy::result_type(int32, 1.5), float32);
  EXPECT_EQ(numpy::result_type(matrix(), numpy::bfloat16), float32);
  EXPECT_TRUE(numpy::issubdtype(float32, numpy::floating));
  EXPECT_FALSE(numpy::issubdtype(int32, numpy::inexact));
  EXPECT_TRUE(numpy::isdtype(uint8, "unsigned integer"));
}

TEST(Spelling, CastsAreThoseOfNumpy) {
  EXPECT_TRUE(numpy::can_cast(int32, float64));
  EXPECT_FALSE(numpy::can_cast(int32, float32));
  EXPECT_TRUE(numpy::can_cast(int16, float32));
  EXPECT_TRUE(numpy::can_cast(bool_, int8));
  EXPECT_FALSE(numpy::can_cast(float64, float32));
  EXPECT_TRUE(numpy::can_cast(float64, float32, "same_kind"));
  EXPECT_FALSE(numpy::can_cast(float32, int32, "same_kind"));
  error_of([] { numpy::can_cast(int8, int8, "often"); }, StatusCode::kInvalidArgument);
}

TEST(Spelling, LimitsAreThoseOfNumpy) {
  EXPECT_EQ(numpy::finfo(float32).eps, 1.1920928955078125e-07);
  EXPECT_EQ(numpy::finfo(numpy::bfloat16).max, 3.3895313892515355e+38);
  EXPECT_EQ(numpy::finfo(numpy::float16).tiny, 6.103515625e-05);
  EXPECT_EQ(numpy::finfo(float32).minexp, -126);
  EXPECT_EQ(numpy::finfo(float32).maxexp, 128);
  EXPECT_EQ(numpy::iinfo(int8).min, -128);
  EXPECT_EQ(numpy::iinfo(numpy::uint64).max, UINT64_MAX);
  error_of([] { numpy::iinfo(float32); }, StatusCode::kInvalidArgument);
  error_of([] { numpy::finfo(int32); }, StatusCode::kInvalidArgument);
}

TEST(Spelling, AListIsAxesAndOptionsAreNamed) {
  const Array x = matrix();
  EXPECT_EQ(numpy::max(x, {0, 1}).item<float>(), 6);
  EXPECT_EQ(numpy::max(x, {0}).to_vector<float>(), (Floats{4, 5, 6}));
  EXPECT_EQ(numpy::max(x, {1, 0}).ndim(), 0);
  EXPECT_EQ(numpy::sum(x, 1).to_vector<float>(), (Floats{9, 12}));
  EXPECT_EQ(numpy::sum(x, {.axis = -1, .keepdims = true}).aval_shape().to_string(), "f32[2,1]");
  EXPECT_EQ(numpy::max(x, {.axis = 0, .keepdims = true}).aval_shape().to_string(), "f32[1,3]");
  EXPECT_EQ(numpy::all(x, {.axis = {0, 1}}).ndim(), 0);
  EXPECT_EQ(numpy::quantile(x, 0.5, {1, 0}).item<float>(), 3.5f);
  EXPECT_EQ(numpy::average(x, {0, 1}).item<float>(), 3.5f);
  EXPECT_EQ(numpy::median(x, {.axis = 1}).to_vector<float>(), (Floats{3, 4}));
}

TEST(Spelling, MembersCallTheFunctions) {
  const Array x = matrix();
  EXPECT_EQ(x.sum().item<float>(), 21);
  EXPECT_EQ(x.sum({0, 1}).item<float>(), 21);
  EXPECT_EQ(x.mean(0).to_vector<float>(), (Floats{2.5, 3.5, 4.5}));
  EXPECT_EQ(x.max({.axis = 1, .keepdims = true}).aval_shape().to_string(), "f32[2,1]");
  EXPECT_EQ(x.min(1).to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(x.T().aval_shape().to_string(), "f32[3,2]");
  EXPECT_EQ(x.reshape(3, -1).aval_shape().to_string(), "f32[3,2]");
  EXPECT_EQ(x.reshape({-1}).ndim(), 1);
  EXPECT_EQ(x.reshape(numpy::zeros({6}).shape()).aval_shape().to_string(), "f32[6]");
  EXPECT_EQ(x.at(0, 1).set(9.0)(0, 1).item<float>(), 9);
  EXPECT_EQ(numpy::ones(x.shape()).aval_shape(), x.aval_shape());
}

TEST(Spelling, MembersAreThoseOfJaxsArrays) {
  const Array x = matrix();
  EXPECT_EQ(x.argmax().item<int>(), 5);
  EXPECT_EQ(x.argmin(1).to_vector<int>(), (std::vector<int>{0, 1}));
  EXPECT_EQ(x.prod(0).to_vector<float>(), (Floats{4, 10, 18}));
  EXPECT_EQ(x.var().item<float>(), numpy::var(x).item<float>());
  EXPECT_EQ(x.std(0).to_vector<float>(), numpy::std(x, 0).to_vector<float>());
  EXPECT_TRUE(bool((x > 0).all()) && bool((x > 5).any()));
  EXPECT_EQ(x.sort().to_vector<float>(), (Floats{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(x.argsort().to_vector<int>(), (std::vector<int>{0, 2, 1, 1, 0, 2}));
  EXPECT_EQ(x.cumsum(0).to_vector<float>(), (Floats{1, 5, 3, 5, 7, 9}));
  EXPECT_EQ(x.ravel().to_vector<float>(), x.flatten().to_vector<float>());
  EXPECT_EQ(x.reshape(1, 2, 3).squeeze().aval_shape(), x.aval_shape());
  EXPECT_EQ(x.reshape(1, 2, 3).transpose(2, 0, 1).aval_shape().to_string(), "f32[3,1,2]");
  EXPECT_EQ(x.swapaxes(0, 1).aval_shape(), x.mT().aval_shape());
  EXPECT_EQ(x.dot(numpy::ones({3})).to_vector<float>(), (Floats{9, 12}));
  EXPECT_EQ(x.clip(2, 4).to_vector<float>(), (Floats{2, 4, 3, 4, 2, 4}));
  EXPECT_EQ(x.take(numpy::array({2, 0}), 1).to_vector<float>(), (Floats{3, 1, 6, 4}));
  EXPECT_EQ(x.trace().item<float>(), 3);
  EXPECT_EQ(x.nbytes(), 24);
}

TEST(Spelling, AxesMayBeNamed) {
  const Array x = matrix();
  EXPECT_EQ(numpy::expand_dims(x, {.axis = 1}).aval_shape().to_string(), "f32[2,1,3]");
  EXPECT_EQ(numpy::flip(x, {.axis = 0}).to_vector<float>(), (Floats{4, 2, 6, 1, 5, 3}));
  EXPECT_EQ(numpy::roll(x, 1, {.axis = 1}).to_vector<float>(), (Floats{3, 1, 5, 6, 4, 2}));
  EXPECT_EQ(numpy::split(x, 3, {.axis = 1})[2].to_vector<float>(), (Floats{3, 6}));
  EXPECT_EQ(numpy::triu(x, {.k = 1}).to_vector<float>(), (Floats{0, 5, 3, 0, 0, 6}));
}

TEST(Spelling, ErrorsNameTheLineOfTheMember) {
  const std::string line = "numpy_spelling_test.cc:" + std::to_string(__LINE__ + 1);
  const std::string text = error_of([] { matrix().sum(7); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find(line), std::string::npos) << text;
  const std::string next = "numpy_spelling_test.cc:" + std::to_string(__LINE__ + 1);
  const std::string out = error_of([] { matrix()(0, 9); }, StatusCode::kOutOfRange);
  EXPECT_NE(out.find(next), std::string::npos) << out;
  EXPECT_NE(out.find("9 is out of range for f32[2,3], axis 1"), std::string::npos) << out;
  error_of([] { matrix().at(0).get({.mode = "mostly"}); }, StatusCode::kInvalidArgument);
  error_of([] { numpy::array({1, 3000000000}); }, StatusCode::kOutOfRange);
}

TEST(Spelling, EinsumSearchesItsOrder) {
  const Array a = numpy::ones({2, 50}), b = numpy::ones({50, 40}), c = numpy::ones({40, 1});
  using Path = numpy::ContractionPath;
  EXPECT_EQ(numpy::einsum_path("ij,jk,kl->il", a, b, c).path, (Path{{1, 2}, {0, 1}}));
  EXPECT_EQ(numpy::einsum_path("ij,jk,kl->il", {a, b, c}, {.optimize = "greedy"}).path, (Path{{0, 1}, {0, 1}}));
  EXPECT_EQ(numpy::einsum("ij,jk,kl->il", {a, b, c}, {.optimize = Path{{0, 1}, {0, 1}}}).to_vector<float>(),
            (Floats{2000, 2000}));
  error_of([&] { numpy::einsum("ij,jk,kl->il", {a, b, c}, {.optimize = Path{{0, 7}}}); }, StatusCode::kInvalidArgument);
}

TEST(Spelling, MasksAndSizesUnderJit) {
  const auto positives = jit([](Array x) { return numpy::compress(x > 2.0, x, {.size = 4, .fill_value = -1.0}); });
  EXPECT_EQ(positives(numpy::ravel(matrix())).to_vector<float>(), (Floats{5, 3, 4, 6}));
  const auto unique = jit([](Array x) { return numpy::unique(x, {.size = 4, .fill_value = 9}); });
  EXPECT_EQ(unique(numpy::array({3, 1, 3})).to_vector<int>(), (std::vector<int>{1, 3, 9, 9}));
  error_of([] { jit([](Array x) { return numpy::unique(x); })(matrix()); }, StatusCode::kFailedPrecondition);
}

}  // namespace
