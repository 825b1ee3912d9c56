// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/rounding.h -- divides extents into pieces, and rounds them up to whole pieces.
#pragma once

#include <cstdint>

namespace hilo::cpu {

/// Returns the number of pieces of at most `most` in an extent.
inline int64_t pieces_of(int64_t extent, int64_t most) { return (extent + most - 1) / most; }
/// Returns the smallest multiple of `step` that is at least `extent`.
inline int64_t round_up(int64_t extent, int64_t step) { return pieces_of(extent, step) * step; }

}  // namespace hilo::cpu
