// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/lax/elementwise.h"
#include "hilo/lax/fft.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

const Array& x() {
  static const Array four = numpy::array({1.0f, 2.0f, 4.0f, 8.0f});
  return four;
}

TEST(FftRules, TheTransposeOfRfftTakesBothPartsBack) {
  const auto real = [](const Array& v) { return numpy::real(lax::fft(v, "rfft", {4}))(1); };
  const auto imag = [](const Array& v) { return numpy::imag(lax::fft(v, "rfft", {4}))(1); };
  const auto last = [](const Array& v) { return numpy::real(lax::fft(v, "rfft", {4}))(2); };
  EXPECT_EQ(grad(real)(x()).to_vector<float>(), (Floats{1, 0, -1, 0}));
  EXPECT_EQ(grad(imag)(x()).to_vector<float>(), (Floats{0, -1, 0, 1}));
  EXPECT_EQ(grad(last)(x()).to_vector<float>(), (Floats{1, -1, 1, -1}));
}

TEST(FftRules, TheTransposeOfIrfftCountsTheInnerOnesTwice) {
  const auto first = [](const Array& re) { return lax::fft(lax::complex(re, numpy::zeros_like(re)), "irfft", {4})(0); };
  EXPECT_EQ(grad(first)(numpy::ones({3})).to_vector<float>(), (Floats{0.25f, 0.5f, 0.25f}));
}

TEST(FftRules, TangentsAreTransformed) {
  const auto f = [](const Array& v) { return numpy::real(lax::fft(v, "rfft", {4})); };
  const Array tangent = jvp(f, std::tuple(x()), std::tuple(numpy::array({1.0f, 0.0f, 0.0f, 0.0f}))).second;
  EXPECT_EQ(tangent.to_vector<float>(), (Floats{1, 1, 1}));
}

TEST(FftRules, BatchesInFrontOrBehind) {
  const auto f = [](const Array& v) { return numpy::real(lax::fft(v, "rfft", {2})); };
  const Array rows = numpy::array({{1.0f, 2.0f}, {5.0f, 3.0f}, {0.0f, 4.0f}});
  EXPECT_EQ(vmap(f)(rows).to_vector<float>(), (Floats{3, -1, 8, 2, 4, -4}));
  EXPECT_EQ(vmap(f, {1})(numpy::transpose(rows)).to_vector<float>(), (Floats{3, -1, 8, 2, 4, -4}));
}

}  // namespace
}  // namespace hilo
