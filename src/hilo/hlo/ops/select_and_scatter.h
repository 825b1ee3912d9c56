// SPDX-License-Identifier: Apache-2.0
// hlo/ops/select_and_scatter.h -- the select-and-scatter op: each window over the operand selects one element, and the
// window's source is combined into the result there. This is the gradient of max pooling.
#pragma once

#include <optional>

#include "hilo/hlo/ir/instruction.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/window.h"

namespace hilo::hlo {

/// Operands: the array, the source (one element per window), the initial value of every result element. `select`
/// compares the element selected so far with another one and returns whether the first stays: ge selects the first of
/// equal ones. `scatter` combines the result's element with the source's. A window that contains only padding selects
/// nothing.
struct SelectAndScatterAttributes : Attributes {
  Window window;
  ComputationPtr select;
  ComputationPtr scatter;
};

/// Returns the direction in which `select` compares its parameters: the first stays if compare(p0, p1) is true. Returns
/// nothing for other bodies.
std::optional<ComparisonDirection> plain_order(const Computation& select);

}  // namespace hilo::hlo
