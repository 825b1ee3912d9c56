// SPDX-License-Identifier: Apache-2.0
// rules/free_turns.h -- where a derivative by eigenvectors doesn't exist, and reverse mode can see it.
#pragma once

#include <string_view>
#include <vector>

#include "hilo/array/array.h"

namespace hilo::rules {

/// `rules` of the call that free_turns makes.
inline constexpr std::string_view kFreeTurns = "free_turns";

/// The turns of vectors (S in dV = V S) themselves, of one side or of two that turn together. `equal` is true at pairs of equal
/// values. Vectors of these may be any that span their space: if a cotangent's skew part is more than a rounding there, the
/// function depends on the choice, has no derivative, and the cotangents become NaN.
///   Shapes    turns[..., n, n], equal[..., n, n]
std::vector<Array> free_turns(const std::vector<Array>& turns, const Array& equal);

}  // namespace hilo::rules
