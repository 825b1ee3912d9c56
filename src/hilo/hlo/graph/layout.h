// SPDX-License-Identifier: Apache-2.0
// hlo/graph/layout.h -- where the boxes of a picture go: layers from the parameters down to the root.
#pragma once

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo::graph {

/// A place in a grid: `layer` counts from the top, `column` from the left.
struct Place {
  int64_t layer = 0, column = 0;
};
struct Layout {
  std::vector<Place> places;  ///< one an instruction
  int64_t layers = 0, columns = 0;
};

/// An instruction stands below all its operands; one without operands stands right above its first user. Within a layer
/// the order follows the operands' columns.
/// Cost    O(n log n) for the order within layers, else linear
Layout layered_layout(const Computation& computation);

}  // namespace hilo::hlo::graph
