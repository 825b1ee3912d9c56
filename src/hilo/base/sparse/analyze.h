// SPDX-License-Identifier: Apache-2.0
// base/sparse/analyze.h -- what can be known of a sparse factorization before the values: order, fill, memory.
#pragma once

#include <span>
#include <vector>

#include "hilo/base/sparse/plan.h"
#include "hilo/base/status.h"

namespace hilo::sparse_direct {

struct Pattern {
  int64_t size = 0;                      ///< rows, and columns
  std::span<const int32_t> row, column;  ///< of each entry; entries out of bounds are unused, equal ones are summed
};

struct Analysis {
  std::vector<int32_t> plan;  ///< as of write_plan
  int64_t factor_size = 0;    ///< numbers in a factor
  int64_t fill = 0;           ///< nonzero elements of both factors
  int64_t fronts = 0, blocks = 0;
  double operations = 0;  ///< multiplications
};

/// Chooses pairs of rows and columns for the pivots, blocks, an order of elimination and fronts.
///     LU         pivots by least_cost_rows, blocks by strong_components, order by minimum_degree_order
///     others     pivots on the diagonal: the pattern must be symmetric
/// `magnitudes` are absolute values of a typical matrix, one per entry, or empty. LU then prefers large pivots.
/// Errors     INVALID_ARGUMENT if every matrix of the pattern is singular, or a symmetric kind has another pattern;
///            RESOURCE_EXHAUSTED for more than 2^31 numbers in a factor
StatusOr<Analysis> analyze(const Pattern& pattern, Kind kind, std::span<const double> magnitudes = {});

}  // namespace hilo::sparse_direct
