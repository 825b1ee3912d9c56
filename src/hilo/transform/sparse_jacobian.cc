// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/sparse_jacobian.h"

#include <algorithm>
#include <numeric>

#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jvp.h"

namespace hilo {
namespace {

SparsityPattern transposed(const SparsityPattern& pattern) {
  SparsityPattern out{pattern.columns, pattern.rows, pattern.entries};
  for (auto& [row, column] : out.entries) std::swap(row, column);
  return out;
}

void check_pattern(const SparsityPattern& pattern) {
  for (const auto& [row, column] : pattern.entries) {
    if (row >= 0 && row < pattern.rows && column >= 0 && column < pattern.columns) continue;
    or_throw(invalid_argument(at_user_line("sparsity pattern") + ": entry (" + std::to_string(row) + ", " +
                              std::to_string(column) + ") is outside of " + std::to_string(pattern.rows) +
                              " rows and " + std::to_string(pattern.columns) + " columns"));
  }
}

Array indices(const std::vector<int64_t>& values) {
  const int64_t count[] = {std::ssize(values)};
  return ops::convert_element_type(ops::constant(Literal::array<int64_t>(count, values)), ElementType::kS32);
}

/// Row c is the sum of the unit vectors of colour c.
Array seeds(const std::vector<int64_t>& colours, int64_t colour_count, ElementType type) {
  const int64_t size = colours.size();
  const Shape shape = Shape::array(ElementType::kS32, {colour_count, size});
  const Array of_row = ops::iota(shape, 0), of_column = ops::broadcast_in_dim(indices(colours), shape, {1});
  return ops::convert_element_type(ops::eq(of_row, of_column), type);
}

/// Returns x[rows[k], columns[k]] of a matrix.
Array elements(const Array& x, const std::vector<int64_t>& rows, const std::vector<int64_t>& columns) {
  const int64_t count = rows.size();
  std::vector<Array> pair;
  for (const auto& list : {rows, columns}) pair.push_back(ops::reshape(indices(list), std::vector<int64_t>{count, 1}));
  hlo::GatherAttributes g;
  g.collapsed_slice_dims = {0, 1};
  g.start_index_map = {0, 1};
  g.index_vector_dim = 1;
  g.slice_sizes = {1, 1};
  g.index_mode = IndexMode::kPromiseInBounds;
  return ops::gather(x, ops::concatenate(pair, 1), g);
}

/// Applies `linear` to all seeds at once, along a leading axis.
Array of_all_seeds(const FlatFunction& linear, const Array& seeds) {
  const BatchDim dims[] = {0};
  const BatchResult out = run_batched(linear, std::span(&seeds, 1), dims, {seeds.shape(0), ""});
  return batch_axis_at(out.results[0], out.dims[0], 0, seeds.shape(0));
}

void check_vector(std::string_view what, const Array& x, int64_t size) {
  if (x.ndim() == 1 && x.shape(0) == size && has_tangent(x.dtype())) return;
  or_throw(invalid_argument(at_user_line("sparse Jacobian") + ": " + std::string(what) + " is " +
                            x.aval_shape().to_string() + ", the pattern wants a vector of " + std::to_string(size) +
                            " floats"));
}

}  // namespace

SparsityPattern SparsityPattern::banded(int64_t rows, int64_t columns, int64_t width) {
  SparsityPattern pattern{rows, columns, {}};
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = std::max<int64_t>(0, row - width); column < std::min(columns, row + width + 1); ++column)
      pattern.entries.emplace_back(row, column);
  }
  return pattern;
}

std::vector<int64_t> column_colours(const SparsityPattern& pattern) {
  check_pattern(pattern);
  std::vector<std::vector<int64_t>> rows_of(pattern.columns);
  for (const auto& [row, column] : pattern.entries) rows_of[column].push_back(row);
  std::vector<size_t> order(rows_of.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](size_t c) { return rows_of[c].size(); });
  std::vector<std::vector<bool>> used;  // for each colour, the rows that its columns use
  std::vector<int64_t> colours(rows_of.size());
  for (const size_t column : order) {
    const auto is_free = [&](const std::vector<bool>& of_colour) {
      return std::ranges::none_of(rows_of[column], [&](int64_t row) { return of_colour[row]; });
    };
    auto place = std::ranges::find_if(used, is_free);
    if (place == used.end()) place = used.insert(used.end(), std::vector<bool>(pattern.rows));
    for (int64_t row : rows_of[column]) (*place)[row] = true;
    colours[column] = place - used.begin();
  }
  return colours;
}

Array SparseMatrix::todense() const {
  hlo::ScatterAttributes s;
  s.inserted_window_dims = {0, 1};
  s.scatter_dims_to_operand_dims = {0, 1};
  s.index_vector_dim = 1;
  s.unique_indices = true;
  s.index_mode = IndexMode::kPromiseInBounds;
  std::vector<Array> pair;
  for (const auto& list : {row_of, column_of})
    pair.push_back(ops::reshape(indices(list), std::vector<int64_t>{data.shape(0), 1}));
  return ops::scatter(ops::full(Shape::array(data.dtype(), {rows, columns}), 0), ops::concatenate(pair, 1), data, s,
                      hlo::Opcode::kAdd);
}

namespace sparse_detail {

/// A colour for each column or row, and their number.
struct Colouring {
  explicit Colouring(const SparsityPattern& pattern)
      : colours(column_colours(pattern)), count(colours.empty() ? 0 : *std::ranges::max_element(colours) + 1) {}
  std::vector<int64_t> colours;
  int64_t count;
};

/// Selects the direction with the cheaper colouring.
bool goes_forward(const FlatFunction& f, const Array& x, const SparsityPattern& pattern) {
  const int64_t columns = Colouring(pattern).count, rows = Colouring(transposed(pattern)).count;
  return jacobian_detail::forward_is_cheaper(f, std::span(&x, 1), [] { return size_t{1}; }, columns, rows);
}

SparseMatrix jacobian(const FlatFunction& f, const Array& x, const SparsityPattern& pattern, jacobian_detail::Mode mode,
                      const std::source_location& location) {
  using jacobian_detail::Mode;
  const TransformationLocation here(location);
  check_vector("the argument", x, pattern.columns);
  const bool forward = mode == Mode::kForward || (mode == Mode::kCheapest && goes_forward(f, x, pattern));
  const Colouring colouring(forward ? pattern : transposed(pattern));
  SparseMatrix out{{}, pattern.rows, pattern.columns, {}, {}};
  std::vector<int64_t> seed_of, place_of;
  for (const auto& [row, column] : pattern.entries) {
    out.row_of.push_back(row);
    out.column_of.push_back(column);
    seed_of.push_back(colouring.colours[forward ? column : row]);
    place_of.push_back(forward ? row : column);
  }
  const auto all_seeds = [&](ElementType type) { return seeds(colouring.colours, colouring.count, type); };
  if (forward) {
    const FlatFunction push = [&](std::span<const Array> direction) {
      const JvpResult result = jvp_flat(f, std::span(&x, 1), std::vector<Tangent>{direction[0]});
      check_vector("the result", result.primals[0], pattern.rows);
      return std::vector<Array>{materialize(result.tangents[0], {result.primals[0].aval_shape(), false})};
    };
    out.data = elements(of_all_seeds(push, all_seeds(x.dtype())), seed_of, place_of);
  } else {
    const auto one = [] { return size_t{1}; };
    const grad_detail::Pullback p = grad_detail::pullback(f, std::span(&x, 1), one);
    check_vector("the result", p.outputs[0], pattern.rows);
    out.data = elements(of_all_seeds(p.pull(), all_seeds(p.outputs[0].dtype())), seed_of, place_of);
  }
  return out;
}

}  // namespace sparse_detail

}  // namespace hilo
