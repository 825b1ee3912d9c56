// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/printing.h"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
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

// What NumPy 2.4 prints.
TEST(Printing, ComplexNumbersHaveColumnsOfTheirParts) {
  using C = std::complex<float>;
  EXPECT_EQ(array({C(1, 2), C(3, -1)}).to_string(), "[1.+2.j 3.-1.j]");
  EXPECT_EQ(array({C(1.5, 2), C(-3, 10.25)}).to_string(), "[ 1.5 +2.j   -3. +10.25j]");
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(array({{C(1, 2), C(nan, 1)}, {C(inf, -1), C(0, -inf)}}).to_string(),
            "[[ 1. +2.j nan +1.j]\n [inf -1.j  0.-infj]]");
  EXPECT_EQ(array({C(1e-10f, 1), C(5, 0)}).to_string(), "[1.e-10+1.j 5.e+00+0.j]");
  EXPECT_EQ(array(C(1, 2)).to_string(), "(1+2j)");
  EXPECT_EQ(array(C(0, 2.5)).to_string(), "2.5j");
  EXPECT_EQ(array_repr(array({C(1.5, 2), C(-3, 10.25)})), "Array([ 1.5 +2.j  , -3. +10.25j], dtype=complex64)");
}

TEST(Printing, LinesEndBeforeColumn75) {
  EXPECT_EQ(arange(40).to_string(),
            "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
            " 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39]");
  EXPECT_EQ(array_repr(arange(40)),
            "Array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16,\n"
            "       17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,\n"
            "       34, 35, 36, 37, 38, 39], dtype=int32)");
  EXPECT_EQ(linspace(0, 1, 23).to_string(),
            "[0.         0.04545455 0.09090909 0.13636364 0.18181819 0.22727273\n"
            " 0.27272728 0.3181818  0.36363637 0.4090909  0.45454547 0.5\n"
            " 0.54545456 0.59090906 0.6363636  0.6818182  0.72727275 0.77272725\n"
            " 0.8181818  0.8636364  0.90909094 0.95454544 1.        ]");
  const std::string two = (arange(60).reshape({2, 30}) * 1000).to_string();
  EXPECT_EQ(two.substr(0, 148),
            "[[    0  1000  2000  3000  4000  5000  6000  7000  8000  9000 10000 11000\n"
            "  12000 13000 14000 15000 16000 17000 18000 19000 20000 21000 22000 23000\n"
            "");
}

TEST(Printing, ExponentsAreTheWholeArrays) {
  EXPECT_EQ(array({1e8, 1.0}).to_string(), "[1.e+08 1.e+00]");
  EXPECT_EQ(array({0.001, 10.0}).to_string(), "[1.e-03 1.e+01]");
  EXPECT_EQ(array({123456.789, 0.001}).to_string(), "[1.2345679e+05 1.0000000e-03]");
  EXPECT_EQ(array({999.0, 1.0}).to_string(), "[999.   1.]");
}

TEST(Printing, RefusesNumbersBelowZero) {
  EXPECT_THROW(set_printoptions({.precision = -1}), Error);
  EXPECT_THROW(printoptions({.edgeitems = -1}), Error);
  EXPECT_EQ(get_printoptions().precision, 8);
}

}  // namespace
}  // namespace hilo::numpy
