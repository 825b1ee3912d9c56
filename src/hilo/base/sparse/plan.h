// SPDX-License-Identifier: Apache-2.0
// base/sparse/plan.h -- the plan of a sparse factorization: everything that follows from the pattern of a matrix, as
// one list of integers. The front end computes it, and programs pass it to the library as an operand. Plain data only:
// files compiled for other processors include this header.
#pragma once

#include <cstdint>

namespace hilo::sparse_direct {

enum class Kind : int32_t { kLu = 0, kLdl = 1, kCholesky = 2 };

/// Row k and column k of the permuted matrix are row row_order[k] and column column_order[k] of the matrix. Its columns
/// are divided into fronts of consecutive columns. Front f is a dense matrix of its w columns and u = |rows(f)| later
/// ones; it is eliminated after its children. A factor is an array of
///     the scale of each row [size] (LU only)
///     for each front at place[f]: its pivot rows [w, w + u], and for LU its columns below them, transposed [w, u]
///     entries outside of the diagonal blocks, scaled, in the order of off_row
struct Plan {
  int32_t size, entries, fronts, blocks, off_count, rows_count, factor_size, stack_size, largest_front;
  Kind kind;
  const int32_t *row_order, *column_order;          ///< [size]
  const int32_t *entry_row, *entry_column;          ///< [entries]: positions in the matrix
  const int32_t* entry_place;                       ///< [entries]: in the factor; -1: unused
  const int32_t* front_begin;                       ///< [fronts + 1]: the first column
  const int32_t *rows_begin, *rows;                 ///< [fronts + 1], [rows_count]: columns below, ascending
  const int32_t* rows_in_parent;                    ///< [rows_count]: place of a row in the parent's front
  const int32_t *children_begin, *children;         ///< [fronts + 1], [fronts]
  const int32_t *place, *stack_place;               ///< [fronts]: in the factor; of what remains [u, u]
  const int32_t *block_begin, *off_begin;           ///< [blocks + 1]: first front; first entry to the right
  const int32_t *off_row, *off_column, *off_place;  ///< [off_count]: permuted

  int32_t columns_of(int32_t f) const { return front_begin[f + 1] - front_begin[f]; }
  int32_t rows_of(int32_t f) const { return rows_begin[f + 1] - rows_begin[f]; }
};

}  // namespace hilo::sparse_direct
