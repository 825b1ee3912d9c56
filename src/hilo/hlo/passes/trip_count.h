// SPDX-License-Identifier: Apache-2.0
// hlo/passes/trip_count.h -- finds loops that count, and their trip count.
#pragma once

#include <optional>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// A while loop whose condition compares an integer carry with a known bound, and whose body adds a known step to it.
struct CountedLoop {
  int64_t carry_index = 0;  ///< index of the counter in the carry tuple; -1 if the counter is the whole carry
  int64_t start = 0;
  int64_t step = 0;
  int64_t trip_count = 0;
};

/// Returns the loop's counter, start, step and bound. `computation` contains the while instruction; start and bound may
/// be constants there or in the condition. Returns nullopt if the loop isn't counted, never ends, or its counter would
/// wrap around.
std::optional<CountedLoop> counted_loop(const Instruction& while_instruction, const Computation& computation);

/// Returns how often the body runs; 0 if the condition is constantly false.
std::optional<int64_t> trip_count(const Instruction& while_instruction, const Computation& computation);

}  // namespace hilo::hlo
