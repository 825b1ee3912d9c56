// SPDX-License-Identifier: Apache-2.0
// base/sparse/components.h -- strongly connected components: the diagonal blocks of a block triangular form.
#pragma once

#include <cstdint>
#include <vector>

namespace hilo::sparse_direct {

/// Returns the component of each vertex of a directed graph, numbered so that an edge never leads to a smaller number.
/// Cost       linear in the number of vertices and edges; no recursion
/// Source     Tarjan, "Depth-first search and linear graph algorithms" (1972)
std::vector<int32_t> strong_components(const std::vector<std::vector<int32_t>>& successors);

}  // namespace hilo::sparse_direct
