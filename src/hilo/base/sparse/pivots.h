// SPDX-License-Identifier: Apache-2.0
// base/sparse/pivots.h -- which row each column is paired with for its pivot.
#pragma once

#include <optional>

#include "hilo/base/sparse/matching.h"

namespace hilo::sparse_direct {

/// Column j has its pivot in row row_of[j]. mate[j] is a vertex that is eliminated together with j, so that pivots can
/// be exchanged between the two; -1: none.
struct Pivots {
  std::vector<int32_t> row_of, mate;
};

/// Keeps pivots on the diagonal, and gives each vertex with a zero on the diagonal a mate, a neighbour: the two have a
/// regular block of 2 x 2. Returns nullopt if some vertex finds no mate.
std::optional<Pivots> diagonal_pivots(const CostedColumns& entries);

/// Pairs rows and columns at the least cost.
Pivots paired_pivots(const CostedColumns& entries);

/// Whether for each entry (i, j) of the matrix (j, i) is one too.
bool has_symmetric_pattern(const CostedColumns& entries);

}  // namespace hilo::sparse_direct
