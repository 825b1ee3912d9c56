// SPDX-License-Identifier: Apache-2.0
#include "hilo/fft/fft.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hilo/lax/elementwise.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"

namespace hilo::fft {
namespace {

Array ramp(std::vector<int64_t> shape) {
  int64_t count = 1;
  for (int64_t n : shape) count *= n;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>((i * 7 + i * i) % 13) - 6);
  return Array::from_vector(values, shape);
}

void expect_near(const Array& got, const Array& wanted, float tolerance = 1e-4f) {
  ASSERT_TRUE(std::ranges::equal(got.shape(), wanted.shape())) << got.to_string() << wanted.to_string();
  for (float d : numpy::abs(numpy::subtract(got, wanted)).to_vector<float>()) EXPECT_LT(d, tolerance);
}

TEST(Fft, InversesUndoIt) {
  for (int64_t n : {1, 2, 5, 8, 17, 60, 97, 128}) {
    const Array x = ramp({3, n});
    expect_near(lax::real(ifft(fft(x))), x);
    expect_near(irfft(rfft(x), n), x);
    for (const char* norm : {"ortho", "forward"})
      expect_near(lax::real(ifft(fft(x, {.norm = norm}), {.norm = norm})), x);
  }
}

// Few and many lines, with halves that fill registers and halves that don't.
TEST(Fft, RealLinesHaveTheTransformOfComplexOnesWithoutImaginaryParts) {
  for (int64_t rows : {1, 20}) {
    for (int64_t n : {66, 68, 70, 94, 96, 98, 100, 130, 132, 134}) {
      const Array x = ramp({rows, n}), both = fft(x);
      const Array half = numpy::take(both, numpy::arange(n / 2 + 1), 1);
      expect_near(rfft(x), half, 1e-3f);
      expect_near(irfft(half, n), x);
    }
  }
}

TEST(Fft, AnyAxisAndSeveral) {
  const Array x = ramp({4, 3, 5});
  expect_near(fftn(x), fft(fft(fft(x, {}, 0), {}, 1), {}, 2), 1e-3f);
  expect_near(fft2(x, {}, {0, 2}), fft(fft(x, {}, 0), {}, 2), 1e-3f);
  expect_near(irfftn(rfftn(x), std::vector<int64_t>{4, 3, 5}), x);
  const Array four = ramp({2, 3, 2, 4});
  expect_near(irfftn(rfftn(four)), four);
}

TEST(Fft, CropsAndPads) {
  const Array x = ramp({6});
  expect_near(fft(x, 4), fft(numpy::slice(x, 0, 4)));
  EXPECT_EQ(fft(x, 9).shape(0), 9);
  EXPECT_EQ(rfft(x, 9).shape(0), 5);
}

TEST(Fft, HermitianOnes) {
  const Array x = ramp({7});
  expect_near(hfft(ihfft(x), 7), x);
}

TEST(Fft, FrequenciesAndShifts) {
  expect_near(fftfreq(5), numpy::array({0, 0.2, 0.4, -0.4, -0.2}));
  expect_near(rfftfreq(4, 0.5), numpy::array({0, 0.5, 1}));
  expect_near(fftshift(numpy::array({0.0, 1, 2, 3, 4})), numpy::array({3.0, 4, 0, 1, 2}));
  expect_near(ifftshift(fftshift(ramp({5, 4}))), ramp({5, 4}));
}

TEST(Fft, PowerIsKeptSoItsGradientIsTheSignal) {
  const Array x = ramp({12});
  const auto power = [](Array a) {
    const Array y = fft(a, {.norm = "ortho"});
    return numpy::sum(numpy::square(lax::real(y)) + numpy::square(lax::imag(y)));
  };
  expect_near(grad(power)(x), x * 2.0f);
}

TEST(Fft, WrongArgumentsAreErrors) {
  EXPECT_THROW(fft(ramp({3}), {.norm = "forwards"}), Error);
  EXPECT_THROW(fft2(ramp({3, 3}), {.axes = {0, 1, 1}}), Error);
  EXPECT_THROW(fft(ramp({3}), 0), Error);
  EXPECT_THROW(fft(ramp({3}), {.axis = 1}), Error);
  EXPECT_THROW(rfft(fft(ramp({3}))), Error);
  EXPECT_THROW(fftn(ramp({3, 3}), std::vector<int64_t>{3}, std::vector<int64_t>{0, 1}), Error);
}

}  // namespace
}  // namespace hilo::fft
