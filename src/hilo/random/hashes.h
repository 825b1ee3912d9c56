// SPDX-License-Identifier: Apache-2.0
// random/hashes.h -- what keys and bits are made of: hashes of a counter by a key's words. Not for users.
#pragma once

#include <vector>

#include "hilo/array/array.h"

namespace hilo::random {

/// Numbers of several words, word by word: arrays of u32 and one shape.
using Words = std::vector<Array>;

/// Threefry with 20 rounds. Shapes    key and counter of two or of four words, which the result has too
/// Source    Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011)
Words threefry(const Words& key, Words counter);
/// Philox with 10 rounds. Shapes    a key of one word and a counter of two, or a key of two and a counter of four
/// Source    the same
Words philox(Words key, Words counter);

}  // namespace hilo::random
