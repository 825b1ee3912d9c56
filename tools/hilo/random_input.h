// SPDX-License-Identifier: Apache-2.0
// tools/hilo/random_input.h -- the random arguments of `hilo run --random SEED`, with the same bits on every machine.
#pragma once

#include <cstdint>

#include "hilo/types/literal.h"

namespace hilo::tool {

/// Returns random argument number `index` for a seed.
/// - Floats are uniform in [-1, 1) on a grid that is exact in the type. f8e8m0fnu, which has no sign, gets powers of
///   two from 1/8 to 16.
/// - Complex numbers are two such floats. Integers are 0..9, or as many as the type has. pred is one bit.
/// - Element i is computed from the i-th number of SplitMix64 (Steele, Lea, Flood 2014; state += 2^64 / golden ratio,
///   then three xor-shifts and two multiplications). Its initial state is the first number of SplitMix64 from seed +
///   index.
/// Errors    RESOURCE_EXHAUSTED
StatusOr<Literal> random_argument(const Shape& shape, uint64_t seed, uint64_t index);

}  // namespace hilo::tool
