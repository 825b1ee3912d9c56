// SPDX-License-Identifier: Apache-2.0
// inspect/bisect/agreement.h -- the required agreement of an engine with the reference evaluator: one rule and its
// table.
#pragma once

#include <string>

#include "hilo/types/literal.h"

namespace hilo::hlo {

/// Returns the permitted difference of results computed in another order or by another formula, relative to the largest
/// value that they depend on; 0 for types without rounding.
double tolerance_of(ElementType type);

/// Returns the largest finite magnitude of the floats in a value, including all leaves of a tuple; 0 if none exist.
double greatest_magnitude(const Literal& value);

/// Describes the difference of an array from the expected one; "" if they agree. Floats may differ by
/// tolerance_of(type) times max(1, `scale`), where `scale` is the largest magnitude that they depend on. NaN equals
/// NaN, and numbers close to overflow equal infinity. All other values, and floats that must be `exact`, must have
/// equal bits, except for NaN.
std::string parting(const Literal& got, const Literal& expected, double scale, bool exact = false);

}  // namespace hilo::hlo
