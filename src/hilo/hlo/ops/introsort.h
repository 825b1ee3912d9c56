// SPDX-License-Identifier: Apache-2.0
// hlo/ops/introsort.h -- an unstable sort with the same order of equal elements as in XLA:CPU, which uses libstdc++'s
// std::sort. The steps are the same. Indices stay in bounds even if the comparator is no order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "hilo/base/stop.h"
#include "hilo/base/stretches.h"

namespace hilo::hlo {

/// Sorts `items`; before(a, b) returns whether a comes first. Returns early if `stop` is raised.
/// Cost      O(n log n) comparisons
template <typename Item, typename Before, typename Stop>
class Introsort {
 public:
  Introsort(std::span<Item> items, const Before& before, const Stop& stop) : v_(items), stop_(stop), before_(before) {}

  void run() {
    const int64_t n = v_.size();
    if (n < 2) return;
    partition_down_to_runs(0, n, 2 * (static_cast<int>(std::bit_width(v_.size())) - 1));
    if (is_stopped()) return;  // without presorted runs each insertion would take n moves
    for (int64_t i = 1; i < std::min(n, kRun); ++i) insert_guarded(i);
    for (int64_t i = kRun; i < n; ++i) {
      if (i % kPollInterval == 0 && is_stopped()) return;
      insert(i);
    }
  }

 private:
  static constexpr int64_t kRun = 16;
  static constexpr int64_t kPollInterval = 1 << 14;  // moves between checks of the stop word

  Item& at(int64_t i) { return v_[i]; }
  bool before(int64_t i, int64_t j) { return before_(at(i), at(j)); }
  bool is_stopped() const { return stop_.raised(); }

  void partition_down_to_runs(int64_t first, int64_t last, int depth) {
    while (last - first > kRun && !is_stopped()) {
      if (depth-- == 0) return sort_by_heap(first, last);
      median_to(first, first + 1, first + (last - first) / 2, last - 1);
      const int64_t cut = partition(first + 1, last, first);
      partition_down_to_runs(cut, last, depth);
      last = cut;
    }
  }

  /// Takes the same steps as std::sort_heap.
  void sort_by_heap(int64_t first, int64_t last) {
    const auto begin = v_.begin() + first;
    std::make_heap(begin, v_.begin() + last, before_);
    in_stretches(last - first - 1, kPollInterval, stop_, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) std::pop_heap(begin, v_.begin() + (last - i), before_);
    });
  }

  void median_to(int64_t to, int64_t a, int64_t b, int64_t c) {
    int64_t median = 0;
    if (before(a, b)) median = before(b, c) ? b : before(a, c) ? c : a;
    else median = before(a, c) ? a : before(b, c) ? c : b;
    std::swap(at(to), at(median));
  }

  int64_t partition(int64_t first, int64_t last, int64_t pivot) {
    const int64_t end = last;
    for (int64_t moves = 1;; ++moves) {
      while (first < end && before(first, pivot)) ++first;
      --last;
      while (last > pivot && before(pivot, last)) --last;
      if (first >= last || (moves % kPollInterval == 0 && is_stopped())) return std::min(first, end - 1);
      std::swap(at(first), at(last));
      ++first;
    }
  }

  void insert_guarded(int64_t i) {
    if (!before(i, 0)) return insert(i);
    std::rotate(v_.begin(), v_.begin() + i, v_.begin() + i + 1);
  }

  void insert(int64_t i) {
    const Item item = at(i);
    for (; i > 0 && before_(item, at(i - 1)); --i) at(i) = at(i - 1);
    at(i) = item;
  }

  std::span<Item> v_;
  const Stop& stop_;
  const Before& before_;
};

template <typename Item, typename Before, typename Stop>
void introsort(std::span<Item> items, const Before& before, const Stop& stop) {
  Introsort<Item, Before, Stop>(items, before, stop).run();
}

/// The same until the thread is requested to stop.
template <typename Item, typename Before>
void introsort(std::span<Item> items, const Before& before) {
  introsort(items, before, StopFlag());
}

}  // namespace hilo::hlo
