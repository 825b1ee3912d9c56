// SPDX-License-Identifier: Apache-2.0
// hlo/passes/trip_count.h -- loops that count: how often they run, and with what.
#pragma once

#include <optional>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// A while loop whose condition compares one integer carry with a known bound and whose body adds a known step to it.
struct CountedLoop {
  int64_t carry_index = 0;  ///< of the counter in the carry tuple; -1 if the counter is the whole carry
  int64_t start = 0;
  int64_t step = 0;
  int64_t trip_count = 0;
};

/// The loop as a counted one. `computation` holds the while instruction; start and bound may be constants there or in
/// the condition. nullopt if the loop isn't counted, never ends, or its counter would wrap around.
std::optional<CountedLoop> counted_loop(const Instruction& while_instruction, const Computation& computation);

/// How often the body runs; also 0 for a condition that is constantly false.
std::optional<int64_t> trip_count(const Instruction& while_instruction, const Computation& computation);

}  // namespace hilo::hlo
