// SPDX-License-Identifier: Apache-2.0
// base/sparse/fronts.h -- the fronts of a multifrontal factorization.
#pragma once

#include "hilo/base/sparse/minimum_degree.h"

namespace hilo::sparse_direct {

/// A dense matrix of the columns to eliminate and the later ones that change.
struct Front {
  std::vector<int32_t> columns, rows;  ///< vertices; from order_fronts on, numbers of the new order, ascending
  int32_t parent = -1;
};

/// Returns the fronts for elimination in this order, children before parents, and changes `order` to the one in which
/// the columns of each front are consecutive. Small fronts and fronts of almost equal structure are merged with their
/// parents: dense operations on some zeros are faster than many small steps. A vertex is always merged with its mate,
/// which must be next to it in the order.
/// Source     Duff and Reid, "The multifrontal solution of indefinite sparse symmetric linear equations" (1983)
std::vector<Front> order_fronts(const Graph& graph, const std::vector<int32_t>& mate, std::vector<int32_t>& order);

}  // namespace hilo::sparse_direct
