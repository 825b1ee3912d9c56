// SPDX-License-Identifier: Apache-2.0
// numpy/operators.h -- C++ operators on arrays: NumPy's broadcasting and JAX's type promotion.
#pragma once

#include "hilo/trace/array.h"

namespace hilo {

/// Element by element, with broadcasting and promotion as jax.numpy.
/// Errors    INVALID_ARGUMENT if the shapes don't broadcast
#define HILO_OPERATOR(symbol)                            \
  Array operator symbol(const Array& x, const Array& y); \
  template <Number T>                                    \
  Array operator symbol(const Array& x, T y) {           \
    return x symbol Array(y);                            \
  }                                                      \
  template <Number T>                                    \
  Array operator symbol(T x, const Array& y) {           \
    return Array(x) symbol y;                            \
  }
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

Array operator-(const Array& x);
Array operator~(const Array& x);

inline Array& operator+=(Array& x, const Array& y) { return x = x + y; }
inline Array& operator-=(Array& x, const Array& y) { return x = x - y; }
inline Array& operator*=(Array& x, const Array& y) { return x = x * y; }
inline Array& operator/=(Array& x, const Array& y) { return x = x / y; }

}  // namespace hilo
