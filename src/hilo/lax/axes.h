// SPDX-License-Identifier: Apache-2.0
// lax/axes.h -- converts axes that may count from the end to numbers from 0. Not for users.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hilo::lax {

/// Returns the axis as a number with 0 <= axis < rank.
/// Errors     INVALID_ARGUMENT "squeeze (train.cc:41): axis 3 is out of range for 2 dimensions"
int64_t canonical_axis(const char* function, int64_t axis, int64_t rank);
/// Converts each axis; a duplicate is an error.
std::vector<int64_t> canonical_axes(const char* function, std::span<const int64_t> axes, int64_t rank);

}  // namespace hilo::lax
