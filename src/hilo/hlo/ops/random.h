// SPDX-License-Identifier: Apache-2.0
// hlo/ops/random.h -- rng-bit-generator: u64 state in, (new state, random bits) out; rng-get-and-update-state.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

enum class RandomAlgorithm : uint8_t { kDefault, kThreeFry, kPhilox };
inline constexpr std::string_view kRandomAlgorithmNames[] = {"rng_default", "rng_three_fry", "rng_philox"};

struct RngBitGeneratorAttributes : Attributes {
  RandomAlgorithm algorithm = RandomAlgorithm::kThreeFry;
};

/// rng-get-and-update-state: a 128-bit counter (low, high) of the instruction, which each run advances by `delta`. Its
/// initial value is XLA's, in every executable.
struct RngStateAttributes : Attributes {
  int64_t delta = 0;
};

/// Returns the dimension along which XLA draws pairs of 32-bit numbers: the first even one, else the first largest.
size_t random_pair_dimension(std::span<const int64_t> dimensions);

/// Returns the initial state, u64[2].
Literal first_rng_state();
Literal advanced_rng_state(const Literal& state, int64_t delta);

}  // namespace hilo::hlo
