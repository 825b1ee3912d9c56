// SPDX-License-Identifier: Apache-2.0
// hlo/ops/merge_sort.h -- a stable sort whose steps are said: std::stable_sort asks for an order, which a program's comparator
// need not be, least of all among NaN; the engine and the reference answer the same then, too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "hilo/base/stop.h"

namespace hilo::hlo {

/// Moves two sorted stretches of `from`, before and from `middle` on, to `to` as one. Of equals the left one comes first.
template <typename Item, typename Before>
void merge_stretches(std::span<const Item> from, size_t middle, std::span<Item> to, const Before& before) {
  constexpr int64_t kPollInterval = 1 << 14;  // items between looks at the stop word
  size_t left = 0, right = middle;
  in_stretches(to.size(), kPollInterval, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const bool take_right = left == middle || (right < from.size() && before(from[right], from[left]));
      to[i] = take_right ? from[right++] : from[left++];
    }
  });
}

/// Stretches of 1, 2, 4, ... items are merged in pairs. Any `before` will do; what comes out is always a permutation, unless
/// the thread's work is to stop: then it is some of the items.
template <typename Item, typename Before>
void merge_sort(std::span<Item> items, const Before& before) {
  std::vector<Item> memory(items.size());
  std::span<Item> from = items, to = memory;
  for (size_t width = 1; width < items.size(); width *= 2) {
    for (size_t begin = 0; begin < items.size(); begin += 2 * width) {
      const size_t count = std::min(2 * width, items.size() - begin);
      merge_stretches<Item>(from.subspan(begin, count), std::min(width, count), to.subspan(begin, count), before);
    }
    std::swap(from, to);
  }
  if (from.data() != items.data()) std::copy(from.begin(), from.end(), items.begin());
}

}  // namespace hilo::hlo
