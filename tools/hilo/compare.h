// SPDX-License-Identifier: Apache-2.0
// tools/hilo/compare.h -- how far apart two values are.
#pragma once

#include <string>

#include "hilo/stablehlo/translate/translate.h"
#include "hilo/types/literal.h"

namespace hilo::tool {

/// What a check finds: nothing, or the shapes, how many elements differ, the worst of them and by how much.
struct Difference {
  bool found = false;
  std::string text;
};

/// Whether `actual` passes `check` against `expected`. NaN equals NaN; parts of complex numbers count one by one. A
/// unit in the last place is a step between neighbours of the type; numbers of unlike signs meet at zero.
Difference difference(const stablehlo::Check& check, const Literal& actual, const Literal& expected);

/// How far a value may be from the expected one: |actual - expected| <= relative |expected| + absolute max|expected|,
/// where the maximum is of the finite ones. Where all of those are zero the maximum says nothing, and `of_zeros` is the
/// bound.
struct Tolerance {
  double relative = 0, absolute = 0, of_zeros = 0;
};

/// Whether `actual` is within the tolerance, element by element; complex numbers by their absolute values. NaN equals
/// NaN, infinities their like. With no tolerance bits must be equal, NaN apart; with an infinite one anything of the
/// shape passes.
Difference difference_within(const Tolerance& tolerance, const Literal& actual, const Literal& expected);

}  // namespace hilo::tool
