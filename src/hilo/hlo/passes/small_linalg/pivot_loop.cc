// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/small_linalg/pivot_loop.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ops/control_flow.h"

namespace hilo::hlo::small_linalg {
namespace {

using Pivots = std::vector<int32_t>;

/// Returns the pivots of single exchanges, of all pairs of rows, and of several exchanges in a row.
std::vector<Pivots> samples(int64_t steps, int64_t rows) {
  Pivots none(steps), last(steps, static_cast<int32_t>(rows - 1)), next(steps), far(steps);
  std::iota(none.begin(), none.end(), 0);
  for (int64_t k = 0; k < steps; ++k) {
    next[k] = static_cast<int32_t>(std::min(k + 1, rows - 1));
    far[k] = static_cast<int32_t>(k + (rows - k) / 2);
  }
  std::vector<Pivots> all = {none, last, next, far};
  for (int64_t k = 0; k < steps; ++k) {
    for (int64_t row = k + 1; row < rows; ++row) {
      all.push_back(none);
      all.back()[k] = static_cast<int32_t>(row);
    }
  }
  return all;
}

Pivots permutation_of(const Pivots& pivots, int64_t rows) {
  Pivots order(rows);
  std::iota(order.begin(), order.end(), 0);
  for (size_t k = 0; k < pivots.size(); ++k) std::swap(order[k], order[pivots[k]]);
  return order;
}

bool moves_integers(const Computation& body) {
  return !body.has_effect() && std::ranges::all_of(body.instructions(), [](const Instruction& i) {
    if (i.opcode == Opcode::kCustomCall) return false;
    return i.shape.is_tuple() ||
           (i.shape.is_array() && !is_floating(i.shape.element_type()) && !is_complex(i.shape.element_type()));
  });
}

/// Runs the loop on as many samples as the batch has items. Returns the carry if the permutations are as expected.
std::optional<std::vector<Literal>> run(const Computation& body, const PivotLoop& loop, const Shape& carry,
                                        std::span<const Pivots> all, size_t first) {
  const Shape& pivot_shape = carry.tuple_element(loop.pivots);
  const Shape& order_shape = carry.tuple_element(loop.permutation);
  const int64_t steps = pivot_shape.dimension(pivot_shape.rank() - 1),
                rows = order_shape.dimension(order_shape.rank() - 1);
  const int64_t items = pivot_shape.element_count() / steps;
  const auto pivots_of = [&](int64_t item) { return all[(first + static_cast<size_t>(item)) % all.size()]; };
  Literal pivots(pivot_shape), order(order_shape);
  for (int64_t item = 0; item < items; ++item) {
    std::ranges::copy(pivots_of(item), pivots.data<int32_t>().begin() + item * steps);
    for (int64_t row = 0; row < rows; ++row) order.data<int32_t>()[item * rows + row] = static_cast<int32_t>(row);
  }
  std::vector<Literal> values = loop.initial;
  values[loop.pivots] = pivots;
  values[loop.permutation] = std::move(order);
  Literal state = Literal::tuple(std::move(values));
  for (int64_t step = 0; step < steps; ++step) {
    StatusOr<Literal> next = evaluate(body, {state});
    if (!next.ok()) return std::nullopt;
    state = *std::move(next);
  }
  if (!state.elements()[loop.pivots].identical(pivots)) return std::nullopt;
  const std::span<const int32_t> found = state.elements()[loop.permutation].data<int32_t>();
  for (int64_t item = 0; item < items; ++item) {
    if (!std::ranges::equal(found.subspan(item * rows, rows), permutation_of(pivots_of(item), rows)))
      return std::nullopt;
  }
  return std::vector<Literal>(state.elements().begin(), state.elements().end());
}

}  // namespace

std::optional<std::vector<Literal>> run_pivot_loop(const Computation& body, const PivotLoop& loop) {
  if (!moves_integers(body)) return std::nullopt;
  const Shape carry = body.parameter_shapes()[0];
  const Shape &pivots = carry.tuple_element(loop.pivots), &order = carry.tuple_element(loop.permutation);
  const int64_t steps = pivots.dimension(pivots.rank() - 1);
  const std::vector<Pivots> all = samples(steps, order.dimension(order.rank() - 1));
  std::optional<std::vector<Literal>> result;
  for (size_t first = 0; first < all.size(); first += static_cast<size_t>(pivots.element_count() / steps)) {
    std::optional<std::vector<Literal>> carried = run(body, loop, carry, all, first);
    if (!carried) return std::nullopt;
    for (size_t k = 0; result && k < carried->size(); ++k) {
      const bool is_array = std::cmp_equal(k, loop.pivots) || std::cmp_equal(k, loop.permutation);
      if (!is_array && !(*carried)[k].identical((*result)[k])) return std::nullopt;
    }
    result = std::move(carried);
  }
  return result;
}

}  // namespace hilo::hlo::small_linalg
