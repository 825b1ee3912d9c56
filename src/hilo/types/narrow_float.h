// SPDX-License-Identifier: Apache-2.0
// types/narrow_float.h -- the 8- and 4-bit floats by element type, for text: values that don't fit are told apart.
#pragma once

#include <cstdint>
#include <optional>

#include "hilo/types/twins.h"

namespace hilo {

/// Whether `type` is an 8- or 4-bit float.
bool is_narrow_float(ElementType type);

/// Its fields. Precondition: is_narrow_float(type).
NarrowFormat narrow_format(ElementType type);

/// The value of a code; exact. Precondition: is_narrow_float(type).
double narrow_float_value(ElementType type, uint8_t code);

/// The nearest code, ties to the even one; NaN keeps its sign. Nullopt if the value is beyond the largest finite one
/// and the type has no infinity, or if the type has no such value at all (NaN in f4e2m1fn, zero, negative and infinite
/// values in f8e8m0fnu).
std::optional<uint8_t> narrow_float_code(ElementType type, double value);

/// Bits of the mantissa field.
int narrow_float_mantissa_bits(ElementType type);

}  // namespace hilo
