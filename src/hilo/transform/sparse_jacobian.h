// SPDX-License-Identifier: Apache-2.0
// transform/sparse_jacobian.h -- Jacobians with known zeros: columns (or rows) that share no entry are computed
// together.
#pragma once

#include <source_location>

#include "hilo/transform/jacobian.h"

namespace hilo {

/// The positions at which a matrix may be nonzero.
struct SparsityPattern {
  int64_t rows = 0, columns = 0;
  std::vector<std::pair<int64_t, int64_t>> entries;  ///< (row, column), each once, in the order of the values

  /// Returns the pattern |row - column| <= width: that of a function in which each result depends on neighbours.
  static SparsityPattern banded(int64_t rows, int64_t columns, int64_t width);
};

/// A matrix by its entries. A tree; the positions are part of its structure.
struct SparseMatrix {
  Array data;  ///< one value per entry
  int64_t rows = 0, columns = 0;
  std::vector<int64_t> row_of, column_of;  ///< row and column of each entry
  HILO_TREE(data, rows, columns, row_of, column_of)

  Array todense() const;
};

/// Returns a colour for each column so that columns of one colour share no row. Finds few colours by a greedy search,
/// densest columns first.
/// Source     Curtis, Powell and Reid, "On the estimation of sparse Jacobian matrices" (1974)
std::vector<int64_t> column_colours(const SparsityPattern& pattern);

namespace sparse_detail {
SparseMatrix jacobian(const FlatFunction& f, const Array& x, const SparsityPattern& pattern, jacobian_detail::Mode mode,
                      const std::source_location& location);
template <typename F>
auto jacobian_of(F f, SparsityPattern pattern, jacobian_detail::Mode mode, const std::source_location& location) {
  return [f = std::move(f), pattern = std::move(pattern), mode, location](const Array& x) {
    std::optional<Array> result;
    const std::tuple<Array> arguments(x);
    return sparse_detail::jacobian(flat_call::flat_function(f, arguments, result), x, pattern, mode, location);
  };
}
}  // namespace sparse_detail

/// Returns a function that computes a Jacobian with a known sparsity pattern by one jvp per colour of columns. The
/// function maps a vector to a vector; entries outside of `pattern` must be zero at every point, otherwise values are
/// wrong.
/// Errors     INVALID_ARGUMENT if the pattern doesn't fit argument and result, or an entry is outside of the matrix
/// Cost       one tangent per colour: 2 w + 1 for a band of width w, whatever the size
/// Gradient   as of jacfwd
/// Example    const auto f = [](Array x) { return x * x; };
///            const auto jacobian = sparse_jacfwd(f, SparsityPattern::banded(2, 2, 0));
///            jacobian(numpy::array({1.0f, 2.0f})).todense()  // [[2. 0.] [0. 4.]]
template <typename F>
auto sparse_jacfwd(F f, SparsityPattern pattern, std::source_location location = std::source_location::current()) {
  return sparse_detail::jacobian_of(std::move(f), std::move(pattern), jacobian_detail::Mode::kForward, location);
}

/// Returns a function that computes a Jacobian with a known sparsity pattern by one vjp per colour of rows. For
/// patterns with few entries per column.
template <typename F>
auto sparse_jacrev(F f, SparsityPattern pattern, std::source_location location = std::source_location::current()) {
  return sparse_detail::jacobian_of(std::move(f), std::move(pattern), jacobian_detail::Mode::kReverse, location);
}

/// Returns a function that computes a Jacobian with a known sparsity pattern by sparse_jacfwd or sparse_jacrev,
/// whichever costs less.
/// Errors     as sparse_jacfwd
/// Cost       one tangent per colour of columns, or one cotangent per colour of rows, which counts twice
/// Example    const auto f = [](Array x) { return x * x; };
///            const auto derivative = jacobian(f, SparsityPattern::banded(2, 2, 0));
///            derivative(numpy::array({1.0f, 2.0f})).todense()  // [[2. 0.] [0. 4.]]
template <typename F>
auto jacobian(F f, SparsityPattern pattern, std::source_location location = std::source_location::current()) {
  return sparse_detail::jacobian_of(std::move(f), std::move(pattern), jacobian_detail::Mode::kCheapest, location);
}

}  // namespace hilo
