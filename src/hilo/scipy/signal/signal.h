// SPDX-License-Identifier: Apache-2.0
// scipy/signal/signal.h -- jax.scipy.signal: convolution, correlation and detrending.
#pragma once

#include "hilo/lax/precision.h"
#include "hilo/numpy/dtypes.h"

namespace hilo::scipy::signal {

struct ConvolveOptions {
  const char* mode = "full";    ///< "full"; "same" (the size of in1); "valid" (positions where one covers the other)
  const char* method = "auto";  ///< "direct", "fft" or "auto"
  lax::PrecisionLike precision = {};
};
/// Convolves two arrays of the same rank. Integers become floats.
/// Errors     INVALID_ARGUMENT for different ranks, and unknown modes and methods
/// Example    convolve(numpy::array({1.0, 2.0, 3.0}), numpy::array({0.0, 1.0, 1.0}))  // [0. 1. 3. 5. 3.]
Array convolve(const Operand& in1, const Operand& in2, const ConvolveOptions& options = {});
/// Correlates two arrays of the same rank. Integers become floats.
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
  const char* boundary = "fill";  ///< only "fill" is implemented
  double fillvalue = 0;           ///< only 0 is implemented
  lax::PrecisionLike precision = {};
};
/// Convolves two matrices.
/// Errors    UNIMPLEMENTED for another boundary
Array convolve2d(const Operand& in1, const Operand& in2, const Convolve2dOptions& options = {});
/// Correlates two matrices.
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
  numpy::Axes axes = std::nullopt;  ///< default all; along other axes, corresponding slices are convolved
};
/// Convolves by Fourier transforms.
Array fftconvolve(const Operand& in1, const Operand& in2, const FftconvolveOptions& options = {});
template <int = 0>
Array fftconvolve(const Operand& in1, const Operand& in2, const char* mode) {
  return fftconvolve(in1, in2, FftconvolveOptions{.mode = mode});
}
struct DetrendOptions {
  int64_t axis = -1;
  const char* type = "linear";  ///< "linear", or "constant" for the mean
  numpy::Axes bp = 0;           ///< break points, at which a new line begins
};
/// Subtracts the least-squares line from `data`, piecewise between break points.
/// Errors    INVALID_ARGUMENT for break points out of bounds
Array detrend(const Operand& data, const DetrendOptions& options = {});

}  // namespace hilo::scipy::signal
