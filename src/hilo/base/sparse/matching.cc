// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/sparse/matching.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace hilo::sparse_direct {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

/// Successive shortest paths. Potentials keep all reduced costs c - u - v at 0 or above; matched entries have 0.
class Matching {
 public:
  explicit Matching(const CostedColumns& columns)
      : columns_(columns),
        count_(static_cast<int32_t>(columns.begin.size()) - 1),
        row_of_(count_, -1),
        column_of_(count_, -1),
        row_potential_(count_, 0),
        column_potential_(count_, 0),
        distance_(count_, kFar),
        from_(count_, -1),
        settled_(count_, false) {}

  std::vector<int32_t> run() {
    match_cheap_entries();
    for (int32_t column = 0; column < count_; ++column) {
      if (row_of_[column] < 0) augment(column);
    }
    return row_of_;
  }

 private:
  int64_t begin(int32_t column) const { return columns_.begin[column]; }
  int64_t end(int32_t column) const { return columns_.begin[column + 1]; }
  double reduced(int64_t entry, int32_t column) const {
    const double cost = columns_.cost[entry] - row_potential_[columns_.row[entry]] - column_potential_[column];
    return std::max(cost, 0.0);  // rounding
  }

  /// Matches each column with a free row of its least cost, the diagonal before others.
  void match_cheap_entries() {
    for (int32_t j = 0; j < count_; ++j) {
      double least = kFar;
      for (int64_t e = begin(j); e < end(j); ++e) least = std::min(least, columns_.cost[e]);
      column_potential_[j] = least == kFar ? 0 : least;
      for (int64_t e = begin(j); e < end(j); ++e) {
        if (columns_.row[e] == j && columns_.cost[e] <= least) match(j, j);
      }
    }
    for (int32_t j = 0; j < count_; ++j) {
      for (int64_t e = begin(j); e < end(j) && row_of_[j] < 0; ++e) {
        if (column_of_[columns_.row[e]] < 0 && columns_.cost[e] <= column_potential_[j]) match(columns_.row[e], j);
      }
    }
  }
  void match(int32_t row, int32_t column) {
    row_of_[column] = row;
    column_of_[row] = column;
  }

  /// Finds the shortest path from `root` to a free row (Dijkstra), and swaps its matched and free entries.
  void augment(int32_t root) {
    using Candidate = std::pair<double, int32_t>;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    std::vector<int32_t> reached, done;
    const auto relax = [&](int32_t column, double base) {
      for (int64_t e = begin(column); e < end(column); ++e) {
        const int32_t row = columns_.row[e];
        const double length = base + reduced(e, column);
        if (settled_[row] || !(length < distance_[row])) continue;
        if (distance_[row] == kFar) reached.push_back(row);
        distance_[row] = length;
        from_[row] = column;
        queue.emplace(length, row);
      }
    };
    relax(root, 0);
    int32_t free = -1;
    while (!queue.empty() && free < 0) {
      const auto [length, row] = queue.top();
      queue.pop();
      if (settled_[row] || length > distance_[row]) continue;
      if (column_of_[row] < 0) {
        free = row;
        break;
      }
      settled_[row] = true;
      done.push_back(row);
      relax(column_of_[row], length);
    }
    if (free >= 0) {
      move_potentials(root, done, distance_[free]);
      swap_path(root, free);
    }
    for (int32_t row : reached) distance_[row] = kFar;
    for (int32_t row : done) settled_[row] = false;
  }

  void move_potentials(int32_t root, const std::vector<int32_t>& done, double length) {
    column_potential_[root] += length;
    for (int32_t row : done) {
      const double slack = length - distance_[row];
      row_potential_[row] -= slack;
      column_potential_[column_of_[row]] += slack;
    }
  }
  void swap_path(int32_t root, int32_t row) {
    for (int32_t column = from_[row];; column = from_[row]) {
      const int32_t previous = row_of_[column];
      match(row, column);
      if (column == root) return;
      row = previous;
    }
  }

  const CostedColumns& columns_;
  int32_t count_;
  std::vector<int32_t> row_of_, column_of_;
  std::vector<double> row_potential_, column_potential_, distance_;
  std::vector<int32_t> from_;
  std::vector<bool> settled_;
};

}  // namespace

std::vector<int32_t> least_cost_rows(const CostedColumns& columns) { return Matching(columns).run(); }

}  // namespace hilo::sparse_direct
