// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/random.h -- rng-bit-generator, Threefry and Philox, for every shape and width.
#pragma once

#include "hilo/backend/cpu/runtime/call.h"

namespace hilo::cpu::runtime {

/// Operand: the state. Results: the state behind the bits, and the bits. One unit.
struct RandomProblem {
  bool threefry = false;
  int64_t state_words = 2;
  int64_t bytes = 4;                         ///< of an element
  int64_t count = 0;                         ///< elements
  int64_t outer = 1, extent = 1, inner = 1;  ///< outside, along and inside of the dimension of the pairs

  /// Returns the number of counters that the bits use.
  int64_t counters() const;
};

/// Computes the elements of counters [begin, end).
void fill_random(const RandomProblem& problem, const uint64_t* state, void* bits, int64_t begin, int64_t end);

/// Returns the state behind the bits of a problem, which starts at `state`.
struct RandomState {
  uint64_t words[3];
};
RandomState state_after(const RandomProblem& problem, const RandomState& state);

}  // namespace hilo::cpu::runtime
