// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/batch_norm.h -- XLA's batch-norm-training, -inference and -grad. Like extension ops they are defined by
// decompositions, so they are in this folder.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// Attributes of the three ops:
///   training(operand, scale, offset) -> (output, mean, variance)
///   inference(operand, scale, offset, mean, variance) -> output
///   grad(operand, scale, mean, variance, grad_output) -> (grad_operand, grad_scale, grad_offset)
///
/// All but operand, output and their gradients have one element per feature: an index of dimension `feature_index`.
struct BatchNormAttributes : Attributes {
  double epsilon = 0;
  int64_t feature_index = 0;
};

}  // namespace hilo::hlo
