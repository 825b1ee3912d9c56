// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/select_and_gather_add.h -- the extension op select_and_gather_add: each window over the operand selects
// one element, and the result is the tangent at its position. This is the tangent of max pooling; its transpose is
// select-and-scatter.
#pragma once

#include "hilo/hlo/ir/instruction.h"
#include "hilo/hlo/ops/window.h"

namespace hilo::hlo {

/// Operands: tangents, operand (one shape). `select` is that of select-and-scatter. Windows that select nothing give 0.
struct SelectAndGatherAddAttributes : Attributes {
  Window window;
  ComputationPtr select;
};

}  // namespace hilo::hlo
