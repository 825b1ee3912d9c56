// SPDX-License-Identifier: Apache-2.0
// tools/hilo/random_input.h -- the arguments of `hilo run --random SEED`: the same bits on every machine.
#pragma once

#include <cstdint>

#include "hilo/types/literal.h"

namespace hilo::tool {

/// Returns argument number `index` for a seed. Floats are uniform in [-1, 1) on a grid that the type represents
/// exactly. f8e8m0fnu, which has no sign, gets powers of two from 1/8 to 16. Complex numbers are two floats, integers
/// are 0..9 or the type's range, pred is one bit. Element i is the i-th number of SplitMix64 (Steele, Lea, Flood 2014;
/// state += 2^64 / golden ratio, then three xor-shifts and two multiplications). Its seed is the first number of
/// SplitMix64 from seed + index.
/// Errors    RESOURCE_EXHAUSTED
StatusOr<Literal> random_argument(const Shape& shape, uint64_t seed, uint64_t index);

}  // namespace hilo::tool
