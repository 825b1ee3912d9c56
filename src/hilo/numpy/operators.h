// SPDX-License-Identifier: Apache-2.0
// numpy/operators.h -- C++ operators on arrays, with NumPy's broadcasting and JAX's type promotion.
#pragma once

#include "hilo/array/array.h"

namespace hilo {

/// Shifts bits; see numpy::left_shift and numpy::right_shift.
Array shifted_left(const Operand& x, const Operand& y);
Array shifted_right(const Operand& x, const Operand& y);

/// Elementwise operators, with broadcasting and type promotion as in jax.numpy.
/// Errors    INVALID_ARGUMENT if the shapes don't broadcast
Array operator+(const Operand& x, const Operand& y);
Array operator-(const Operand& x, const Operand& y);
Array operator*(const Operand& x, const Operand& y);
Array operator/(const Operand& x, const Operand& y);
Array operator%(const Operand& x, const Operand& y);
Array operator&(const Operand& x, const Operand& y);
Array operator|(const Operand& x, const Operand& y);
Array operator^(const Operand& x, const Operand& y);
Array operator==(const Operand& x, const Operand& y);
Array operator!=(const Operand& x, const Operand& y);
Array operator<(const Operand& x, const Operand& y);
Array operator<=(const Operand& x, const Operand& y);
Array operator>(const Operand& x, const Operand& y);
Array operator>=(const Operand& x, const Operand& y);

/// Shifts bits to the left or to the right: numpy::left_shift, numpy::right_shift. Both operands are arrays, because
/// `stream << x` prints.
template <std::same_as<Array> Bits>
Array operator<<(const Bits& x, const Operand& y) {
  return hilo::shifted_left(x, y);
}
template <std::same_as<Array> Bits>
Array operator>>(const Bits& x, const Operand& y) {
  return hilo::shifted_right(x, y);
}

Array operator-(const Operand& x);
Array operator~(const Operand& x);  ///< every bit inverted

/// assigns a new array to x
inline Array& operator+=(Array& x, const Operand& y) { return x = Operand(x, y.location()) + y; }
/// assigns a new array to x
inline Array& operator-=(Array& x, const Operand& y) { return x = Operand(x, y.location()) - y; }
/// assigns a new array to x
inline Array& operator*=(Array& x, const Operand& y) { return x = Operand(x, y.location()) * y; }
/// assigns a new array to x
inline Array& operator/=(Array& x, const Operand& y) { return x = Operand(x, y.location()) / y; }

}  // namespace hilo
