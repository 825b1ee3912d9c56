// SPDX-License-Identifier: Apache-2.0
// hlo/ops/random.h -- rng-bit-generator: u32/u64 state in, (new state, random bits) out.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

enum class RandomAlgorithm : uint8_t { kDefault, kThreeFry, kPhilox };
inline constexpr std::string_view kRandomAlgorithmNames[] = {"rng_default", "rng_three_fry", "rng_philox"};

struct RngBitGeneratorAttributes : Attributes {
  RandomAlgorithm algorithm = RandomAlgorithm::kThreeFry;
};

const OpDef& rng_bit_generator_op();

}  // namespace hilo::hlo
