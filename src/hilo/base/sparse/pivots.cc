// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/sparse/pivots.h"

#include <algorithm>
#include <numeric>

namespace hilo::sparse_direct {
namespace {

std::span<const int32_t> rows_in(const CostedColumns& entries, int64_t column) {
  return std::span(entries.row).subspan(entries.begin[column], entries.begin[column + 1] - entries.begin[column]);
}

}  // namespace

std::optional<Pivots> diagonal_pivots(const CostedColumns& entries) {
  const auto count = static_cast<int32_t>(entries.begin.size()) - 1;
  Pivots pivots{std::vector<int32_t>(count), std::vector<int32_t>(count, -1)};
  std::iota(pivots.row_of.begin(), pivots.row_of.end(), 0);
  std::vector<bool> has_diagonal(count);
  for (int32_t j = 0; j < count; ++j)
    has_diagonal[j] = std::ranges::find(rows_in(entries, j), j) != rows_in(entries, j).end();
  // Columns without a diagonal choose among the neighbours that have one.
  CostedColumns choices{{0}, {}, {}};
  for (int32_t j = 0; j < count; ++j) {
    for (int64_t e = entries.begin[j]; e < entries.begin[j + 1] && !has_diagonal[j]; ++e) {
      if (!has_diagonal[entries.row[e]]) continue;
      choices.row.push_back(entries.row[e]);
      choices.cost.push_back(entries.cost[e]);
    }
    choices.begin.push_back(std::ssize(choices.row));
  }
  if (choices.row.empty() && std::ranges::all_of(has_diagonal, [](bool has) { return has; })) return pivots;
  const std::vector<int32_t> mates = least_cost_rows(choices);
  for (int32_t j = 0; j < count; ++j) {
    if (has_diagonal[j]) continue;
    if (mates[j] < 0) return std::nullopt;
    pivots.mate[j] = mates[j];
    pivots.mate[mates[j]] = j;
  }
  return pivots;
}

Pivots paired_pivots(const CostedColumns& entries) {
  std::vector<int32_t> rows = least_cost_rows(entries);
  const size_t count = rows.size();
  return {std::move(rows), std::vector<int32_t>(count, -1)};
}

bool has_symmetric_pattern(const CostedColumns& entries) {
  const auto count = static_cast<int32_t>(entries.begin.size()) - 1;
  // Visits the transpose row by row, which has sorted columns, and compares it with the sorted columns of the matrix.
  std::vector<int64_t> next(entries.begin.begin(), entries.begin.end() - 1);
  for (int32_t j = 0; j < count; ++j) {
    for (int32_t i : rows_in(entries, j)) {
      if (next[i] == entries.begin[i + 1] || entries.row[next[i]] != j) return false;
      ++next[i];
    }
  }
  return true;
}

}  // namespace hilo::sparse_direct
