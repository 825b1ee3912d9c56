// SPDX-License-Identifier: Apache-2.0
// numpy/operators.h -- C++ operators on arrays: NumPy's broadcasting and JAX's type promotion.
#pragma once

#include "hilo/trace/array.h"

namespace hilo {

/// Element by element, with broadcasting and promotion as jax.numpy.
/// Errors    INVALID_ARGUMENT if the shapes don't broadcast
#define HILO_OPERATOR(symbol) Array operator symbol(const Operand& x, const Operand& y);
HILO_OPERATOR(+)
HILO_OPERATOR(-)
HILO_OPERATOR(*)
HILO_OPERATOR(/)
HILO_OPERATOR(%)
HILO_OPERATOR(&)
HILO_OPERATOR(|)
HILO_OPERATOR(^)
HILO_OPERATOR(==)
HILO_OPERATOR(!=)
HILO_OPERATOR(<)
HILO_OPERATOR(<=)
HILO_OPERATOR(>)
HILO_OPERATOR(>=)
#undef HILO_OPERATOR

Array operator-(const Operand& x);
Array operator~(const Operand& x);  ///< each bit turned round

inline Array& operator+=(Array& x, const Operand& y) { return x = Operand(x, y.location()) + y; }  ///< x is a new array
inline Array& operator-=(Array& x, const Operand& y) { return x = Operand(x, y.location()) - y; }  ///< x is a new array
inline Array& operator*=(Array& x, const Operand& y) { return x = Operand(x, y.location()) * y; }  ///< x is a new array
inline Array& operator/=(Array& x, const Operand& y) { return x = Operand(x, y.location()) / y; }  ///< x is a new array

}  // namespace hilo
