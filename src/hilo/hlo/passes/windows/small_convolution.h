// SPDX-License-Identifier: Apache-2.0
// hlo/passes/windows/small_convolution.h -- convolutions of few features that fused regions compute: sums of slices.
#pragma once

#include "hilo/hlo/build/expr.h"
#include "hilo/hlo/ops/convolution.h"

namespace hilo::hlo {

/// How a convolution is written as other ops.
enum class SmallConvolution {
  kNone,      ///< not at all
  kSlices,    ///< few groups of one feature, small windows: a sum of slices of the input
  kGradient,  ///< few groups of one feature, few positions: each one a sum over a window. The gradient of the former's
              ///< kernel is such a convolution.
};

/// Returns how a convolution of these shapes can be written. Their type must be one of f32 and f64.
SmallConvolution small_convolution(const ConvolutionAttributes& a, const Shape& input, const Shape& kernel,
                                   const Shape& result);

/// Sums the input's slices, one for each element of the window, times that element of the kernel. The terms are fused
/// multiply-adds if `fused`.
/// Example   f32[1,1,1000] with a kernel of f32[1,1,3]: x[0:998] * k[0] + x[1:999] * k[1] + x[2:1000] * k[2]
Expr sum_of_slices(const ConvolutionAttributes& a, const Shape& result, Expr input, Expr kernel, bool fused);

/// Sums the products of the kernel with the input's slices, one for each position of the result.
/// Example   f32[1,1,1000] with a kernel of f32[1,1,998]: the sums of x[0:998] * k, x[1:999] * k and x[2:1000] * k
Expr sums_at_positions(const ConvolutionAttributes& a, const Shape& result, Expr input, Expr kernel);

}  // namespace hilo::hlo
