// SPDX-License-Identifier: Apache-2.0
// base/sparse/matching.h -- pairs of rows and columns for the pivots of a sparse matrix.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hilo::sparse_direct {

/// Positions of a square sparse matrix by columns, with a cost each.
struct CostedColumns {
  std::vector<int64_t> begin;  ///< [columns + 1]
  std::vector<int32_t> row;
  std::vector<double> cost;  ///< not negative
};

/// Returns for each column a different row at which it has an entry, with the least sum of costs; -1 for a column that
/// can't have a row. If the matrix has entries at the diagonal of cost 0 only, returns the diagonal.
/// Cost       close to linear in the number of entries for most matrices; n entries at the worst
/// Source     Duff and Koster, "On algorithms for permuting large entries to the diagonal of a sparse matrix" (2001)
std::vector<int32_t> least_cost_rows(const CostedColumns& columns);

}  // namespace hilo::sparse_direct
