// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/sparse/fronts.h"

#include <algorithm>
#include <numeric>

namespace hilo::sparse_direct {
namespace {

using Indices = std::vector<int32_t>;

/// Fronts while they are merged. Columns and rows are positions in the order of elimination; front j has its last
/// column at position j.
class Merging {
 public:
  Merging(const Graph& graph, const Indices& mate, const Indices& order)
      : count_(static_cast<int32_t>(order.size())),
        fronts_(order.size()),
        children_(order.size()),
        zeros_(order.size(), 0),
        mark_(order.size(), -1) {
    Indices position(order.size());
    for (int32_t k = 0; k < count_; ++k) position[order[k]] = k;
    for (int32_t j = 0; j < count_; ++j) {
      const int32_t mate_position = mate[order[j]] < 0 ? -1 : position[mate[order[j]]];
      find_rows(j, graph[order[j]], position);
      merge_children(j, mate_position);
      if (!fronts_[j].rows.empty()) children_[fronts_[j].rows[0]].push_back(j);
    }
  }

  /// Returns the fronts, children first, with columns and rows in the new order.
  std::vector<Front> ordered(Indices& order) {
    const Indices sequence = children_first();
    Indices new_position(count_), new_order;
    for (int32_t f : sequence) {
      for (int32_t column : fronts_[f].columns) {
        new_position[column] = static_cast<int32_t>(new_order.size());
        new_order.push_back(order[column]);
      }
    }
    Indices number(count_, -1);
    std::vector<Front> out;
    for (int32_t f : sequence) {
      for (int32_t& column : fronts_[f].columns) {
        number[column] = static_cast<int32_t>(out.size());
        column = new_position[column];
      }
      for (int32_t& row : fronts_[f].rows) row = new_position[row];
      std::ranges::sort(fronts_[f].rows);
      out.push_back(std::move(fronts_[f]));
    }
    order = std::move(new_order);
    Indices front_of(count_);
    for (size_t f = 0; f < out.size(); ++f) {
      for (int32_t column : out[f].columns) front_of[column] = static_cast<int32_t>(f);
    }
    for (Front& front : out) front.parent = front.rows.empty() ? -1 : front_of[front.rows[0]];
    return out;
  }

 private:
  /// The rows of column j: its later neighbours, and the rows of its children.
  void find_rows(int32_t j, const Indices& neighbours, const Indices& position) {
    Front& front = fronts_[j];
    front.columns = {j};
    mark_[j] = j;
    const auto add = [&](int32_t row) {
      if (row <= j || mark_[row] == j) return;
      mark_[row] = j;
      front.rows.push_back(row);
    };
    for (int32_t v : neighbours) add(position[v]);
    for (int32_t child : children_[j]) {
      for (int32_t row : fronts_[child].rows) add(row);
    }
    std::ranges::sort(front.rows);
  }

  void merge_children(int32_t j, int32_t mate) {
    Indices& children = children_[j];
    std::ranges::stable_sort(children, std::ranges::greater(), [&](int32_t c) { return fronts_[c].rows.size(); });
    Indices kept;
    for (int32_t child : children) {
      const Indices& columns = fronts_[child].columns;
      const bool has_mate = mate >= 0 && std::ranges::find(columns, mate) != columns.end();
      if (!merge_if_small(j, child, has_mate)) kept.push_back(child);
    }
    children = std::move(kept);
    for (int32_t grandchild : adopted_) children.push_back(grandchild);
    adopted_.clear();
  }

  bool merge_if_small(int32_t j, int32_t child, bool always) {
    Front &front = fronts_[j], &own = fronts_[child];
    const int64_t w = std::ssize(own.columns), parent_w = std::ssize(front.columns), u = std::ssize(front.rows);
    const int64_t added = w * (parent_w + u - std::ssize(own.rows)), zeros = zeros_[j] + zeros_[child] + added;
    const int64_t width = w + parent_w, size = width * (width + 1) / 2 + width * u;
    const double share = static_cast<double>(zeros) / static_cast<double>(size);
    const bool merges = always || added == 0 || width <= kSmall || (width <= kMedium && share < 0.25) ||
                        (width <= kLarge && share < 0.1) || share < 0.05;
    if (!merges) return false;
    own.columns.insert(own.columns.end(), front.columns.begin(), front.columns.end());
    front.columns = std::move(own.columns);
    zeros_[j] = zeros;
    adopted_.insert(adopted_.end(), children_[child].begin(), children_[child].end());
    own = {};
    return true;
  }

  /// A depth-first walk without recursion.
  Indices children_first() const {
    Indices sequence, pending;
    for (int32_t j = count_ - 1; j >= 0; --j) {
      if (!fronts_[j].columns.empty() && fronts_[j].rows.empty()) pending.push_back(j);
    }
    // A walk from parents to children in reverse, so that each subtree is consecutive.
    std::ranges::reverse(pending);
    while (!pending.empty()) {
      const int32_t f = pending.back();
      pending.pop_back();
      sequence.push_back(f);
      pending.insert(pending.end(), children_[f].begin(), children_[f].end());
    }
    std::ranges::reverse(sequence);
    return sequence;
  }

  static constexpr int64_t kSmall = 4, kMedium = 16, kLarge = 48;

  int32_t count_;
  std::vector<Front> fronts_;
  std::vector<Indices> children_;
  std::vector<int64_t> zeros_;
  Indices mark_, adopted_;
};

}  // namespace

std::vector<Front> order_fronts(const Graph& graph, const std::vector<int32_t>& mate, std::vector<int32_t>& order) {
  return Merging(graph, mate, order).ordered(order);
}

}  // namespace hilo::sparse_direct
