// SPDX-License-Identifier: Apache-2.0
// hlo/ops/select_and_scatter.h -- the select-and-scatter op: each window over the operand selects one element, and the
// window's source is combined into the result there. The gradient of pooling by maximum.
#pragma once

#include <optional>

#include "hilo/hlo/ir/instruction.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/window.h"

namespace hilo::hlo {

/// Operands: the array, the source (one element a window), the initial value of every result element.
/// `select` says of two elements whether the first, the one chosen so far, stays: ge takes the first of equal ones.
/// `scatter` combines the result's element with the source's. A window that lies in padding as a whole selects nothing.
struct SelectAndScatterAttributes : Attributes {
  Window window;
  ComputationPtr select;
  ComputationPtr scatter;
};

/// The order in which `select` compares its parameters: the first stays if compare(p0, p1) holds. Nothing for other choices.
std::optional<ComparisonDirection> plain_order(const Computation& select);

const OpDef& select_and_scatter_op();

}  // namespace hilo::hlo
