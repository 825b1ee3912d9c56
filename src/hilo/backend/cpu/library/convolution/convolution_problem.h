// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution_problem.h -- a convolution as strides, without layouts, batch groups and
// input dilation.
#pragma once

#include <optional>
#include <vector>

#include "hilo/backend/cpu/runtime/product.h"
#include "hilo/hlo/ops/convolution.h"

namespace hilo::cpu {

using runtime::ConvolutionDimension, runtime::ConvolutionProblem, runtime::ConvolutionRole;

/// The indices that a dimension reads are multiples of `pitch`. A position is `step` of them further, a tap `tap_step`.
struct ConvolutionLattice {
  int64_t pitch, step, tap_step;
};
ConvolutionLattice lattice_of(const ConvolutionDimension& dimension);

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
