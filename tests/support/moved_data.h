// SPDX-License-Identifier: Apache-2.0
// tests/support/moved_data.h -- the data of the arguments of moved programs.
#pragma once

#include <random>

#include "tests/support/moved_draw.h"

namespace hilo::tests {

/// The maximum finite magnitude of data of a type; infinity if all bit patterns are allowed.
double bound_of(Palette palette, ElementType type);

/// An array of data.
Literal drawn_data(std::mt19937& random, const Shape& shape, Palette palette);

/// Integers in 0..limit, a few of them outside.
Literal drawn_indices(std::mt19937& random, const Shape& shape, int64_t limit);

/// An array of any type with one number in every element.
Literal filled_array(const Shape& shape, double value);

}  // namespace hilo::tests
