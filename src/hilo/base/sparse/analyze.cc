// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/sparse/analyze.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hilo/base/sparse/components.h"
#include "hilo/base/sparse/fronts.h"
#include "hilo/base/sparse/pivots.h"
#include "hilo/base/sparse/read_plan.h"

namespace hilo::sparse_direct {
namespace {

using Indices = std::vector<int32_t>;

/// The entries in bounds by columns, rows ascending, each position once. Good pivots have low costs: with magnitudes,
/// the cost is the logarithm of the column's largest entry over the entry; otherwise 0 on the diagonal and 1 elsewhere.
CostedColumns columns_of(const Pattern& pattern, std::span<const double> magnitudes) {
  const int64_t n = pattern.size;
  std::vector<int64_t> order;
  const auto row = [&](int64_t e) { return pattern.row[e]; };
  const auto column = [&](int64_t e) { return pattern.column[e]; };
  for (int64_t e = 0; e < std::ssize(pattern.row); ++e) {
    if (row(e) >= 0 && row(e) < n && column(e) >= 0 && column(e) < n) order.push_back(e);
  }
  std::ranges::sort(order, {}, [&](int64_t e) { return static_cast<int64_t>(column(e)) * n + row(e); });
  CostedColumns out{std::vector<int64_t>(n + 1, 0), {}, {}};
  int64_t last = -1;
  for (int64_t e : order) {
    const int64_t position = static_cast<int64_t>(column(e)) * n + row(e);
    const double size = magnitudes.empty() ? 1 : magnitudes[e];
    if (position == last) {
      out.cost.back() += size;
      continue;
    }
    if (!(size > 0)) continue;
    last = position;
    out.row.push_back(row(e));
    out.cost.push_back(size);
    ++out.begin[column(e) + 1];
  }
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  for (int64_t j = 0; j < n; ++j) {
    double largest = 0;
    for (int64_t e = out.begin[j]; e < out.begin[j + 1]; ++e) largest = std::max(largest, out.cost[e]);
    for (int64_t e = out.begin[j]; e < out.begin[j + 1]; ++e)
      out.cost[e] = magnitudes.empty() ? (out.row[e] == j ? 0 : 1) : std::log(largest / out.cost[e]);
  }
  return out;
}

/// Calls with(i, j) for each entry; row i and column i of the permuted matrix have the same pivot.
template <typename With>
void each_edge(const CostedColumns& entries, const Indices& column_of, const With& with) {
  for (int32_t j = 0; j + 1 < std::ssize(entries.begin); ++j) {
    for (int64_t e = entries.begin[j]; e < entries.begin[j + 1]; ++e) {
      if (column_of[entries.row[e]] != j) with(column_of[entries.row[e]], j);
    }
  }
}

/// Returns the graph of the diagonal blocks, made symmetric.
Graph graph_of(const CostedColumns& entries, const Indices& column_of, const Indices& block) {
  Graph graph(column_of.size());
  each_edge(entries, column_of, [&](int32_t i, int32_t j) {
    if (block[i] != block[j]) return;
    graph[i].push_back(j);
    graph[j].push_back(i);
  });
  for (Indices& list : graph) {
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
  }
  return graph;
}

/// Orders pairs of mates as one vertex.
Indices order_of(const Graph& graph, const Indices& mate) {
  const auto count = static_cast<int32_t>(graph.size());
  Indices group(count, -1), first;
  for (int32_t v = 0; v < count; ++v) {
    if (group[v] >= 0) continue;
    group[v] = static_cast<int32_t>(first.size());
    if (mate[v] >= 0) group[mate[v]] = group[v];
    first.push_back(v);
  }
  if (std::ssize(first) == count) return minimum_degree_order(graph);
  Graph grouped(first.size());
  for (int32_t v = 0; v < count; ++v) {
    for (int32_t n : graph[v]) {
      if (group[n] != group[v]) grouped[group[v]].push_back(group[n]);
    }
  }
  for (Indices& list : grouped) {
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
  }
  Indices order;
  for (int32_t g : minimum_degree_order(grouped)) {
    order.push_back(first[g]);
    if (mate[first[g]] >= 0) order.push_back(mate[first[g]]);
  }
  return order;
}

/// The lists of a plan while they are computed.
struct Lists {
  Indices row_order, column_order, entry_row, entry_column, entry_place, front_begin{0}, rows_begin{0}, rows,
      rows_in_parent, children_begin, children, place, stack_place, block_begin{0}, off_begin{0}, off_row, off_column,
      off_place;
  int64_t factor_size = 0, stack_size = 0, largest_front = 0;
};

int64_t front_size(const Front& f, Kind kind) {
  const int64_t w = std::ssize(f.columns), u = std::ssize(f.rows);
  return w * (w + u) + (kind == Kind::kLu ? w * u : 0);
}

/// The place of permuted column `k` in a front: its columns first, then its rows.
int32_t place_in(const Front& front, int32_t k) {
  const int32_t first = front.columns.front(), w = static_cast<int32_t>(front.columns.size());
  if (k < first + w) return k - first;
  return w + static_cast<int32_t>(std::ranges::lower_bound(front.rows, k) - front.rows.begin());
}

/// Lists the fronts. What remains of a front is stored on one of two stacks, by the parity of its depth: the remains of
/// its children are on the other one, on top.
void list_fronts(const std::vector<Front>& fronts, Kind kind, Lists& lists) {
  std::vector<Indices> children(fronts.size());
  std::vector<int32_t> depth(fronts.size(), 0);
  for (size_t f = fronts.size(); f-- > 0;) {
    if (fronts[f].parent >= 0) depth[f] = depth[fronts[f].parent] + 1;
  }
  std::vector<int64_t> offset(fronts.size());
  int64_t top[2] = {0, 0}, most[2] = {0, 0};
  for (size_t f = 0; f < fronts.size(); ++f) {
    const Front& front = fronts[f];
    const int64_t u = std::ssize(front.rows);
    const int own = depth[f] & 1;
    if (!children[f].empty()) top[1 - own] = offset[children[f].front()];
    offset[f] = top[own];
    top[own] += u * u;
    most[own] = std::max(most[own], top[own]);
    if (front.parent >= 0) children[front.parent].push_back(static_cast<int32_t>(f));
    lists.front_begin.push_back(lists.front_begin.back() + static_cast<int32_t>(front.columns.size()));
    lists.rows.insert(lists.rows.end(), front.rows.begin(), front.rows.end());
    lists.rows_begin.push_back(static_cast<int32_t>(lists.rows.size()));
    for (int32_t row : front.rows) lists.rows_in_parent.push_back(place_in(fronts[front.parent], row));
    lists.place.push_back(static_cast<int32_t>(std::min<int64_t>(lists.factor_size, INT32_MAX)));
    lists.factor_size += front_size(front, kind);
    lists.largest_front = std::max(lists.largest_front, std::ssize(front.columns) + u);
  }
  lists.stack_size = most[0] + most[1];
  lists.children_begin.push_back(0);
  for (size_t f = 0; f < fronts.size(); ++f) {
    lists.stack_place.push_back(
        static_cast<int32_t>(std::min<int64_t>(offset[f] + (depth[f] & 1) * most[0], INT32_MAX)));
    lists.children.insert(lists.children.end(), children[f].begin(), children[f].end());
    lists.children_begin.push_back(static_cast<int32_t>(lists.children.size()));
  }
  lists.children.resize(fronts.size());
}

/// Lists the fronts of each block.
void list_blocks(const std::vector<Front>& fronts, const Indices& block, const Indices& order, Lists& lists) {
  for (size_t f = 1; f < fronts.size(); ++f) {
    if (block[order[fronts[f].columns[0]]] != block[order[fronts[f - 1].columns[0]]])
      lists.block_begin.push_back(static_cast<int32_t>(f));
  }
  if (!fronts.empty()) lists.block_begin.push_back(static_cast<int32_t>(fronts.size()));
}

/// The positions of vertices after ordering, and what contains them.
struct Places {
  Indices position, front_of, block_of;  ///< of a permuted column, except for `position`
};

/// Assigns a place in the factor to each entry.
void place_entries(const Pattern& pattern, Kind kind, const std::vector<Front>& fronts, const Indices& column_of,
                   const Places& places, Lists& lists) {
  struct Off {
    int32_t row, column;
    int64_t entry;
  };
  std::vector<Off> off;
  lists.entry_place.assign(pattern.row.size(), -1);
  for (size_t e = 0; e < pattern.row.size(); ++e) {
    const int64_t r = pattern.row[e], c = pattern.column[e], n = pattern.size;
    const bool used = r >= 0 && r < n && c >= 0 && c < n;
    lists.entry_row.push_back(used ? static_cast<int32_t>(r) : 0);
    lists.entry_column.push_back(used ? static_cast<int32_t>(c) : 0);
    if (!used) continue;
    const int32_t i = places.position[column_of[r]], j = places.position[c];
    if (places.block_of[i] != places.block_of[j]) {
      off.push_back({i, j, static_cast<int64_t>(e)});
      continue;
    }
    if (kind != Kind::kLu && i > j) continue;
    const int32_t f = places.front_of[std::min(i, j)];
    const Front& front = fronts[f];
    const int64_t w = std::ssize(front.columns), u = std::ssize(front.rows);
    const int64_t p = place_in(front, i), q = place_in(front, j);
    lists.entry_place[e] =
        static_cast<int32_t>(lists.place[f] + (p < w ? p * (w + u) + q : w * (w + u) + q * u + p - w));
  }
  std::ranges::stable_sort(off, {}, &Off::row);
  const auto blocks = static_cast<int32_t>(lists.block_begin.size()) - 1;
  lists.off_begin.assign(blocks + 1, 0);
  for (const Off& o : off) {
    ++lists.off_begin[places.block_of[o.row] + 1];
    lists.off_row.push_back(o.row);
    lists.off_column.push_back(o.column);
    lists.off_place.push_back(static_cast<int32_t>(lists.factor_size));
    lists.entry_place[o.entry] = static_cast<int32_t>(lists.factor_size++);
  }
  std::partial_sum(lists.off_begin.begin(), lists.off_begin.end(), lists.off_begin.begin());
}

Plan plan_of(const Lists& l, Kind kind) {
  const auto count = [](const Indices& list) { return static_cast<int32_t>(list.size()); };
  Plan p{};
  p.size = count(l.row_order);
  p.entries = count(l.entry_row);
  p.fronts = count(l.place);
  p.blocks = count(l.off_begin) - 1;
  p.off_count = count(l.off_row);
  p.rows_count = count(l.rows);
  p.factor_size = static_cast<int32_t>(l.factor_size);
  p.stack_size = static_cast<int32_t>(l.stack_size);
  p.largest_front = static_cast<int32_t>(l.largest_front);
  p.kind = kind;
  p.row_order = l.row_order.data(), p.column_order = l.column_order.data();
  p.entry_row = l.entry_row.data(), p.entry_column = l.entry_column.data(), p.entry_place = l.entry_place.data();
  p.front_begin = l.front_begin.data(), p.rows_begin = l.rows_begin.data(), p.rows = l.rows.data();
  p.rows_in_parent = l.rows_in_parent.data();
  p.children_begin = l.children_begin.data(), p.children = l.children.data();
  p.place = l.place.data(), p.stack_place = l.stack_place.data();
  p.block_begin = l.block_begin.data(), p.off_begin = l.off_begin.data();
  p.off_row = l.off_row.data(), p.off_column = l.off_column.data(), p.off_place = l.off_place.data();
  return p;
}

StatusOr<Pivots> choose_pivots(const CostedColumns& entries, Kind kind, bool by_size) {
  const bool symmetric = has_symmetric_pattern(entries);
  if (kind != Kind::kLu && !symmetric)
    return invalid_argument("the pattern is not symmetric. Hint: store both triangles");
  if (symmetric && (kind != Kind::kLu || !by_size)) {
    std::optional<Pivots> pivots = diagonal_pivots(entries);
    const auto has_mate = [](int32_t mate) { return mate >= 0; };
    const bool suits = pivots && (kind != Kind::kCholesky || std::ranges::none_of(pivots->mate, has_mate));
    if (suits) return *std::move(pivots);
  }
  if (kind == Kind::kLu) {
    Pivots pivots = paired_pivots(entries);
    const auto missing = std::ranges::find(pivots.row_of, -1);
    if (missing == pivots.row_of.end()) return pivots;
    return invalid_argument(
        fmt::format("the matrix is structurally singular: whatever the values, column {} depends on others",
                    missing - pivots.row_of.begin()));
  }
  if (kind == Kind::kCholesky)
    return invalid_argument("the matrix has zeros on its diagonal, and is not positive definite");
  return invalid_argument("rows with a zero on the diagonal lack neighbours with another diagonal. Hint: use LU");
}

/// Numbers the blocks of a list with an entry per vertex in the order of elimination.
Places places_of(const std::vector<Front>& fronts, const Indices& order, const Lists& lists) {
  Places places{Indices(order.size()), Indices(order.size()), Indices(order.size())};
  for (size_t k = 0; k < order.size(); ++k) places.position[order[k]] = static_cast<int32_t>(k);
  for (int32_t b = 0; b + 1 < std::ssize(lists.block_begin); ++b) {
    for (int32_t f = lists.block_begin[b]; f < lists.block_begin[b + 1]; ++f) {
      for (int32_t k : fronts[f].columns) {
        places.front_of[k] = f;
        places.block_of[k] = b;
      }
    }
  }
  return places;
}

void count_work(const std::vector<Front>& fronts, Kind kind, Analysis& out) {
  const int64_t sides = kind == Kind::kLu ? 2 : 1;
  for (const Front& front : fronts) {
    const int64_t w = std::ssize(front.columns), u = std::ssize(front.rows);
    out.fill += (kind == Kind::kLu ? w * w : w * (w + 1) / 2) + sides * w * u;
    for (int64_t k = 0; k < w; ++k) {
      const auto rest = static_cast<double>(w - k - 1 + u);
      out.operations += rest * rest * (kind == Kind::kLu ? 1 : 0.5);
    }
  }
}

}  // namespace

StatusOr<Analysis> analyze(const Pattern& pattern, Kind kind, std::span<const double> magnitudes) {
  const CostedColumns entries = columns_of(pattern, magnitudes);
  HILO_ASSIGN_OR_RETURN(const Pivots pivots, choose_pivots(entries, kind, !magnitudes.empty()));
  Indices column_of(pattern.size), block(pattern.size, 0);
  for (int64_t j = 0; j < pattern.size; ++j) column_of[pivots.row_of[j]] = static_cast<int32_t>(j);
  std::vector<Indices> successors(pattern.size);
  each_edge(entries, column_of, [&](int32_t i, int32_t j) { successors[i].push_back(j); });
  block = strong_components(successors);
  const Graph graph = graph_of(entries, column_of, block);
  Indices order = order_of(graph, pivots.mate);
  std::ranges::stable_sort(order, {}, [&](int32_t v) { return block[v]; });
  const std::vector<Front> fronts = order_fronts(graph, pivots.mate, order);

  Lists lists;
  lists.factor_size = kind == Kind::kLu ? pattern.size : 0;
  list_fronts(fronts, kind, lists);
  list_blocks(fronts, block, order, lists);
  constexpr int64_t kMost = INT32_MAX;
  if (lists.factor_size + std::ssize(pattern.row) > kMost || lists.stack_size > kMost)
    return resource_exhausted("the factors of the sparse matrix have more than 2^31 elements");
  place_entries(pattern, kind, fronts, column_of, places_of(fronts, order, lists), lists);
  for (int32_t v : order) {
    lists.row_order.push_back(pivots.row_of[v]);
    lists.column_order.push_back(v);
  }
  Analysis out;
  out.plan = write_plan(plan_of(lists, kind));
  out.factor_size = lists.factor_size;
  out.fronts = std::ssize(fronts);
  out.blocks = std::ssize(lists.off_begin) - 1;
  count_work(fronts, kind, out);
  return out;
}

}  // namespace hilo::sparse_direct
