// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution.h -- functions that create the library calls of convolutions.
#pragma once

#include "hilo/backend/cpu/library/hero.h"
#include "hilo/hlo/ops/convolution.h"

namespace hilo::cpu {

/// Creates a convolution of any rank and of any types.
/// Buffers    input, kernel, result, each row-major
/// Returns    null for windows of millions of taps, which would need large tables; so do the others
std::unique_ptr<Hero> make_convolution(const hlo::ConvolutionAttributes& attributes, const Shape& lhs, const Shape& rhs,
                                       const Shape& result, Isa isa);

/// Creates a convolution whose window slides along more dimensions than `spatial`, which make_convolution supports. For
/// each position in the other dimensions, the elements that their taps read are gathered as additional features.
std::unique_ptr<Hero> make_gathered_convolution(const hlo::ConvolutionAttributes& attributes, const Shape& lhs,
                                                const Shape& rhs, const Shape& result, std::span<const size_t> spatial,
                                                Isa isa);

/// Creates a convolution of types without kernels. It computes in floats that hold the elements, and for integers the
/// sums too; if no float holds them, it splits the integers into parts.
std::unique_ptr<Hero> make_converted_convolution(const hlo::ConvolutionAttributes& attributes, const Shape& lhs,
                                                 const Shape& rhs, const Shape& result, Isa isa);

/// Creates a convolution of integers of 8 or 16 bits, as a product of integers.
/// Returns    null if that doesn't pay off: few outputs or terms, groups, a dilated input
std::unique_ptr<Hero> make_integer_convolution(const hlo::ConvolutionAttributes& attributes, const Shape& lhs,
                                               const Shape& rhs, const Shape& result, Isa isa);

}  // namespace hilo::cpu
