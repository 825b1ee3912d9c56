// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/padded_input.h -- a convolution's input with its padding as elements, so that the rows of a tile
// differ only in where they begin: each term of the sum is at the same distance from there.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "hilo/backend/cpu/runtime/product.h"

namespace hilo::cpu::runtime {

/// Returns how many places of the input the windows reach over in a dimension, padding included.
inline int64_t reach_of(const ConvolutionDimension& d) {
  return (d.count - 1) * d.step + (d.taps - 1) * d.tap_step + 1;
}

/// Whether no window reads padding.
inline bool stays_inside(const ConvolutionProblem& p) {
  return std::ranges::all_of(
      p.dims, [](const ConvolutionDimension& d) { return d.origin >= 0 && d.origin + reach_of(d) <= d.size; });
}

/// Returns the number of elements of the padded copy, which has one group and one batch. 0: windows read the input.
inline int64_t padded_count(const ConvolutionProblem& p) {
  if (stays_inside(p)) return 0;
  return reach_of(p.dims[0]) * reach_of(p.dims[1]) * reach_of(p.dims[2]) * p.inputs.extent;
}

/// Whether windows of several taps share elements, and padding is no large part of them: far dilations and paddings
/// have more places than elements.
inline bool reads_windows(const ConvolutionProblem& p, int64_t least_positions) {
  constexpr double kMaxGrowth = 4, kAlwaysFew = 4096;
  double reach = 1, size = 1;  // of far places, larger than an integer
  for (const ConvolutionDimension& d : p.dims) {
    reach *= static_cast<double>(d.count - 1) * static_cast<double>(d.step) +
             static_cast<double>(d.taps - 1) * static_cast<double>(d.tap_step) + 1;
    size *= static_cast<double>(d.size);
  }
  return p.taps() > 1 && p.positions() >= least_positions && reach <= kMaxGrowth * size + kAlwaysFew;
}

/// The elements that windows read.
template <typename T>
struct PaddedInput {
  const T* first;  ///< of the first position's first tap
  std::array<int64_t, 3> strides;
  int64_t input_stride;

  /// Returns the distance of a tap from a window's first one.
  int64_t distance(const ConvolutionProblem& p, const std::array<int64_t, 3>& tap) const {
    int64_t at = 0;
    for (size_t d = 0; d < 3; ++d) at += tap[d] * p.dims[d].tap_step * strides[d];
    return at;
  }
  /// Returns where the window of a position begins.
  const T* window(const ConvolutionProblem& p, const std::array<int64_t, 3>& position) const {
    int64_t at = 0;
    for (size_t d = 0; d < 3; ++d) at += position[d] * p.dims[d].step * strides[d];
    return first + at;
  }
};

/// Copies the places [low, low + reach) of the innermost dimension, with all inputs.
template <typename T>
void copy_padded_line(const ConvolutionProblem& p, const T* line, bool exists, T* to) {
  const ConvolutionDimension& d = p.dims[2];
  const int64_t reach = reach_of(d), inputs = p.inputs.extent;
  const int64_t begin = exists ? std::clamp<int64_t>(-d.origin, 0, reach) : reach;
  const int64_t end = std::clamp(d.size - d.origin, begin, reach);
  std::fill_n(to, begin * inputs, T());
  for (int64_t z = begin; z < end; ++z) {
    const T* const from = line + (d.origin + z) * d.lhs_stride;
    for (int64_t i = 0; i < inputs; ++i) to[z * inputs + i] = from[i * p.inputs.lhs_stride];
  }
  std::fill_n(to + end * inputs, (reach - end) * inputs, T());
}

/// Returns the input of one group and batch at `lhs`, which is copied into `memory` if padded_count() isn't 0.
template <typename T>
PaddedInput<T> padded_input(const ConvolutionProblem& p, const T* lhs, T* memory) {
  const auto& [x, y, z] = p.dims;
  if (stays_inside(p))
    return {lhs + x.origin * x.lhs_stride + y.origin * y.lhs_stride + z.origin * z.lhs_stride,
            {x.lhs_stride, y.lhs_stride, z.lhs_stride},
            p.inputs.lhs_stride};
  const int64_t line = reach_of(z) * p.inputs.extent;
  T* to = memory;
  for (int64_t i = x.origin; i < x.origin + reach_of(x); ++i) {
    for (int64_t j = y.origin; j < y.origin + reach_of(y); ++j, to += line) {
      const bool exists = i >= 0 && i < x.size && j >= 0 && j < y.size;
      copy_padded_line(p, exists ? lhs + i * x.lhs_stride + j * y.lhs_stride : lhs, exists, to);
    }
  }
  return {memory, {reach_of(y) * line, line, p.inputs.extent}, 1};
}

}  // namespace hilo::cpu::runtime
