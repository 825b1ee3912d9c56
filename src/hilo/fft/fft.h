// SPDX-License-Identifier: Apache-2.0
// fft/fft.h -- jax.numpy.fft.
#pragma once

#include <optional>
#include <vector>

#include "hilo/numpy/dtypes.h"

namespace hilo::fft {

struct FftOptions {
  std::optional<int64_t> n = std::nullopt;  ///< elements to transform, cropped or padded with zeros; else all
  int64_t axis = -1;
  /// Which direction divides by the number of elements: "backward" the inverse one, "ortho" each by the root, "forward".
  const char* norm = "backward";
};
// One axis: fft(x), fft(x, 8), fft(x, {.axis = 0, .norm = "ortho"}). Real operands become complex; half floats and integers
// of fewer than 64 bits become f32 first.
//   Errors    INVALID_ARGUMENT for an unknown norm, an axis out of bounds, no elements
#define HILO_FFT(name)                                                                                       \
  Array name(const Operand& a, const FftOptions& options = {});                                              \
  template <int = 0>                                                                                         \
  Array name(const Operand& a, std::optional<int64_t> n, int64_t axis = -1, const char* norm = "backward") { \
    return name(a, FftOptions{.n = n, .axis = axis, .norm = norm});                                          \
  }
HILO_FFT(fft)
HILO_FFT(ifft)
HILO_FFT(rfft)   ///< of real operands: n/2 + 1 elements; the others follow from them
HILO_FFT(irfft)  ///< the inverse of rfft, to a real array of `n` elements, by default 2 (m - 1)
HILO_FFT(hfft)   ///< of an array with a real spectrum, to that spectrum
HILO_FFT(ihfft)  ///< its inverse
#undef HILO_FFT

struct FftnOptions {
  numpy::Axes s = std::nullopt;     ///< elements along each of the axes
  numpy::Axes axes = std::nullopt;  ///< by default all (the last two for the functions with 2), or as many as s has
  const char* norm = "backward";
};
// Several axes.
#define HILO_FFTN(name)                                                                                              \
  Array name(const Operand& a, const FftnOptions& options = {});                                                     \
  template <int = 0>                                                                                                 \
  Array name(const Operand& a, const std::optional<std::vector<int64_t>>& s, const numpy::Axes& axes = std::nullopt, \
             const char* norm = "backward") {                                                                        \
    return name(a, FftnOptions{.s = s ? numpy::Axes(*s) : numpy::Axes(), .axes = axes, .norm = norm});               \
  }
HILO_FFTN(fft2)
HILO_FFTN(ifft2)
HILO_FFTN(rfft2)
HILO_FFTN(irfft2)
HILO_FFTN(fftn)
HILO_FFTN(ifftn)
HILO_FFTN(rfftn)
HILO_FFTN(irfftn)
#undef HILO_FFTN

struct FrequencyOptions {
  double d = 1.0;  ///< between two samples
  numpy::Dtype dtype = std::nullopt;
};
/// The frequencies of fft's and rfft's elements. Errors    INVALID_ARGUMENT for n below 1
Array fftfreq(int64_t n, const FrequencyOptions& options = {}, numpy::Line line = numpy::Line::current());
Array rfftfreq(int64_t n, const FrequencyOptions& options = {}, numpy::Line line = numpy::Line::current());
template <Number T>
Array fftfreq(int64_t n, T d, numpy::Dtype dtype = std::nullopt, numpy::Line line = numpy::Line::current()) {
  return fftfreq(n, FrequencyOptions{.d = static_cast<double>(d), .dtype = dtype}, line);
}
template <Number T>
Array rfftfreq(int64_t n, T d, numpy::Dtype dtype = std::nullopt, numpy::Line line = numpy::Line::current()) {
  return rfftfreq(n, FrequencyOptions{.d = static_cast<double>(d), .dtype = dtype}, line);
}
struct ShiftOptions {
  numpy::Named named = numpy::Named();
  numpy::Axes axes = std::nullopt;  ///< by default all
};
/// Frequency 0 in the middle of the axes, and back.
Array fftshift(const Operand& x, const ShiftOptions& options = {});
Array ifftshift(const Operand& x, const ShiftOptions& options = {});
template <int = 0>
Array fftshift(const Operand& x, const numpy::Axes& axes) {
  return fftshift(x, ShiftOptions{.axes = axes});
}
template <int = 0>
Array ifftshift(const Operand& x, const numpy::Axes& axes) {
  return ifftshift(x, ShiftOptions{.axes = axes});
}

}  // namespace hilo::fft

namespace hilo::numpy {
namespace fft = hilo::fft;  // as jax.numpy has it
}  // namespace hilo::numpy
