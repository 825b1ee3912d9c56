// SPDX-License-Identifier: Apache-2.0
// types/narrow_float.h -- the 8- and 4-bit floats by element type, for text; reports values that don't fit.
#pragma once

#include <cstdint>
#include <optional>

#include "hilo/types/twins.h"

namespace hilo {

/// Returns whether `type` is an 8- or 4-bit float.
bool is_narrow_float(ElementType type);

/// Returns the fields of the format.
/// Precondition: is_narrow_float(type)
NarrowFormat narrow_format(ElementType type);

/// Returns the exact value of a code.
/// Precondition: is_narrow_float(type)
double narrow_float_value(ElementType type, uint8_t code);

/// Returns the nearest code, ties to even; NaN keeps its sign. Returns nullopt for values beyond the largest finite one
/// if the type has no infinity, and for values that the type lacks: NaN in f4e2m1fn; zero, negative and infinite values
/// in f8e8m0fnu.
std::optional<uint8_t> narrow_float_code(ElementType type, double value);

/// Returns the number of bits of the mantissa field.
int narrow_float_mantissa_bits(ElementType type);

}  // namespace hilo
