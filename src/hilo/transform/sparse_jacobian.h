// SPDX-License-Identifier: Apache-2.0
// transform/sparse_jacobian.h -- Jacobians that are known to be mostly zero: columns (or rows) that share no entry are
// computed together.
#pragma once

#include <source_location>

#include "hilo/transform/flat_call.h"

namespace hilo {

/// Where a matrix may differ from zero.
struct SparsityPattern {
  int64_t rows = 0, columns = 0;
  std::vector<std::pair<int64_t, int64_t>> entries;  ///< (row, column), each once, in the order of the values

  /// |row - column| <= width: what a function of neighbours has.
  static SparsityPattern banded(int64_t rows, int64_t columns, int64_t width);
};

/// A matrix by its entries. A tree, of which the places are part of the structure.
struct SparseMatrix {
  Array data;  ///< one value an entry
  int64_t rows = 0, columns = 0;
  std::vector<int64_t> row_of, column_of;  ///< of each entry
  HILO_TREE(data, rows, columns, row_of, column_of)

  Array todense() const;
};

/// Of each column a number, so that columns of one number share no row: the fewest by a greedy search, densest first.
/// Source    Curtis, Powell and Reid, "On the estimation of sparse Jacobian matrices" (1974)
std::vector<int64_t> column_colours(const SparsityPattern& pattern);

namespace sparse_detail {
SparseMatrix jacobian(const FlatFunction& f, const Array& x, const SparsityPattern& pattern, bool forward,
                      const std::source_location& location);
}  // namespace sparse_detail

/// The Jacobian of a function from a vector to a vector, whose entries outside of `pattern` are zero at every point: one
/// jvp for each colour of columns. Where the pattern is wrong, so are the values.
/// Errors     INVALID_ARGUMENT if the pattern doesn't fit argument and result, or an entry is outside of it
/// Cost       as many tangents as there are colours: for a band of width w they are 2 w + 1, whatever the size
/// Gradient   as of jacfwd
/// Example    sparse_jacfwd(f, SparsityPattern::banded(n, n, 1))(x).todense()
template <typename F>
auto sparse_jacfwd(F f, SparsityPattern pattern, std::source_location location = std::source_location::current()) {
  return [f = std::move(f), pattern = std::move(pattern), location](const Array& x) {
    std::optional<Array> result;
    const std::tuple<Array> arguments(x);
    return sparse_detail::jacobian(flat_call::flat_function(f, arguments, result), x, pattern, true, location);
  };
}

/// The same by one vjp for each colour of rows: for patterns with few entries a column.
template <typename F>
auto sparse_jacrev(F f, SparsityPattern pattern, std::source_location location = std::source_location::current()) {
  return [f = std::move(f), pattern = std::move(pattern), location](const Array& x) {
    std::optional<Array> result;
    const std::tuple<Array> arguments(x);
    return sparse_detail::jacobian(flat_call::flat_function(f, arguments, result), x, pattern, false, location);
  };
}

}  // namespace hilo
