// SPDX-License-Identifier: Apache-2.0
// tools/hilo/compare.h -- compares values with a tolerance.
#pragma once

#include <string>

#include "hilo/stablehlo/translate/translate.h"
#include "hilo/types/literal.h"

namespace hilo::tool {

/// Result of a comparison: nothing, or the shapes, the number of different elements, and the worst of them with its
/// difference.
struct Difference {
  bool found = false;
  std::string text;
};

/// Compares `actual` with `expected` by the rule of `check`. NaNs are equal; parts of complex numbers are compared
/// separately. A unit in the last place is the step between neighbouring values of the type. For numbers of different
/// sign, the steps to zero are added.
Difference difference(const stablehlo::Check& check, const Literal& actual, const Literal& expected);

/// The permitted difference: |actual - expected| <= relative |expected| + absolute max|expected|. The maximum is over
/// finite values. If all of them are zero, `of_zeros` is the bound.
struct Tolerance {
  double relative = 0, absolute = 0, of_zeros = 0;
};

/// Compares `actual` with `expected` element by element, complex numbers by their absolute values. NaNs are equal, and
/// infinities of the same sign. With a zero tolerance the bits must be equal, except for NaNs. With an infinite
/// tolerance only the shapes must be equal.
Difference difference_within(const Tolerance& tolerance, const Literal& actual, const Literal& expected);

}  // namespace hilo::tool
