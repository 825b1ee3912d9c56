// SPDX-License-Identifier: Apache-2.0
// numpy/operators.h -- C++ operators on arrays: NumPy's broadcasting and JAX's type promotion.
#pragma once

#include "hilo/array/array.h"

namespace hilo {

/// numpy::left_shift, numpy::right_shift.
Array shifted_left(const Operand& x, const Operand& y);
Array shifted_right(const Operand& x, const Operand& y);

/// Element by element, with broadcasting and promotion as jax.numpy.
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

/// Bits moved to the left, to the right: numpy::left_shift, right_shift. Of arrays alone: `stream << x` prints.
template <std::same_as<Array> Bits>
Array operator<<(const Bits& x, const Operand& y) {
  return hilo::shifted_left(x, y);
}
template <std::same_as<Array> Bits>
Array operator>>(const Bits& x, const Operand& y) {
  return hilo::shifted_right(x, y);
}

Array operator-(const Operand& x);
Array operator~(const Operand& x);  ///< each bit turned round

inline Array& operator+=(Array& x, const Operand& y) { return x = Operand(x, y.location()) + y; }  ///< x is a new array
inline Array& operator-=(Array& x, const Operand& y) { return x = Operand(x, y.location()) - y; }  ///< x is a new array
inline Array& operator*=(Array& x, const Operand& y) { return x = Operand(x, y.location()) * y; }  ///< x is a new array
inline Array& operator/=(Array& x, const Operand& y) { return x = Operand(x, y.location()) / y; }  ///< x is a new array

}  // namespace hilo
