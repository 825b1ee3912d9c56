// SPDX-License-Identifier: Apache-2.0
// hlo/ops/convolution.h -- the convolution op: any layout, groups of features or batches, strides, padding, dilations.
#pragma once

#include "hilo/hlo/ir/instruction.h"
#include "hilo/hlo/ops/window.h"

namespace hilo::hlo {

/// The window has one dimension per spatial dimension; its sizes are the kernel's.
struct ConvolutionAttributes : Attributes {
  Window window;
  ConvolutionDimensions dimensions;
  int64_t feature_group_count = 1, batch_group_count = 1;
  StringList operand_precision;  ///< default, high, highest; stored but not used
};

/// Returns the input's dimension for each dimension of the result.
Int64List input_dimensions(const ConvolutionDimensions& dimensions);

}  // namespace hilo::hlo
