// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/printing.h"

#include <gtest/gtest.h>

#include <thread>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/jit.h"

namespace hilo::numpy {
namespace {

TEST(Printing, OptionsHoldUntilTheEndOfTheirBlock) {
  const Array x = array({1.23456f, 20.5f});
  {
    const printoptions here({.precision = 2});
    EXPECT_EQ(x.to_string(), "[ 1.23 20.5 ]");
    const printoptions shortened({.threshold = 3, .edgeitems = 1});
    EXPECT_EQ(arange(5).to_string(), "[0 ... 4]");
    EXPECT_EQ(get_printoptions().precision, 2);
  }
  EXPECT_EQ(x.to_string(), "[ 1.23456 20.5    ]");
}

TEST(Printing, OptionsAreOfOneThread) {
  set_printoptions({.precision = 1});
  std::string elsewhere;
  std::thread([&] { elsewhere = array_str(array({0.125f})); }).join();
  EXPECT_EQ(elsewhere, "[0.125]");
  EXPECT_EQ(array_str(array({0.25f, 2.0f})), "[0.2 2. ]");
  set_printoptions({.precision = 8});
}

TEST(Printing, SuppressWritesNoExponents) {
  const Array x = array({1e-10f, 1.0f});
  EXPECT_NE(array_str(x).find('e'), std::string::npos);
  EXPECT_EQ(array_str(x, {.precision = 4, .suppress_small = true}), "[0. 1.]");
}

TEST(Printing, EdgesOfNoItemsLeaveTheDots) {
  const printoptions here({.threshold = 0, .edgeitems = 0});
  EXPECT_EQ(arange(5).to_string(), "[...]");
}

TEST(Printing, ReprNamesTheType) {
  EXPECT_EQ(array_repr(array({1.0f, 2.5f})), "Array([1. , 2.5], dtype=float32)");
  EXPECT_EQ(array_repr(array({{1, 2}, {3, 4}})), "Array([[1, 2],\n       [3, 4]], dtype=int32)");
  EXPECT_EQ(array_repr(zeros({0, 3}, bfloat16)), "Array([], shape=(0, 3), dtype=bfloat16)");
  EXPECT_EQ(array_repr(zeros({0})), "Array([], dtype=float32)");
  EXPECT_EQ(array_repr(array({true, false})), "Array([ True, False], dtype=bool)");
  EXPECT_EQ(array_repr(asarray(2)), "Array(2, dtype=int32, weak_type=True)");
  EXPECT_EQ(array_repr(ones({1}, float8_e5m2)), "Array([1.], dtype=float8_e5m2)");
  std::string traced;
  jit([&](const Array& x) { return traced = array_repr(x), x; })(ones({2}));
  EXPECT_EQ(traced, "Traced<f32[2]>");
}

TEST(Printing, RefusesNumbersBelowZero) {
  EXPECT_THROW(set_printoptions({.precision = -1}), Error);
  EXPECT_THROW(printoptions({.edgeitems = -1}), Error);
  EXPECT_EQ(get_printoptions().precision, 8);
}

}  // namespace
}  // namespace hilo::numpy
