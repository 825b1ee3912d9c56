// SPDX-License-Identifier: Apache-2.0
// random/hashes.h -- the hash functions of keys and bits: a counter hashed with the words of a key. Internal.
#pragma once

#include <vector>

#include "hilo/array/array.h"

namespace hilo::random {

/// Multi-word numbers, one array of u32 for each word; all arrays have one shape.
using Words = std::vector<Array>;

/// Hashes a counter with Threefry, 20 rounds.
/// Shapes    key and counter of two or of four words, as the result
/// Source    Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011)
Words threefry(const Words& key, Words counter);
/// Hashes a counter with Philox, 10 rounds.
/// Shapes    a key of one word and a counter of two, or a key of two and a counter of four
/// Source    Salmon et al. (SC 2011)
Words philox(Words key, Words counter);

}  // namespace hilo::random
