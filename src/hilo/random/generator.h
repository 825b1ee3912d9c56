// SPDX-License-Identifier: Apache-2.0
// random/generator.h -- the random bits that distributions use. Internal.
#pragma once

#include "hilo/random/keys.h"

namespace hilo::random {

/// Returns random bits of an unsigned type of 8 to 64 bits.
/// Errors    INVALID_ARGUMENT for a batch of keys
Array bits_of(const Key& key, const numpy::Shape& shape, ElementType type);

}  // namespace hilo::random
