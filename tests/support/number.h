// SPDX-License-Identifier: Apache-2.0
// tests/support/number.h -- elements of literals of any type as wide numbers, and the comparison of literals.
#pragma once

#include <complex>
#include <functional>
#include <span>
#include <string>

#include "hilo/types/literal.h"

namespace hilo::tests {

/// Types that represent every integer type and its products, and every float and complex type.
using Whole = __int128;
using Wide = std::complex<long double>;

/// Element `i` of an integer or pred literal; of a float or complex one (integers too).
Whole whole_at(const Literal& literal, int64_t i);
Wide wide_at(const Literal& literal, int64_t i);
/// Stores an integer modulo the width of an integer type; for pred, whether it isn't zero; other types store its value.
void store_whole(Literal& literal, int64_t i, Whole value);
/// Stores a number rounded to a float or complex type, truncated to an integer type; for pred, whether it isn't zero.
void store_wide(Literal& literal, int64_t i, const Wide& value);

/// A literal whose element i is f(i).
Literal wholes(const Shape& shape, const std::function<Whole(int64_t)>& f);
/// The same values in another type of the same class or a wider one.
Literal converted(const Literal& literal, ElementType type);

/// The distance from 1 to the next number; 0 for exact types.
double epsilon_of(ElementType type);

/// Returns the first difference between two literals, or "". Floats may differ by `ulps` units in the last place of the
/// expected element's magnitude, and all NaN are equal; 0 requires the same bits. Tuples are compared element by
/// element.
std::string difference(const Literal& got, const Literal& wanted, double ulps = 0);

/// Calls f(index, flat) for every element of a row-major array.
void for_each_index(std::span<const int64_t> dimensions,
                    const std::function<void(std::span<const int64_t> index, int64_t flat)>& f);
/// The row-major offset of an index.
int64_t flat_index(std::span<const int64_t> dimensions, std::span<const int64_t> index);

}  // namespace hilo::tests
