// SPDX-License-Identifier: Apache-2.0
// tools/hilo/compare.h -- compares two values.
#pragma once

#include <string>

#include "hilo/stablehlo/translate/translate.h"
#include "hilo/types/literal.h"

namespace hilo::tool {

/// The result of a check: nothing, or the shapes, the number of different elements, and the largest difference.
struct Difference {
  bool found = false;
  std::string text;
};

/// Whether `actual` passes `check` against `expected`. NaN equals NaN. Parts of complex numbers are compared
/// separately. A unit in the last place is the distance to the next number of the type; numbers of different signs are
/// counted through zero.
Difference difference(const stablehlo::Check& check, const Literal& actual, const Literal& expected);

/// The allowed difference: |actual - expected| <= relative |expected| + absolute max|expected|. The maximum is over
/// finite elements. If all of these are zero, `of_zeros` is the bound.
struct Tolerance {
  double relative = 0, absolute = 0, of_zeros = 0;
};

/// Whether `actual` is within the tolerance, element by element; complex numbers by their absolute values. NaN equals
/// NaN, and infinities equal those of the same sign. Without tolerance, bits must be equal except for NaN. With an
/// infinite tolerance, any value of the shape passes.
Difference difference_within(const Tolerance& tolerance, const Literal& actual, const Literal& expected);

}  // namespace hilo::tool
