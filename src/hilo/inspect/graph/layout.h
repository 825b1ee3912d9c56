// SPDX-License-Identifier: Apache-2.0
// inspect/graph/layout.h -- where the boxes of a picture go: layers from the parameters down to the root.
#pragma once

#include "hilo/inspect/graph/scene.h"

namespace hilo::hlo::graph {

/// A place in a grid: `layer` counts from the top, `column` from the left.
struct Place {
  int64_t layer = 0, column = 0;
};
struct Layout {
  std::vector<Place> places;  ///< one a node
  int64_t layers = 0, columns = 0;
};

/// A node stands below all its operands; one without operands stands right above its first user. Within a layer the
/// order follows the operands' columns.
/// Cost    O(n log n) for the order within layers, else linear
Layout layered_layout(const Sheet& sheet);

}  // namespace hilo::hlo::graph
