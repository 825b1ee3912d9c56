// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/rng.h -- the older random op, rng.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

enum class RandomDistribution : uint8_t { kInvalid, kUniform, kNormal };
inline constexpr std::string_view kRandomDistributionNames[] = {"rng_invalid", "rng_uniform", "rng_normal"};

/// rng(a, b): uniform in [a, b), or normal of mean a and deviation b. The bits are Philox's; its key follows from the
/// instruction's name, its counter from a state of the instruction. So a program draws the same numbers on every machine,
/// others at each run of one executable, and two instructions draw different ones. XLA draws others again.
struct RngAttributes : Attributes {
  RandomDistribution distribution = RandomDistribution::kUniform;
};

const OpDef& rng_op();

}  // namespace hilo::hlo
