// SPDX-License-Identifier: Apache-2.0
// engine/assignment.h -- assigns offsets in one arena to memory that is live at different times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hilo::engine {

/// Bytes that are live from clock tick `begin` to `end`, both included. If `end` is less than `begin`, they are never
/// live.
struct LiveRange {
  int64_t bytes;
  int64_t begin, end;
};

struct Assignment {
  std::vector<int64_t> offsets;  ///< per range, multiples of 64
  int64_t bytes = 0;             ///< size of the arena
};

/// Assigns offsets by best fit, in the order of `begin`. Memory is free again after a range's end.
/// Example   {100 bytes, 0..1}, {100, 1..2}, {100, 2..3}: offsets 0, 128, 0 and an arena of 256 bytes
/// Cost      n log n, and for each range the number of holes at that time
Assignment assign_offsets(std::span<const LiveRange> ranges);

}  // namespace hilo::engine
