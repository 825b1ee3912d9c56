// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/sparse/bcoo.h"

#include <gtest/gtest.h>

#include <sstream>

#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo::scipy::sparse {
namespace {

bool same(const Array& x, const Array& y) { return numpy::array_equal(x, y).item<bool>(); }
bool close(const Array& x, const Array& y) {
  return x.ndim() == y.ndim() && numpy::allclose(x, y, 1e-5, 1e-5).item<bool>();
}

/// About a third of the elements are nonzero.
Array mostly_zero(const numpy::Shape& shape, int64_t seed = 0) {
  const auto keys = random::split(random::key(seed), 2);
  return numpy::where(random::uniform(keys[0], shape) < 0.3f, random::normal(keys[1], shape), 0.0f);
}

TEST(Bcoo, HoldsWhatADenseArrayHolds) {
  for (const numpy::Shape& shape : {numpy::Shape{}, {1}, {7}, {3, 5}, {17, 33}, {4, 1, 6}, {0}, {3, 0}}) {
    const Array x = mostly_zero(shape);
    const BCOO m = BCOO::fromdense(x);
    EXPECT_TRUE(same(m.todense(), x)) << m.ndim();
    EXPECT_EQ(m.shape(), shape);
    EXPECT_EQ(m.nse(), numpy::count_nonzero(x).item<int64_t>());
  }
}

TEST(Bcoo, HoldsBatchesAndDenseAxes) {
  const Array x = mostly_zero({3, 4, 5, 2});
  for (int64_t batch = 0; batch < 4; ++batch)
    for (int64_t dense = 0; batch + dense < 4; ++dense) {
      const BCOO m = BCOO::fromdense(x, {.n_batch = batch, .n_dense = dense});
      EXPECT_EQ(m.n_batch(), batch);
      EXPECT_EQ(m.n_dense(), dense);
      EXPECT_EQ(m.n_sparse(), 4 - batch - dense);
      EXPECT_TRUE(same(m.todense(), x)) << batch << ", " << dense;
    }
}

TEST(Bcoo, PadsWhereMoreIsStoredThanThereIs) {
  const Array x = mostly_zero({5, 6});
  const BCOO m = BCOO::fromdense(x, {.nse = 30});
  EXPECT_EQ(m.nse(), 30);
  EXPECT_TRUE(same(m.todense(), x));
  EXPECT_TRUE(close(m.matmul(numpy::arange(6.0f)), numpy::matmul(x, numpy::arange(6.0f))));
  EXPECT_TRUE(close(m.sum(1).todense(), numpy::sum(x, 1)));
  EXPECT_TRUE(same(m.T().todense(), x.T()));
  EXPECT_TRUE(same(m.reshape({3, -1}).todense(), x.reshape({3, 10})));
}

TEST(Bcoo, PlacesThatAreStoredTwiceCountAsTheirSum) {
  const BCOO m({numpy::array({1.0f, 2.0f, 4.0f, 8.0f}), numpy::array({{1, 1}, {0, 2}, {1, 1}, {7, 0}})},
               {.shape = {2, 3}});
  EXPECT_TRUE(same(m.todense(), numpy::array({{0.0f, 0.0f, 2.0f}, {0.0f, 5.0f, 0.0f}})));
  const BCOO once = m.sum_duplicates();
  EXPECT_EQ(once.nse(), 2);
  EXPECT_TRUE(same(once.data, numpy::array({2.0f, 5.0f})));
  EXPECT_TRUE(same(once.indices, numpy::array({{0, 2}, {1, 1}})));
  const BCOO padded = m.sum_duplicates({.nse = 4});
  EXPECT_EQ(padded.nse(), 4);
  EXPECT_TRUE(same(m.sum_duplicates({.nse = 9}).todense(), m.todense()));
  EXPECT_TRUE(same(m.sum_duplicates({.nse = 9}).data, numpy::array({2, 5, 0, 0, 0, 0, 0, 0, 0})));
  EXPECT_TRUE(same(jit([](const BCOO& x) { return x.sum_duplicates({.nse = 2}); })(m).data, once.data));
  EXPECT_TRUE(same(padded.todense(), m.todense()));
  EXPECT_TRUE(same(padded.indices, numpy::array({{0, 2}, {1, 1}, {2, 3}, {2, 3}})));
}

TEST(Bcoo, ProductsAreThoseOfTheDenseMatrices) {
  const Array a = mostly_zero({5, 7}, 1), x = random::normal(random::key(2), {7, 3}),
              y = random::normal(random::key(3), {4, 5});
  const BCOO m = BCOO::fromdense(a);
  EXPECT_TRUE(close(numpy::matmul(m, x), numpy::matmul(a, x)));
  EXPECT_TRUE(close(m.dot(x(all, 0)), numpy::matmul(a, x(all, 0))));
  EXPECT_TRUE(close(numpy::matmul(y, m), numpy::matmul(y, a)));
  EXPECT_TRUE(close(numpy::matmul(y[0], m), numpy::matmul(y[0], a)));
  const Array batches = mostly_zero({2, 5, 7}, 4), right = random::normal(random::key(5), {2, 7, 3});
  const BCOO batched = BCOO::fromdense(batches, {.n_batch = 1});
  EXPECT_TRUE(close(batched.matmul(right), numpy::matmul(batches, right)));
  EXPECT_TRUE(close(batched.matmul(right[0]), numpy::matmul(batches, right[0])));
  EXPECT_TRUE(close(bcoo_dot_general(m, x, {{{1}, {0}}, {{}, {}}}), numpy::matmul(a, x)));
  EXPECT_TRUE(close(bcoo_dot_general(m, x, {.dimension_numbers = {{{1}, {0}}, {{}, {}}}}), numpy::matmul(a, x)));
  EXPECT_TRUE(close(todense(m), a));
  const Array z = random::normal(random::key(6), {7, 5, 2});
  EXPECT_TRUE(close(bcoo_dot_general(m, z, {{{1}, {0}}, {{0}, {1}}}), numpy::einsum("ij,jik->ik", a, z)));
  EXPECT_TRUE(close(bcoo_dot_general(m, z, {{{0, 1}, {1, 0}}, {{}, {}}}), numpy::einsum("ij,jik->k", a, z)));
}

TEST(Bcoo, ArithmeticKeepsThePlaces) {
  const Array a = mostly_zero({4, 5}, 7), b = mostly_zero({4, 5}, 8), row = numpy::arange(5.0f) - 2.0f;
  const BCOO m = BCOO::fromdense(a), n = BCOO::fromdense(b);
  EXPECT_TRUE(close((m + n).todense(), a + b));
  EXPECT_TRUE(close((m - n).todense(), a - b));
  EXPECT_TRUE(close((-m).todense(), -a));
  EXPECT_TRUE(close((2 * m * row).todense(), 2 * a * row));
  EXPECT_TRUE(close((m / 4.0f).todense(), a / 4.0f));
  EXPECT_EQ((m * row).nse(), m.nse());
  EXPECT_TRUE(close(m.sum().todense(), numpy::sum(a)));
  EXPECT_TRUE(close(m.sum(-1).todense(), numpy::sum(a, 1)));
  EXPECT_TRUE(same(m.transpose({1, 0}).sort_indices().todense(), a.T()));
  EXPECT_EQ(m.astype(numpy::float16).dtype(), ElementType::kF16);
}

TEST(Bcoo, GoesThroughTransformations) {
  const Array a = mostly_zero({5, 7}, 9), x = random::normal(random::key(10), {7});
  const BCOO m = BCOO::fromdense(a, {.nse = 20});
  const auto f = [](const BCOO& mat, const Array& v) { return (3 * mat).matmul(v); };
  EXPECT_TRUE(close(jit(f)(m, x), 3 * numpy::matmul(a, x)));
  EXPECT_TRUE(same(jit([](const BCOO& mat) { return mat.T(); })(m).todense(), a.T()));
  EXPECT_TRUE(same(jit([](const Array& dense) { return BCOO::fromdense(dense, {.nse = 20}); })(a).todense(), a));
  const BCOO batches = BCOO::fromdense(numpy::stack({a, 2 * a}), {.nse = 20, .n_batch = 1});
  EXPECT_TRUE(
      close(vmap(f, {0, kNoAxis})(batches, x), numpy::stack({3 * numpy::matmul(a, x), 6 * numpy::matmul(a, x)})));
}

TEST(Bcoo, MakesTheMatricesThatHaveNames) {
  EXPECT_TRUE(same(empty({2, 3}).todense(), numpy::zeros({2, 3})));
  for (int64_t k = -4; k <= 5; ++k) EXPECT_TRUE(same(eye(3, 4, k).todense(), numpy::eye(3, 4, k))) << k;
  EXPECT_TRUE(same(eye(2).todense(), numpy::eye(2)));
  std::ostringstream text;
  text << eye(3, 4);
  EXPECT_EQ(text.str(), "BCOO(f32[3, 4], nse=3)");
}

TEST(Bcoo, RefusesWhatDoesntFit) {
  const auto code_of = [](const auto& f) {
    try {
      f();
    } catch (const Error& error) {
      return error.status().code();
    }
    return StatusCode::kOk;
  };
  const Array data = numpy::ones({3});
  EXPECT_EQ(code_of([&] { BCOO({data, numpy::zeros({3, 2})}, {.shape = {2, 2}}); }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { BCOO({data, numpy::zeros({2, 2}, int32)}, {.shape = {2, 2}}); }),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { BCOO({data, numpy::zeros({3, 2}, int32)}, {.shape = {2}}); }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { eye(2) + eye(3); }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { eye(2).matmul(numpy::ones({3})); }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { eye(2).transpose({0, 0}); }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { eye(2).sum(2); }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { eye(2).matmul(numpy::ones({2, 2, 2})); }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { BCOO::fromdense(numpy::ones({2}), {.n_batch = 1, .n_dense = 1}); }),
            StatusCode::kInvalidArgument);
  EXPECT_THROW(jit([](const Array& x) { return BCOO::fromdense(x); })(numpy::eye(2)), ConcretizationError);
}

}  // namespace
}  // namespace hilo::scipy::sparse
