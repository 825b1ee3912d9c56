// SPDX-License-Identifier: Apache-2.0
// tests/support/moved_data.h -- what the arguments of moved programs are filled with.
#pragma once

#include <random>

#include "tests/support/moved_draw.h"

namespace hilo::tests {

/// The greatest finite magnitude of data of a type; infinite if any bits may stand there.
double bound_of(Palette palette, ElementType type);

/// An array of data.
Literal drawn_data(std::mt19937& random, const Shape& shape, Palette palette);

/// Integers around 0..limit, a few of them outside.
Literal drawn_indices(std::mt19937& random, const Shape& shape, int64_t limit);

/// One number in every element of an array of any type.
Literal filled_array(const Shape& shape, double value);

}  // namespace hilo::tests
