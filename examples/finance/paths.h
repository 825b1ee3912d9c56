// SPDX-License-Identifier: Apache-2.0
// examples/finance/paths.h -- means over random paths, a block of paths at a time.
#pragma once

#include "hilo/hilo.h"

namespace finance {

using namespace hilo;

/// The mean of `value(draws)` over the blocks, `draws` being one of them. The numbers of a block stay in the cache, and
/// its gradient repeats the block instead of storing all steps of all paths.
/// Shapes    blocks [number of blocks, ...]; value returns a scalar
template <typename F>
Array mean_of_blocks(const F& value, const Array& blocks) {
  return numpy::mean(lax::map(checkpoint(value), blocks));
}

}  // namespace finance
