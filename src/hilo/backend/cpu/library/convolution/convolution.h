// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution.h -- the parts of the convolution op that know of each other.
#pragma once

#include "hilo/backend/cpu/library/hero.h"
#include "hilo/hlo/ops/convolution.h"

namespace hilo::cpu {

/// A convolution of any rank and of any types.
/// Buffers    input, kernel, result, each row-major
/// Returns    null for windows of millions of taps, for which the kernels would make tables; so do the others
std::unique_ptr<Hero> make_convolution(const hlo::ConvolutionAttributes& attributes, const Shape& lhs, const Shape& rhs,
                                       const Shape& result, Isa isa);

/// One in which the window slides along more dimensions than `kept`, which make_convolution takes at once: for each position
/// in the others, what their taps read is gathered, as features beside the input's own.
std::unique_ptr<Hero> make_gathered_convolution(const hlo::ConvolutionAttributes& attributes, const Shape& lhs,
                                                const Shape& rhs, const Shape& result, std::span<const size_t> kept,
                                                Isa isa);

/// One of types that the kernels don't take: of floats that hold the elements, and for integers the sums too; where none
/// does, of the integers' parts.
std::unique_ptr<Hero> make_converted_convolution(const hlo::ConvolutionAttributes& attributes, const Shape& lhs,
                                                 const Shape& rhs, const Shape& result, Isa isa);

/// One of bytes or of 16 bits, as a product of integers.
/// Returns    null where that doesn't pay: few outputs or terms, groups, a dilated input
std::unique_ptr<Hero> make_integer_convolution(const hlo::ConvolutionAttributes& attributes, const Shape& lhs,
                                               const Shape& rhs, const Shape& result, Isa isa);

}  // namespace hilo::cpu
