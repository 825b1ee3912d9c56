// SPDX-License-Identifier: Apache-2.0
// fft/fft.h -- jax.numpy.fft: discrete Fourier transforms.
#pragma once

#include <optional>
#include <vector>

#include "hilo/numpy/dtypes.h"

namespace hilo::fft {

struct FftOptions {
  std::optional<int64_t> n = std::nullopt;  ///< number of elements to transform: crops or pads with zeros; default all
  int64_t axis = -1;
  /// The direction that divides by the number of elements: "backward", "forward", or "ortho" (both, by its square
  /// root).
  const char* norm = "backward";
};
// Each declares fft(x), fft(x, 8) and fft(x, {.axis = 0, .norm = "ortho"}).
#define HILO_FFT(name)                                                                                       \
  Array name(const Operand& a, const FftOptions& options = {});                                              \
  template <int = 0>                                                                                         \
  Array name(const Operand& a, std::optional<int64_t> n, int64_t axis = -1, const char* norm = "backward") { \
    return name(a, FftOptions{.n = n, .axis = axis, .norm = norm});                                          \
  }
/// Computes the discrete Fourier transform along one axis (default the last).
/// Types      real operands become complex; 16-bit floats and integers below 64 bits become f32 first
/// Errors     INVALID_ARGUMENT for an unknown norm, an axis out of bounds, or no elements
/// Example    numpy::fft::fft(numpy::array({1.0, 0.0, 0.0, 0.0}))  // [1.+0.j 1.+0.j 1.+0.j 1.+0.j]
HILO_FFT(fft)
/// Computes the inverse discrete Fourier transform along one axis.
/// Example    ifft(numpy::fft::fft(numpy::array({1.0, 2.0, 3.0}))).real()  // [1. 2. 3.]
HILO_FFT(ifft)
/// Computes the transform of real operands: the first n/2 + 1 elements, which determine the others.
/// Example    rfft(numpy::array({1.0, 2.0, 3.0, 4.0}))  // [10.+0.j -2.+2.j -2.+0.j]
HILO_FFT(rfft)
/// Computes the inverse of rfft: a real array of `n` elements, default 2 (m - 1).
/// Example    irfft(rfft(numpy::array({1.0, 2.0, 3.0, 4.0})))  // [1. 2. 3. 4.]
HILO_FFT(irfft)
HILO_FFT(hfft)   /// Computes the real spectrum of an array with Hermitian symmetry.
HILO_FFT(ihfft)  /// Computes the inverse of hfft.
#undef HILO_FFT

struct FftnOptions {
  numpy::Axes s = std::nullopt;  ///< number of elements along each axis
  /// default: all axes, or the last s.size(); for the functions with 2, the last two axes
  numpy::Axes axes = std::nullopt;
  const char* norm = "backward";
};
#define HILO_FFTN(name)                                                                                              \
  Array name(const Operand& a, const FftnOptions& options = {});                                                     \
  template <int = 0>                                                                                                 \
  Array name(const Operand& a, const std::optional<std::vector<int64_t>>& s, const numpy::Axes& axes = std::nullopt, \
             const char* norm = "backward") {                                                                        \
    return name(a, FftnOptions{.s = s ? numpy::Axes(*s) : numpy::Axes(), .axes = axes, .norm = norm});               \
  }
/// Computes the two-dimensional discrete Fourier transform, by default of the last two axes.
/// Example    fft2(numpy::ones({2, 2}))  // [[4.+0.j 0.+0.j] [0.+0.j 0.+0.j]]
HILO_FFTN(fft2)
/// Computes the two-dimensional inverse discrete Fourier transform.
/// Example    ifft2(fft2(numpy::ones({2, 2}))).real()  // [[1. 1.] [1. 1.]]
HILO_FFTN(ifft2)
/// Computes the two-dimensional transform of real operands.
HILO_FFTN(rfft2)
/// Computes the inverse of rfft2.
HILO_FFTN(irfft2)
/// Computes the discrete Fourier transform along several axes, by default all.
HILO_FFTN(fftn)
/// Computes the inverse discrete Fourier transform along several axes, by default all.
HILO_FFTN(ifftn)
/// Computes the transform of real operands along several axes, by default all.
HILO_FFTN(rfftn)
/// Computes the inverse of rfftn.
HILO_FFTN(irfftn)
#undef HILO_FFTN

struct FrequencyOptions {
  double d = 1.0;  ///< distance between two samples
  numpy::Dtype dtype = std::nullopt;
};
/// Returns the frequencies of the elements of fft.
/// Errors     INVALID_ARGUMENT for n below 1
/// Example    fftfreq(4)  // [ 0. 0.25 -0.5 -0.25]
Array fftfreq(int64_t n, const FrequencyOptions& options = {}, numpy::Line line = numpy::Line::current());
/// Returns the frequencies of the elements of rfft.
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
  numpy::Axes axes = std::nullopt;  ///< default all
};
/// Moves frequency 0 to the middle of the axes.
/// Example    fftshift(fftfreq(4))  // [-0.5 -0.25 0. 0.25]
Array fftshift(const Operand& x, const ShiftOptions& options = {});
/// Moves frequency 0 to the front: the inverse of fftshift.
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
namespace fft = hilo::fft;  // as in jax.numpy
}  // namespace hilo::numpy
