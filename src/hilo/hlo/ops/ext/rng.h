// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/rng.h -- the older random op, rng.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

enum class RandomDistribution : uint8_t { kInvalid, kUniform, kNormal };
inline constexpr std::string_view kRandomDistributionNames[] = {"rng_invalid", "rng_uniform", "rng_normal"};

/// rng(a, b): uniform in [a, b), or normal with mean a and deviation b. The bits are Philox's. The key is computed from
/// the instruction's name, and the counter is a state of the instruction. A program therefore draws the same numbers on
/// every machine, and different ones in each run of an executable and in each instruction. XLA draws other numbers.
struct RngAttributes : Attributes {
  RandomDistribution distribution = RandomDistribution::kUniform;
};

}  // namespace hilo::hlo
