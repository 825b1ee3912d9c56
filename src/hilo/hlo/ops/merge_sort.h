// SPDX-License-Identifier: Apache-2.0
// hlo/ops/merge_sort.h -- a stable sort with fixed steps. std::stable_sort requires an order, which a program's
// comparator may not be, especially with NaN. With fixed steps the engine and the reference give the same result even
// then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "hilo/base/stop.h"
#include "hilo/base/stretches.h"

namespace hilo::hlo {

/// Merges sorted ranges of `from`, split at `middle`, into `to`. Of equal items the left one comes first.
template <typename Item, typename Before, typename Stop>
void merge_stretches(std::span<const Item> from, size_t middle, std::span<Item> to, const Before& before,
                     const Stop& stop) {
  constexpr int64_t kPollInterval = 1 << 14;  // items between checks of the stop word
  size_t left = 0, right = middle;
  in_stretches(to.size(), kPollInterval, stop, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const bool take_right = left == middle || (right < from.size() && before(from[right], from[left]));
      to[i] = take_right ? from[right++] : from[left++];
    }
  });
}

/// Merges ranges of 1, 2, 4, ... items in pairs. Works with any `before`; the result is always a permutation. If `stop`
/// is raised, it may have only some of the items. `memory` has as many items.
template <typename Item, typename Before, typename Stop>
void merge_sort(std::span<Item> items, std::span<Item> memory, const Before& before, const Stop& stop) {
  std::span<Item> from = items, to = memory;
  for (size_t width = 1; width < items.size(); width *= 2) {
    for (size_t begin = 0; begin < items.size(); begin += 2 * width) {
      const size_t count = std::min(2 * width, items.size() - begin);
      merge_stretches<Item>(from.subspan(begin, count), std::min(width, count), to.subspan(begin, count), before, stop);
    }
    std::swap(from, to);
  }
  if (from.data() != items.data()) std::copy(from.begin(), from.end(), items.begin());
}

/// The same with memory of its own, until the thread is requested to stop.
template <typename Item, typename Before>
void merge_sort(std::span<Item> items, const Before& before) {
  std::vector<Item> memory(items.size());
  merge_sort(items, std::span(memory), before, StopFlag());
}

}  // namespace hilo::hlo
