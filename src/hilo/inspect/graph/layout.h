// SPDX-License-Identifier: Apache-2.0
// inspect/graph/layout.h -- positions of the boxes of a picture, in layers from the parameters down to the root.
#pragma once

#include "hilo/inspect/graph/scene.h"

namespace hilo::hlo::graph {

/// A position in a grid: `layer` counts from the top, `column` from the left.
struct Place {
  int64_t layer = 0, column = 0;
};
struct Layout {
  std::vector<Place> places;  ///< one per node
  int64_t layers = 0, columns = 0;
};

/// Places each node below all its operands; one without operands right above its first user. Within a layer the order
/// follows the operands' columns.
/// Cost       O(n log n) for the order within layers, else linear
Layout layered_layout(const Sheet& sheet);

}  // namespace hilo::hlo::graph
