// SPDX-License-Identifier: Apache-2.0
// inspect/bisect/agreement.h -- how near an engine must be to the reference evaluator: the one rule, and its one table.
#pragma once

#include <string>

#include "hilo/types/literal.h"

namespace hilo::hlo {

/// How far apart results may be that are computed in another order or by another formula, relative to the greatest
/// value that they come from; 0 for types that aren't rounded.
double tolerance_of(ElementType type);

/// The greatest finite magnitude of the floats in a value; of a tuple, of all its leaves; 0 if there is none.
double greatest_magnitude(const Literal& value);

/// What differs between an array and the one that is wanted, or "". Floats may be apart by tolerance_of(type) times
/// `scale`, the greatest magnitude that they come from, and at least 1; NaN is NaN, and beyond what nearly overflows a
/// number may be infinite. All else, and floats that must be `exact`, are the same bits, but for NaN.
std::string parting(const Literal& got, const Literal& wanted, double scale, bool exact = false);

}  // namespace hilo::hlo
