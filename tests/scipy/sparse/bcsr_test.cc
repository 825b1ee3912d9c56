// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/sparse/bcsr.h"

#include <gtest/gtest.h>

#include <sstream>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/jit.h"

namespace hilo::scipy::sparse {
namespace {

bool same(const Array& x, const Array& y) { return numpy::array_equal(x, y).item<bool>(); }

Array sample() {
  return numpy::array({{0.0f, 2.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, {3.0f, 0.0f, 4.0f}, {0.0f, 0.0f, 5.0f}});
}

TEST(Bcsr, StoresRowByRow) {
  const BCSR m = BCSR::fromdense(sample());
  EXPECT_TRUE(same(m.data, numpy::array({2.0f, 3.0f, 4.0f, 5.0f})));
  EXPECT_TRUE(same(m.indices, numpy::array({1, 0, 2, 2})));
  EXPECT_TRUE(same(m.indptr, numpy::array({0, 1, 1, 3, 4})));
  EXPECT_TRUE(same(m.todense(), sample()));
  EXPECT_EQ(m.shape(), (numpy::Shape{4, 3}));
}

TEST(Bcsr, ReadsWhatOthersStored) {
  const BCSR m({numpy::array({1.0f, 2.0f, 3.0f, 9.0f}), numpy::array({2, 0, 0, 1}), numpy::array({0, 2, 3})},
               {.shape = {2, 3}});
  EXPECT_TRUE(
      same(m.todense(), numpy::array({{2.0f, 0.0f, 1.0f}, {3.0f, 0.0f, 0.0f}})));  // 9 is after the end of the last row
}

TEST(Bcsr, ProductsAreThoseOfTheDenseMatrices) {
  const BCSR m = BCSR::fromdense(sample(), {.nse = 9});
  const Array x = numpy::arange(6.0f).reshape({3, 2}), y = numpy::arange(8.0f).reshape({2, 4});
  EXPECT_TRUE(same(m.matmul(x), numpy::matmul(sample(), x)));
  EXPECT_TRUE(same(numpy::matmul(m, x(all, 1)), numpy::matmul(sample(), x(all, 1))));
  EXPECT_TRUE(same(numpy::matmul(y, m), numpy::matmul(y, sample())));
  EXPECT_TRUE(same((2 * m).T().todense(), 2 * sample().T()));
  EXPECT_TRUE(same((-m * numpy::arange(3.0f)).todense(), -sample() * numpy::arange(3.0f)));
  EXPECT_TRUE(same(jit([](const BCSR& mat, const Array& v) { return mat.dot(v); })(m, x), numpy::matmul(sample(), x)));
}

TEST(Bcsr, TurnsIntoOtherFormsAndBack) {
  const BCSR m = BCSR::fromdense(sample());
  EXPECT_TRUE(same(BCSR::from_bcoo(m.to_bcoo()).indptr, m.indptr));
  EXPECT_TRUE(same(BCSR::from_bcoo(m.to_bcoo() + m.to_bcoo()).sum_duplicates().todense(), 2 * sample()));
  for (const numpy::Shape& shape : {numpy::Shape{0, 3}, {3, 0}, {1, 1}})
    EXPECT_TRUE(same(BCSR::fromdense(numpy::ones(shape)).todense(), numpy::ones(shape)));
  std::ostringstream text;
  text << m;
  EXPECT_EQ(text.str(), "BCSR(f32[4, 3], nse=4)");
}

TEST(Bcsr, RefusesWhatDoesntFit) {
  const Array data = numpy::ones({2}), columns = numpy::zeros({2}, int32), begins = numpy::array({0, 1, 2});
  EXPECT_THROW(BCSR({data, columns, begins}, {.shape = {3, 3}}), Error);
  EXPECT_THROW(BCSR({data, numpy::zeros({3}, int32), begins}, {.shape = {2, 3}}), Error);
  EXPECT_THROW(BCSR({data, numpy::zeros({2}), begins}, {.shape = {2, 3}}), Error);
  EXPECT_THROW(BCSR::from_bcoo(BCOO::fromdense(numpy::ones({2, 2, 2}))), Error);
}

}  // namespace
}  // namespace hilo::scipy::sparse
