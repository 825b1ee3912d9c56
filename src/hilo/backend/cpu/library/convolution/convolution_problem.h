// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution_problem.h -- a convolution as strides, without layouts, batch groups and
// input dilation.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "hilo/hlo/ops/convolution.h"

namespace hilo::cpu {

/// One dimension that a window slides along. Tap u of position y reads the input at origin + y * step + u * tap_step,
/// or zero outside of the input. Strides are in elements.
struct ConvolutionDimension {
  int64_t size = 1, count = 1, taps = 1;  ///< of the input, of the result, of the kernel
  int64_t origin = 0, step = 1, tap_step = 1;
  int64_t lhs_stride = 0, rhs_stride = 0, out_stride = 0;
};

/// The indices that a dimension reads are multiples of `pitch`. A position is `step` of them further, a tap `tap_step`.
struct ConvolutionLattice {
  int64_t pitch, step, tap_step;
};
ConvolutionLattice lattice_of(const ConvolutionDimension& dimension);

/// Extent and strides of a dimension that isn't spatial.
struct ConvolutionRole {
  int64_t extent = 1, lhs_stride = 0, rhs_stride = 0, out_stride = 0;
};

/// Computes for every group, batch and output feature the sum over taps and input features. There are three spatial
/// dimensions, the last one innermost. Unused ones have one position and one tap.
struct ConvolutionProblem {
  ConvolutionRole groups, batch, inputs, outputs;
  std::array<ConvolutionDimension, 3> dims;
  int64_t rhs_offset = 0, out_offset = 0;

  int64_t positions() const { return dims[0].count * dims[1].count * dims[2].count; }
  int64_t taps() const { return dims[0].taps * dims[1].taps * dims[2].taps; }
};

/// Returns the number of problems into which a dimension of `count` positions splits a problem.
/// Returns    nullopt for distances beyond 2^40
std::optional<int64_t> convolution_phases(const hlo::WindowDimension& window, int64_t count);

/// Swaps the roles of input and kernel, with the same sums. The input, which has fewer elements than the window, slides
/// over the kernel. The kernel's offset becomes the input's.
/// Returns    nullopt if the kernel is read in steps or backwards
std::optional<ConvolutionProblem> swapped(const ConvolutionProblem& problem);

/// Returns the problems that the convolution consists of; each writes different elements. A dilated input is read by
/// several problems, one for each remainder of the position: only some taps read elements there, at a common stride.
/// Returns    nullopt for more than three spatial dimensions, or distances beyond 2^40
std::optional<std::vector<ConvolutionProblem>> convolution_problems(const hlo::ConvolutionAttributes& attributes,
                                                                    const Shape& lhs, const Shape& rhs,
                                                                    const Shape& out);

}  // namespace hilo::cpu
