// SPDX-License-Identifier: Apache-2.0
// Comparisons with JAX's values are in tests/scipy/golden.inc.
#include "hilo/scipy/signal/spectral.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/lax/elementwise.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo::scipy::signal {
namespace {

float greatest(const Array& x) { return numpy::max(numpy::abs(x)).item<float>(); }
Array noise(const Dimensions& shape) { return random::normal(random::key(1), shape); }

TEST(Stft, IstftIsItsInverse) {
  for (int64_t nperseg : {5, 8, 16}) {
    for (int64_t noverlap : {nperseg / 2, nperseg - 1}) {
      const Array x = noise({3, 61});
      const Array z = stft(x, {.nperseg = nperseg, .noverlap = noverlap}).Zxx;
      const Array back = istft(z, {.nperseg = nperseg, .noverlap = noverlap}).x;
      EXPECT_LT(greatest(back(all, range(0, 61)) - x), 1e-5) << nperseg << " " << noverlap;
    }
  }
  const Array z = lax::complex(noise({40}), noise({40}));
  const Array spectra = stft(z, {.nperseg = 8}).Zxx;
  EXPECT_EQ(spectra.shape(0), 8);  // complex signals have all frequencies
  EXPECT_LT(greatest(istft(spectra, {.nperseg = 8, .input_onesided = false}).x[range(0, 40)] - z), 1e-5);
}

TEST(Stft, PutsFrequenciesWhereTimeWas) {
  const auto [f, t, z] = stft(noise({2, 30, 3}), {.fs = 10.0, .nperseg = 6, .axis = 1});
  EXPECT_EQ(f.shape(0), 4);
  EXPECT_EQ(Dimensions(z.shape()), (Dimensions{2, 4, 3, t.shape(0)}));
  EXPECT_FLOAT_EQ(f[-1].item<float>(), 5);
  EXPECT_EQ(t[0].item<float>(), 0);
  const auto back = istft(z, {.fs = 10.0, .nperseg = 6, .time_axis = -1, .freq_axis = 1});
  EXPECT_EQ(Dimensions(back.x.shape()), (Dimensions{2, 3, 30}));
}

TEST(Welch, DensitySumsToTheVariance) {
  const Array x = noise({4096});
  const auto [f, p] = welch(x, {.fs = 50.0, .nperseg = 64, .detrend = false});
  const float width = 50.0f / 64;
  EXPECT_NEAR(numpy::sum(p).item<float>() * width, numpy::mean(numpy::square(x)).item<float>(), 0.05);
}

TEST(Welch, FindsTheFrequencyOfASine) {
  const Array t = numpy::arange(512.0f) / 128.0f;
  const auto [f, p] = welch(numpy::sin(2 * M_PI * 20.0 * t), {.fs = 128.0, .nperseg = 128, .scaling = "spectrum"});
  EXPECT_EQ(f[numpy::argmax(p)].item<float>(), 20);
  EXPECT_NEAR(numpy::max(p).item<float>(), 0.5, 1e-3);  // the mean square of a sine
}

TEST(Csd, OfASignalWithItselfIsItsDensity) {
  const Array x = noise({100});
  const Array cross = csd(x, x, {.nperseg = 20}).Pxx, own = welch(x, {.nperseg = 20}).Pxx;
  EXPECT_EQ(cross.dtype(), ElementType::kC64);
  EXPECT_EQ(own.dtype(), ElementType::kF32);
  EXPECT_LT(greatest(cross - own), 1e-6);
}

TEST(Csd, BroadcastsOtherAxesAndPadsTheShorterSignal) {
  EXPECT_EQ(Dimensions(csd(noise({3, 1, 40}), noise({5, 32}).reshape(1, 5, 32), {.nperseg = 8}).Pxx.shape()),
            (Dimensions{3, 5, 5}));
  EXPECT_THROW((void)csd(noise({40}), noise({2, 40})), Error);
  EXPECT_THROW((void)csd(noise({3, 40}), noise({2, 40})), Error);
}

TEST(Spectra, TypesFollowTheSignal) {
  EXPECT_EQ(welch(numpy::arange(32)).Pxx.dtype(), ElementType::kF32);
  EXPECT_EQ(welch(noise({32}).astype(numpy::bfloat16)).f.dtype(), ElementType::kF32);
  EXPECT_EQ(stft(noise({32}).astype(numpy::float16), {.nperseg = 8}).Zxx.dtype(), ElementType::kC64);
}

TEST(Spectra, EmptySignalsGiveEmptySpectra) {
  EXPECT_EQ(stft(numpy::zeros({0})).Zxx.size(), 0);
  EXPECT_EQ(welch(numpy::zeros({2, 0})).Pxx.size(), 0);
  EXPECT_EQ(csd(numpy::zeros({0}), numpy::zeros({4})).Pxx.dtype(), ElementType::kC64);
}

TEST(Spectra, TracedDifferentiatedAndBatched) {
  const Array x = noise({4, 48});
  const auto energy = [](const Array& row) {
    return numpy::sum(numpy::square(numpy::abs(stft(row, {.nperseg = 8, .boundary = none, .padded = false}).Zxx)));
  };
  const Array each = vmap(energy)(x);
  for (int64_t i = 0; i < 4; ++i) EXPECT_NEAR(each[i].item<float>(), energy(x[i]).item<float>(), 1e-4);
  const Array gradient = jit(grad(energy))(x[0]);
  // Euler's theorem for degree 2
  EXPECT_NEAR(numpy::sum(gradient * x[0]).item<float>(), 2 * energy(x[0]).item<float>(), 1e-3);
}

TEST(Spectra, DetrendMayBeAFunction) {
  const auto nothing = [](const Array& segments) { return numpy::zeros_like(segments); };
  EXPECT_EQ(greatest(welch(noise({32}), {.nperseg = 8, .detrend = nothing}).Pxx), 0);
}

TEST(Spectra, RefuseWhatCannotBe) {
  const Array x = noise({20});
  EXPECT_THROW((void)stft(x, {.nperseg = 8, .noverlap = 8}), Error);
  EXPECT_THROW((void)stft(x, {.nperseg = 8, .nfft = 4}), Error);
  EXPECT_THROW((void)stft(x, {.nperseg = 0}), Error);
  EXPECT_THROW((void)stft(x, {.nperseg = 8, .boundary = "mirror"}), Error);
  EXPECT_THROW((void)stft(numpy::ones({3}), {.window = numpy::ones({8}), .nperseg = none}), Error);
  EXPECT_THROW((void)stft(x, {.nperseg = 8, .detrend = true}), Error);
  EXPECT_THROW((void)stft(x, {.axis = 1}), Error);
  EXPECT_THROW((void)welch(x, {.scaling = "power"}), Error);
  EXPECT_THROW((void)welch(x, {.nperseg = 4, .average = "mode"}), Error);
  EXPECT_THROW((void)istft(x), Error);
  EXPECT_THROW((void)istft(noise({5, 4}), {.time_axis = 0, .freq_axis = 0}), Error);
}

}  // namespace
}  // namespace hilo::scipy::signal
