// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/assignment.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

namespace hilo::engine {
namespace {

constexpr int64_t kAlignment = 64;  // bytes: a cache line, and the widest vector

int64_t aligned(int64_t bytes) { return (std::max<int64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment; }

/// An arena. It grows if no hole is large enough.
class Arena {
 public:
  int64_t allocate(int64_t bytes) {
    auto best = holes_.end();
    for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
      if (hole->second >= bytes && (best == holes_.end() || hole->second < best->second)) best = hole;
    }
    if (best == holes_.end()) {
      top_ += bytes;
      return top_ - bytes;
    }
    const auto [offset, size] = *best;
    holes_.erase(best);
    if (size > bytes) holes_.emplace(offset + bytes, size - bytes);
    return offset;
  }

  void free_range(int64_t offset, int64_t bytes) {
    auto next = holes_.lower_bound(offset);
    if (next != holes_.end() && next->first == offset + bytes) {
      bytes += next->second;
      next = holes_.erase(next);
    }
    if (next != holes_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += bytes;
        return;
      }
    }
    holes_.emplace(offset, bytes);
  }

  int64_t bytes() const { return top_; }

 private:
  std::map<int64_t, int64_t> holes_;  ///< offset -> bytes
  int64_t top_ = 0;
};

}  // namespace

Assignment assign_offsets(std::span<const LiveRange> ranges) {
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t k) { return ranges[k].begin; });
  Assignment assignment;
  assignment.offsets.resize(ranges.size());
  Arena arena;
  std::multimap<int64_t, size_t> live;  // by end of the range
  for (size_t k : order) {
    if (ranges[k].end < ranges[k].begin) continue;
    while (!live.empty() && live.begin()->first < ranges[k].begin) {
      const size_t dead = live.begin()->second;
      arena.free_range(assignment.offsets[dead], aligned(ranges[dead].bytes));
      live.erase(live.begin());
    }
    assignment.offsets[k] = arena.allocate(aligned(ranges[k].bytes));
    live.emplace(ranges[k].end, k);
  }
  assignment.bytes = arena.bytes();
  return assignment;
}

}  // namespace hilo::engine
