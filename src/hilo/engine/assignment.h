// SPDX-License-Identifier: Apache-2.0
// engine/assignment.h -- places in one arena for memory that is needed at different times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hilo::engine {

/// Bytes that are needed from clock tick `begin` to `end`, both included; not at all if it ends before it begins.
struct Stretch {
  int64_t bytes;
  int64_t begin, end;
};

struct Assignment {
  std::vector<int64_t> offsets;  ///< per stretch, multiples of 64
  int64_t bytes = 0;             ///< of the arena
};

/// Best fit in the order of `begin`: memory is free again after its end.
/// Example   {100 bytes, 0..1}, {100, 1..2}, {100, 2..3}: offsets 0, 128, 0 and an arena of 256 bytes
/// Cost      n log n, and for each stretch the holes of that time
Assignment assign_offsets(std::span<const Stretch> stretches);

}  // namespace hilo::engine
