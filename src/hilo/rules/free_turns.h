// SPDX-License-Identifier: Apache-2.0
// rules/free_turns.h -- detection of derivatives by eigenvectors that don't exist, in reverse mode.
#pragma once

#include <string_view>
#include <vector>

#include "hilo/array/array.h"

namespace hilo::rules {

/// `rules` of the call that free_turns binds.
inline constexpr std::string_view kFreeTurns = "free_turns";

/// Returns the rotations of vectors (S in dV = V S) unchanged, of one side or of two that rotate together. `equal` is
/// true at pairs of equal values, whose vectors may be any basis of their space. If a cotangent's skew part there is
/// more than rounding, the function depends on that choice and has no derivative; the cotangents then become NaN.
/// Shapes     turns[..., n, n], equal[..., n, n]
std::vector<Array> free_turns(const std::vector<Array>& turns, const Array& equal);

}  // namespace hilo::rules
