// SPDX-License-Identifier: Apache-2.0
// base/sparse/minimum_degree.h -- an order of elimination with little fill.
#pragma once

#include <cstdint>
#include <vector>

namespace hilo::sparse_direct {

/// The neighbours of each vertex of an undirected graph: symmetric, without loops and duplicates.
using Graph = std::vector<std::vector<int32_t>>;

/// Returns the vertices in an order in which symmetric elimination fills little. Vertices connected to a large part of
/// the graph come last.
/// Cost       close to linear in the number of edges for sparse graphs
/// Source     Amestoy, Davis and Duff, "An approximate minimum degree ordering algorithm" (1996)
std::vector<int32_t> minimum_degree_order(const Graph& graph);

}  // namespace hilo::sparse_direct
