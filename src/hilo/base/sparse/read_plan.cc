// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/sparse/read_plan.h"

#include <algorithm>
#include <functional>

namespace hilo::sparse_direct {
namespace {

constexpr int32_t kVersion = 1;

/// Calls with(field) for each number of the header.
template <typename P, typename With>
void each_number(P& plan, const With& with) {
  with(plan.size);
  with(plan.entries);
  with(plan.fronts);
  with(plan.blocks);
  with(plan.off_count);
  with(plan.rows_count);
  with(plan.factor_size);
  with(plan.stack_size);
  with(plan.largest_front);
}

/// Calls with(list, length) for each list.
template <typename P, typename With>
void each_list(P& p, const With& with) {
  with(p.row_order, p.size);
  with(p.column_order, p.size);
  with(p.entry_row, p.entries);
  with(p.entry_column, p.entries);
  with(p.entry_place, p.entries);
  with(p.front_begin, p.fronts + 1);
  with(p.rows_begin, p.fronts + 1);
  with(p.rows, p.rows_count);
  with(p.rows_in_parent, p.rows_count);
  with(p.children_begin, p.fronts + 1);
  with(p.children, p.fronts);
  with(p.place, p.fronts);
  with(p.stack_place, p.fronts);
  with(p.block_begin, p.blocks + 1);
  with(p.off_begin, p.blocks + 1);
  with(p.off_row, p.off_count);
  with(p.off_column, p.off_count);
  with(p.off_place, p.off_count);
}

/// Whether all values + shift are in [0, limit). One comparison each, so that the loop is vectorized.
bool all_below(const int32_t* list, int64_t count, int64_t limit, uint32_t shift = 0) {
  uint32_t most = 0;
  for (int64_t i = 0; i < count; ++i) most = std::max(most, static_cast<uint32_t>(list[i]) + shift);
  return count == 0 || most < limit;
}

/// Whether the list ascends from 0 to `last`.
bool ascends(const int32_t* begin, int64_t count, int32_t last) {
  return begin[0] == 0 && begin[count] == last && std::is_sorted(begin, begin + count + 1);
}

bool fronts_fit(const Plan& p) {
  for (int32_t f = 0; f < p.fronts; ++f) {
    const int64_t w = p.columns_of(f), u = p.rows_of(f);
    const int64_t stored = w * (w + u) + (p.kind == Kind::kLu ? w * u : 0);
    const bool fits = w > 0 && w + u <= p.largest_front && p.place[f] >= 0 && p.place[f] + stored <= p.factor_size &&
                      p.stack_place[f] >= 0 && p.stack_place[f] + u * u <= p.stack_size;
    if (!fits) return false;
    for (int32_t c = p.children_begin[f]; c < p.children_begin[f + 1]; ++c) {
      const int32_t child = p.children[c];
      if (child >= f) return false;
      const int32_t *const first = p.rows_in_parent + p.rows_begin[child], *const end = p.rows_in_parent +
                                                                                        p.rows_begin[child + 1];
      if (first != end && (*first < 0 || end[-1] >= w + u)) return false;
      if (std::adjacent_find(first, end, std::greater_equal<>()) != end) return false;
    }
  }
  return true;
}

bool is_consistent(const Plan& p) {
  const bool lists = all_below(p.row_order, p.size, p.size) && all_below(p.column_order, p.size, p.size) &&
                     all_below(p.entry_row, p.entries, p.size) && all_below(p.entry_column, p.entries, p.size) &&
                     all_below(p.entry_place, p.entries, int64_t{p.factor_size} + 1, 1) &&
                     ascends(p.front_begin, p.fronts, p.size) && ascends(p.rows_begin, p.fronts, p.rows_count) &&
                     all_below(p.rows, p.rows_count, p.size) && all_below(p.children, p.fronts, p.fronts) &&
                     ascends(p.block_begin, p.blocks, p.fronts) && ascends(p.off_begin, p.blocks, p.off_count) &&
                     all_below(p.off_row, p.off_count, p.size) && all_below(p.off_column, p.off_count, p.size) &&
                     all_below(p.off_place, p.off_count, p.factor_size);
  // Roots are no children: the list may be longer than its used part.
  const bool children = p.children_begin[0] == 0 && p.children_begin[p.fronts] <= p.fronts &&
                        std::is_sorted(p.children_begin, p.children_begin + p.fronts + 1);
  return lists && children && p.factor_size >= (p.kind == Kind::kLu ? p.size : 0) && fronts_fit(p);
}

}  // namespace

std::vector<int32_t> write_plan(const Plan& plan) {
  std::vector<int32_t> list = {kVersion, static_cast<int32_t>(plan.kind)};
  each_number(plan, [&](int32_t number) { list.push_back(number); });
  each_list(plan, [&](const int32_t* from, int64_t count) { list.insert(list.end(), from, from + count); });
  return list;
}

StatusOr<Plan> read_plan(std::span<const int32_t> list) {
  constexpr size_t kHeader = 11;
  const Status damaged = invalid_argument("the plan of a sparse factorization is damaged, or of another version");
  if (list.size() < kHeader || list[0] != kVersion || list[1] < 0 || list[1] > 2) return damaged;
  Plan plan{};
  plan.kind = static_cast<Kind>(list[1]);
  size_t at = 2;
  bool fits = true;
  each_number(plan, [&](int32_t& number) {
    number = list[at++];
    fits &= number >= 0;
  });
  if (!fits) return damaged;
  each_list(plan, [&](const int32_t*& part, int64_t count) {
    fits &= static_cast<size_t>(count) <= list.size() - at;
    if (!fits) return;
    part = list.data() + at;
    at += static_cast<size_t>(count);
  });
  if (!fits || at != list.size() || !is_consistent(plan)) return damaged;
  return plan;
}

}  // namespace hilo::sparse_direct
