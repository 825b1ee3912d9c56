// SPDX-License-Identifier: Apache-2.0
// Expected values are those of jax.numpy's take, take_along_axis and x.at[...].
#include "hilo/numpy/indexing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

Array integers(const std::vector<int32_t>& values) {
  return Array::from_vector(values, {static_cast<int64_t>(values.size())});
}
Array row() { return numpy::array({10.0, 20, 30}); }
const float kNan = std::numeric_limits<float>::quiet_NaN();

void expect_same(const Array& got, const Floats& wanted) {
  const Floats values = got.to_vector<float>();
  ASSERT_EQ(values.size(), wanted.size()) << got.to_string();
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_TRUE(values[i] == wanted[i] || (std::isnan(values[i]) && std::isnan(wanted[i]))) << got.to_string();
  }
}

TEST(Take, FillsWhatIsOutsideByDefault) {
  expect_same(numpy::take(row(), integers({0, 3, -1, -4}), 0), {10, kNan, 30, kNan});
  expect_same(numpy::take(row(), integers({0, 3}), 0, IndexMode::kFillOrDrop, 7), {10, 7});
  const Array whole = integers({1, 2});
  EXPECT_EQ(numpy::take(whole, integers({5}), 0).item<int32_t>(), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(numpy::take(numpy::astype(whole, ElementType::kU8), integers({5}), 0).item<int>(), 255);
  EXPECT_TRUE(numpy::take(whole > 5, integers({5}), 0).item<bool>());
}

TEST(Take, ClipsNegativeIndicesToZeroAsNumpy) {
  expect_same(numpy::take(row(), integers({-1, 5, 1}), 0, IndexMode::kClip), {10, 30, 20});
}

TEST(Take, FlattensWithoutAnAxis) {
  const Array x = numpy::array({{1.0, 2}, {3, 4}});
  expect_same(numpy::take(x, integers({3, 1})), {4, 2});
  expect_same(numpy::take(x, integers({1, 2}), 1), {2, kNan, 4, kNan});
}

TEST(Take, RefusesWhatJaxRefuses) {
  std::string text = error_of([] { numpy::take(row(), row(), 0); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("Indexer must have integer type, got f32[3]"), std::string::npos) << text;
  text = error_of([] { numpy::take(numpy::zeros({0}), integers({0}), 0); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("cannot do a non-empty take() from an empty axis"), std::string::npos) << text;
  text = error_of([] { numpy::take(row(), integers({0}), 1); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("1 is out of range for f32[3]"), std::string::npos) << text;
  text = error_of([] { numpy::take(row(), integers({0}), 0, IndexMode::kFillOrDrop, row()); },
                  StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("fill_value must be a scalar; got f32[3]"), std::string::npos) << text;
}

TEST(TakeAlongAxis, PicksFromEveryLine) {
  const Array x = numpy::array({{1.0, 2, 3}, {4, 5, 6}});
  const Array i = Array::from_vector<int32_t>({2, 0, -1, 3}, {2, 2});
  expect_same(numpy::take_along_axis(x, i, 1), {3, 1, 6, kNan});
  expect_same(numpy::take_along_axis(x, Array::from_vector<int32_t>({1, 0}, {1, 2})), {2, 1, 5, 4});
  expect_same(numpy::take_along_axis(x, Array::from_vector<int32_t>({1, 0, 1}, {1, 3}), 0), {4, 2, 6});
}

TEST(At, ReadsAsTheModeSays) {
  expect_same(numpy::at(row(), Array(7)).get(), {30});  // as jax 0.10.2
  expect_same(numpy::at(row(), integers({7, -1})).get(), {30, 30});
  expect_same(numpy::at(row(), integers({7, -1})).get({.mode = "fill"}), {kNan, 30});
  expect_same(numpy::at(row(), integers({7, -7})).get({.mode = IndexMode::kClip}), {30, 10});
  expect_same(numpy::at(row(), Array(7)).get({.mode = IndexMode::kFillOrDrop, .fill_value = 1}), {1});
}

TEST(At, WritesAndDropsWhatIsOutside) {
  expect_same(numpy::at(row(), integers({1, 3, -1})).set(5), {10, 5, 5});
  expect_same(numpy::at(row(), integers({1, 9})).set(5, {.mode = IndexMode::kClip}), {10, 5, 5});
  expect_same(numpy::at(row(), integers({1, 1, 4})).add(numpy::array({1.0, 2, 4})), {10, 23, 30});
  expect_same(numpy::at(row(), integers({0, 2})).multiply(2), {20, 20, 60});
  expect_same(numpy::at(row(), integers({0, 2})).min(15), {10, 20, 15});
  expect_same(numpy::at(row(), integers({0, 2})).max(15), {15, 20, 30});
}

// Values of jax.numpy for x = arange(6.).reshape(2, 3).
TEST(At, TakesMasksWhoseValueIsKnown) {
  const Array x = numpy::reshape(numpy::arange(6, ElementType::kF32), {2, 3});
  const Array second_row = numpy::arange(2) > 0, even = numpy::remainder(x, 2.0f) == 0.0f;
  const Array picked = numpy::at(x, second_row).get();
  EXPECT_EQ(picked.aval_shape().to_string(), "f32[1,3]");
  expect_same(picked, {3, 4, 5});
  expect_same(numpy::at(x, even).get(), {0, 2, 4});
  expect_same(numpy::at(x, even).set(-1.0f), {-1, 1, -1, 3, -1, 5});
  expect_same(numpy::at(x, even).add(numpy::array({10.0, 20, 30})), {10, 1, 22, 3, 34, 5});
  expect_same(numpy::at(x, Array(1), numpy::array({1.0, 0, 1}) > 0.0f).get(), {3, 5});
  expect_same(numpy::at(x, x > 9.0f).get(), {});
}

TEST(At, WithAMaskDifferentiatesWhatIsPicked) {
  const auto picked = [](const Array& x) { return numpy::sum(numpy::square(numpy::at(x, x > 15.0f).get())); };
  expect_same(grad(picked)(row()), {0, 40, 60});
}

TEST(At, RefusesMasksOfAnotherShapeOrWithoutAValue) {
  const auto text = error_of([] { numpy::at(row(), numpy::arange(4) > 0).get(); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("boolean index did not match shape of indexed array; got pred[4] for axis 0 of f32[3]"),
            std::string::npos)
      << text;
  error_of([] { jit([](const Array& x) { return numpy::at(x, x > 1.0f).get(); })(row()); },
           StatusCode::kFailedPrecondition);
}

TEST(At, TakesSeveralIndicesThatBroadcast) {
  const Array x = numpy::zeros({2, 3});
  expect_same(numpy::at(x, Array(1), integers({0, 2})).set(numpy::array({7.0, 8})), {0, 0, 0, 7, 0, 8});
  expect_same(numpy::at(x, Array(-1)).set(numpy::array({1.0, 2, 3})), {0, 0, 0, 1, 2, 3});
  const std::string text = error_of([&] { numpy::at(x, Array(0), Array(0), Array(0)); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("Too many indices: array is 2-dimensional, but 3 were indexed"), std::string::npos) << text;
}

/// d/dx of sum(w * f(x)), once eager and once compiled.
template <typename F>
void expect_gradient(const F& f, const Array& x, const Floats& wanted) {
  const auto loss = [&](const Array& at) {
    const Array y = f(at);
    return numpy::sum(y * (numpy::astype(numpy::arange(y.size()), ElementType::kF32) + 1.0f));
  };
  expect_same(grad(loss)(x), wanted);
  expect_same(jit(grad(loss))(x), wanted);
}

TEST(IndexGradient, OfAClippedReadGoesToTheEdge) {
  expect_gradient([](const Array& x) { return numpy::take(x, integers({0, 5, 1}), 0, IndexMode::kClip); }, row(),
                  {1, 3, 2});
}

TEST(IndexGradient, OfAFilledReadIsDropped) {
  expect_gradient([](const Array& x) { return numpy::take(x, integers({0, 5, 1}), 0, IndexMode::kFillOrDrop, 0); },
                  row(), {1, 3, 0});
}

TEST(IndexGradient, OfAWriteIsThatOfTheWinner) {
  const auto write = [](const Array& y) { return numpy::at(row(), integers({1, 1, 2, 8})).set(y); };
  const Array values = numpy::array({1.0, 2, 3, 4});
  const Floats after = write(values).to_vector<float>();
  // Either of the equal indices may win. Its gradient belongs to the element that won.
  expect_gradient(write, values, after[1] == 1 ? Floats{2, 0, 3, 0} : Floats{0, 2, 3, 0});
  expect_gradient([](const Array& x) { return numpy::at(x, integers({1, 1})).set(numpy::array({5.0, 6})); }, row(),
                  {1, 0, 3});
  expect_gradient([](const Array& x) { return numpy::at(x, integers({1})).set(x[0], {.unique_indices = true}); }, row(),
                  {3, 0, 3});
}

TEST(IndexGradient, OfAClippedWriteReadsWhereItWrote) {
  const auto write = [](const Array& y) {
    return numpy::at(row(), integers({0, 9})).add(y, {.mode = IndexMode::kClip});
  };
  expect_gradient(write, numpy::array({1.0, 2}), {1, 3});
  expect_gradient([](const Array& y) { return numpy::at(row(), integers({0, 9})).add(y); }, numpy::array({1.0, 2}),
                  {1, 0});
}

TEST(IndexGradient, OfExtremesIsSharedBetweenEquals) {
  expect_gradient([](const Array& x) { return numpy::at(x, integers({0, 1})).max(20); }, row(), {0, 1, 3});
  expect_gradient([](const Array& y) { return numpy::at(row(), integers({0, 1, 2})).min(y); },
                  numpy::array({5.0, 20, 40}), {1, 1, 0});
}

TEST(IndexGradient, OfProductsNeedsUniqueIndices) {
  const numpy::IndexOptions unique = {.unique_indices = true};
  expect_gradient([&](const Array& x) { return numpy::at(x, integers({0, 2})).multiply(5, unique); }, row(),
                  {5, 2, 15});
  expect_gradient([&](const Array& y) { return numpy::at(row(), integers({0, 2})).multiply(y, unique); },
                  numpy::array({3.0, 4}), {10, 90});
  const auto repeated = [](const Array& y) { return numpy::sum(numpy::at(row(), integers({0, 0})).multiply(y)); };
  const std::string text = error_of([&] { grad(repeated)(numpy::array({3.0, 4})); }, StatusCode::kUnimplemented);
  EXPECT_NE(text.find("the updates of a multiplying scatter have a tangent only with unique_indices=true"),
            std::string::npos)
      << text;
}

TEST(IndexMode, IsWrittenDownAndDecidesWhatIsTransposed) {
  const auto program = [](IndexMode mode) {
    return make_hlo(grad([mode](const Array& x) { return numpy::sum(numpy::take(x, integers({0, 1}), 0, mode)); }))(
        row());
  };
  // With kPromiseInBounds the transpose has no clamp; with clip it has one.
  const std::string promise = program(IndexMode::kPromiseInBounds), clip = program(IndexMode::kClip);
  EXPECT_NE(promise.find("hilo.index_mode=\"promise_in_bounds\""), std::string::npos) << promise;
  EXPECT_EQ(promise.find("minimum("), std::string::npos) << promise;
  EXPECT_NE(clip.find("hilo.index_mode=\"clip\""), std::string::npos) << clip;
  EXPECT_NE(clip.find("minimum("), std::string::npos) << clip;
}

TEST(IndexMode, WorksOnNothing) {
  const Array none = numpy::zeros({0, 3});
  const Array i = Array::from_vector<int32_t>({}, {0, 2});
  const auto read = [](const Array& x, const Array& k) { return numpy::at(x, k).get(); };
  EXPECT_EQ(vmap(read)(none, i).aval_shape().to_string(), "f32[0,2]");
  EXPECT_EQ(numpy::take_along_axis(none, i).aval_shape().to_string(), "f32[0,2]");
  EXPECT_EQ(numpy::take(numpy::zeros({3}), i).aval_shape().to_string(), "f32[0,2]");
  EXPECT_EQ(grad([](const Array& x) { return numpy::sum(numpy::sort(x)); })(none).aval_shape().to_string(), "f32[0,3]");
}

TEST(IndexMode, IsKeptUnderVmap) {
  const Array x = numpy::array({{1.0, 2, 3}, {4, 5, 6}});
  const Array i = Array::from_vector<int32_t>({0, 9, -9, 1}, {2, 2});
  const auto read = [](IndexMode mode) {
    return [mode](const Array& a, const Array& k) { return numpy::at(a, k).get({.mode = mode, .fill_value = 0}); };
  };
  const auto write = [](IndexMode mode) {
    return [mode](const Array& a, const Array& k) { return numpy::at(a, k).add(10, {.mode = mode}); };
  };
  expect_same(vmap(read(IndexMode::kClip))(x, i), {1, 3, 4, 5});
  expect_same(vmap(read(IndexMode::kFillOrDrop))(x, i), {1, 0, 0, 5});
  expect_same(vmap(read(IndexMode::kFillOrDrop), {kNoAxis, 0})(x[0], i), {1, 0, 0, 2});
  expect_same(vmap(read(IndexMode::kFillOrDrop), {0, kNoAxis})(x, i[0]), {1, 0, 4, 0});
  expect_same(vmap(write(IndexMode::kClip))(x, i), {11, 2, 13, 14, 15, 6});
  expect_same(vmap(write(IndexMode::kFillOrDrop))(x, i), {11, 2, 3, 4, 15, 6});
  const auto loss = [&](const Array& a, const Array& k) {
    return numpy::sum(read(IndexMode::kClip)(a, k) * numpy::array({1.0, 10}));
  };
  expect_same(vmap(grad(loss))(x, i), {1, 0, 10, 1, 10, 0});
}

}  // namespace
}  // namespace hilo
