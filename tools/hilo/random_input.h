// SPDX-License-Identifier: Apache-2.0
// tools/hilo/random_input.h -- the arguments of `hilo run --random SEED`: the same bits on every machine.
#pragma once

#include <cstdint>

#include "hilo/types/literal.h"

namespace hilo::tool {

/// Argument number `index` for a seed. Floats are uniform in [-1, 1) on a grid that the type holds exactly (f8e8m0fnu,
/// which has no sign: powers of two from 1/8 to 16), complex numbers are two such, integers are 0..9 or as many as the
/// type holds, pred is one bit. Element i comes from the i-th number of SplitMix64 (Steele, Lea, Flood 2014; state +=
/// 2^64 / golden ratio, then three xor-shifts and two multiplications) that starts at the first number of SplitMix64
/// from seed + index.
/// Errors    RESOURCE_EXHAUSTED
StatusOr<Literal> random_argument(const Shape& shape, uint64_t seed, uint64_t index);

}  // namespace hilo::tool
