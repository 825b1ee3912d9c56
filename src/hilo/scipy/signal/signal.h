// SPDX-License-Identifier: Apache-2.0
// scipy/signal/signal.h -- jax.scipy.signal: convolutions, and trends taken out.
#pragma once

#include "hilo/lax/precision.h"
#include "hilo/numpy/dtypes.h"

namespace hilo::scipy::signal {

struct ConvolveOptions {
  const char* mode = "full";    ///< or same: of in1's size; valid: where one covers the other
  const char* method = "auto";  ///< direct, fft or auto
  lax::PrecisionLike precision = {};
};
/// Of arrays of one rank; integers become floats. Errors    INVALID_ARGUMENT for other ranks, modes and methods
Array convolve(const Operand& in1, const Operand& in2, const ConvolveOptions& options = {});
Array correlate(const Operand& in1, const Operand& in2, const ConvolveOptions& options = {});
template <int = 0>
Array convolve(const Operand& in1, const Operand& in2, const char* mode) {
  return convolve(in1, in2, ConvolveOptions{.mode = mode});
}
template <int = 0>
Array correlate(const Operand& in1, const Operand& in2, const char* mode) {
  return correlate(in1, in2, ConvolveOptions{.mode = mode});
}
struct Convolve2dOptions {
  const char* mode = "full";
  const char* boundary = "fill";  ///< the only one
  double fillvalue = 0;           ///< the only one
  lax::PrecisionLike precision = {};
};
/// Of matrices.
/// Errors    UNIMPLEMENTED for another boundary
Array convolve2d(const Operand& in1, const Operand& in2, const Convolve2dOptions& options = {});
Array correlate2d(const Operand& in1, const Operand& in2, const Convolve2dOptions& options = {});
template <int = 0>
Array convolve2d(const Operand& in1, const Operand& in2, const char* mode) {
  return convolve2d(in1, in2, Convolve2dOptions{.mode = mode});
}
template <int = 0>
Array correlate2d(const Operand& in1, const Operand& in2, const char* mode) {
  return correlate2d(in1, in2, Convolve2dOptions{.mode = mode});
}
struct FftconvolveOptions {
  const char* mode = "full";
  numpy::Axes axes = std::nullopt;  ///< by default all; along others each slice is convolved with its own
};
/// By Fourier transforms.
Array fftconvolve(const Operand& in1, const Operand& in2, const FftconvolveOptions& options = {});
template <int = 0>
Array fftconvolve(const Operand& in1, const Operand& in2, const char* mode) {
  return fftconvolve(in1, in2, FftconvolveOptions{.mode = mode});
}
struct DetrendOptions {
  int64_t axis = -1;
  const char* type = "linear";  ///< or constant: the mean
  numpy::Axes bp = 0;           ///< where one line ends and the next begins
};
/// `data` less the lines nearest to it. Errors    INVALID_ARGUMENT for breakpoints outside of the axis
Array detrend(const Operand& data, const DetrendOptions& options = {});

}  // namespace hilo::scipy::signal
