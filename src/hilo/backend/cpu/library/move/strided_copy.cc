// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/move/strided_copy.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>

#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/base/transpose.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kVector = 16;          // bytes that are transposed at once
constexpr int64_t kShortRun = 32;        // bytes; longer runs are copied by vectors
constexpr int64_t kLine = 64;            // bytes of a cache line
constexpr int64_t kTableEntries = 1024;  // with which the table stays in the L1 cache
constexpr int64_t kMinTile = 64;         // elements; smaller ones are copied by the table
constexpr int64_t kTileBlock = 64;       // elements of a side that tiles cover between two checks
constexpr double kCopied = 0.06;         // nanoseconds a byte
constexpr int64_t kBytesBetweenChecks = 1 << 22;

/// Copies a run of at least 16 bytes.
void copy_run(const std::byte* from, std::byte* to, int64_t bytes) {
  if (bytes > 512) {
    std::memcpy(to, from, bytes);
    return;
  }
  int64_t at = 0;
  for (; at + kVector <= bytes; at += kVector) std::memcpy(to + at, from + at, kVector);
  if (at < bytes) std::memcpy(to + bytes - kVector, from + bytes - kVector, kVector);
}

template <int kBytes>
void copy_places(const std::byte* from, std::byte* to, const int32_t* from_table, const int32_t* to_table,
                 int64_t count) {
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + to_table[i], from + from_table[i], kBytes);
}

/// Returns the largest power of two that divides `bytes`, at most a vector.
int64_t unit_of(int64_t bytes) { return std::min(bytes & -bytes, kVector); }

}  // namespace

int64_t StridedCopy::Split::count(const std::vector<int64_t>& index) const {
  return loop < 0 ? extent : std::min(block, extent - index[loop] * block);
}

/// Adds the loop over the blocks of a dimension.
StridedCopy::Split StridedCopy::split(const Loop& loop, int64_t block) {
  if (loop.extent <= block) return {block, loop.extent, -1};
  loops_.push_back({(loop.extent + block - 1) / block, loop.from * block, loop.to * block});
  return {block, loop.extent, static_cast<int64_t>(loops_.size()) - 1};
}

StridedCopy::StridedCopy(std::span<const CopiedDimension> dimensions, int64_t element_bytes) : unit_(element_bytes) {
  std::vector<Loop> sorted, merged;
  for (const CopiedDimension& d : dimensions) {
    if (d.extent == 0) {
      loops_ = {{0, 0, 0}};
      return;
    }
    if (d.extent != 1) sorted.push_back({d.extent, d.from * element_bytes, d.to * element_bytes});
  }
  std::ranges::stable_sort(sorted, std::greater<>(), &Loop::to);
  for (const Loop& d : sorted) {
    if (!merged.empty() && merged.back().to == d.to * d.extent && merged.back().from == d.from * d.extent)
      merged.back() = {merged.back().extent * d.extent, d.from, d.to};
    else merged.push_back(d);
  }
  if (!merged.empty() && merged.back().from == element_bytes && merged.back().to == element_bytes) {
    const int64_t run = merged.back().extent * element_bytes;
    merged.pop_back();
    unit_ = run >= kShortRun ? run : unit_of(run);
    if (unit_ < run) merged.push_back({run / unit_, unit_, unit_});
  }
  const auto rows = std::ranges::find(merged, unit_, &Loop::to),
             columns = std::ranges::find(merged, unit_, &Loop::from);
  const int64_t least = kVector / unit_;
  if (unit_ < kVector && (unit_ & (unit_ - 1)) == 0 && rows != columns && rows != merged.end() &&
      columns != merged.end() && rows->extent >= least && columns->extent >= least &&
      rows->extent * columns->extent >= kMinTile) {
    const Loop r = *rows, c = *columns;
    std::erase_if(merged, [&](const Loop& d) { return d.to == r.to || (d.to == c.to && d.from == c.from); });
    loops_ = std::move(merged);
    plan_tiles(r, c);
  } else {
    plan_table(std::move(merged));
  }
}

void StridedCopy::plan_tiles(const Loop& rows, const Loop& columns) {
  is_tiled_ = true;
  second_ = split(columns, kTileBlock);
  first_ = split(rows, kTileBlock);
  from_stride_ = rows.from;
  to_stride_ = columns.to;
}

/// The table covers the fastest dimensions of the result up to a cache line, then those of the operand up to a cache
/// line. Further ones of the result follow.
void StridedCopy::plan_table(std::vector<Loop> dimensions) {
  std::vector<Loop> table;
  int64_t entries = 1, farthest = 0;
  std::optional<Loop> last;  // of which only a block fits
  int64_t block = 1;
  const auto take = [&](int64_t Loop::* stride) {
    const auto next = std::ranges::min_element(dimensions, {}, stride);
    const int64_t far = std::max(next->from, next->to);
    const int64_t fitting =
        std::min(kTableEntries / entries, (std::numeric_limits<int32_t>::max() - farthest) / std::max<int64_t>(far, 1));
    if (fitting < 2) return false;
    block = std::min(next->extent, fitting);
    farthest += far * block;
    entries *= block;
    if (block < next->extent) last = *next;
    else table.push_back(*next);
    dimensions.erase(next);
    return !last;
  };
  const auto take_line = [&](int64_t Loop::* stride) {
    for (const int64_t before = entries; !dimensions.empty() && entries / before * unit_ < kLine;) {
      if (!take(stride)) return false;
    }
    return true;
  };
  if (take_line(&Loop::to) && take_line(&Loop::from)) {
    while (!dimensions.empty() && take(&Loop::to)) continue;
  }
  loops_ = std::move(dimensions);
  std::ranges::stable_sort(table, std::greater<>(), &Loop::to);
  from_table_ = to_table_ = {0};
  const auto multiply = [&](const Loop& d, int64_t extent) {  // a dimension slower than those before
    const size_t count = from_table_.size();
    for (int64_t i = 1; i < extent; ++i) {
      for (size_t k = 0; k < count; ++k) {
        from_table_.push_back(static_cast<int32_t>(from_table_[k] + i * d.from));
        to_table_.push_back(static_cast<int32_t>(to_table_[k] + i * d.to));
      }
    }
  };
  for (size_t k = table.size(); k-- > 0;) multiply(table[k], table[k].extent);
  inner_ = static_cast<int64_t>(from_table_.size());
  if (last) {
    multiply(*last, block);
    first_ = split(*last, block);
  }
}

void StridedCopy::copy_inner(const std::byte* from, std::byte* to, const std::vector<int64_t>& index) const {
  const int64_t first = first_.count(index);
  if (is_tiled_) {
    const int64_t second = second_.count(index);
    return transpose_matrix({from, from_stride_}, to, to_stride_, first, second, static_cast<int>(unit_));
  }
  const int32_t *const from_table = from_table_.data(), *const to_table = to_table_.data();
  const int64_t count = first * inner_;
  switch (unit_) {
    case 1: return copy_places<1>(from, to, from_table, to_table, count);
    case 2: return copy_places<2>(from, to, from_table, to_table, count);
    case 4: return copy_places<4>(from, to, from_table, to_table, count);
    case 8: return copy_places<8>(from, to, from_table, to_table, count);
    case 16: return copy_places<16>(from, to, from_table, to_table, count);
    default:
      for (int64_t i = 0; i < count; ++i) copy_run(from + from_table[i], to + to_table[i], unit_);
  }
}

void StridedCopy::copy_range(const std::byte* from, std::byte* to, int64_t begin, int64_t end) const {
  std::vector<int64_t> index(loops_.size());
  for (int64_t d = std::ssize(loops_) - 1, rest = begin; d >= 0; --d) {
    index[d] = rest % loops_[d].extent;
    rest /= loops_[d].extent;
    from += index[d] * loops_[d].from;
    to += index[d] * loops_[d].to;
  }
  for (int64_t i = begin; i < end; ++i) {
    copy_inner(from, to, index);
    for (int64_t d = std::ssize(loops_) - 1; d >= 0; --d) {
      from += loops_[d].from;
      to += loops_[d].to;
      if (++index[d] < loops_[d].extent) break;
      from -= loops_[d].from * loops_[d].extent;
      to -= loops_[d].to * loops_[d].extent;
      index[d] = 0;
    }
  }
}

void StridedCopy::run(const void* from, void* to) const {
  int64_t steps = 1;
  for (const Loop& loop : loops_) steps *= loop.extent;
  const int64_t at_once =
      unit_ * (is_tiled_ ? std::min(first_.block, first_.extent) * std::min(second_.block, second_.extent)
                         : static_cast<int64_t>(from_table_.size()));
  const int64_t parts = worth_forking(work_ns(kCopied, steps * at_once)) ? parts_for_threads(steps) : 1;
  in_parts(steps, parts, [&](int64_t begin, int64_t end) {
    in_stretches(end - begin, std::max<int64_t>(kBytesBetweenChecks / std::max<int64_t>(at_once, 1), 1),
                 [&](int64_t first, int64_t last) {
                   copy_range(static_cast<const std::byte*>(from), static_cast<std::byte*>(to), begin + first,
                              begin + last);
                 });
  });
}

}  // namespace hilo::cpu
