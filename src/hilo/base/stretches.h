// SPDX-License-Identifier: Apache-2.0
// base/stretches.h -- loops that poll any kind of stop flag.
#pragma once

#include <cstdint>

namespace hilo {

/// Calls run(begin, end) for consecutive ranges of [0, count), each of at most `stretch` elements, until
/// `stop.raised()`.
template <typename Stop, typename Run>
void in_stretches(int64_t count, int64_t stretch, const Stop& stop, const Run& run) {
  for (int64_t begin = 0; begin < count && !stop.raised(); begin += stretch)
    run(begin, count - begin < stretch ? count : begin + stretch);
}

}  // namespace hilo
