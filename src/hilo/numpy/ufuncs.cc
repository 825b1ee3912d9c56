// SPDX-License-Identifier: Apache-2.0
// numpy/ufuncs.cc -- elementwise functions and operators: promote and broadcast operands, then bind one op.
#include "hilo/numpy/elementwise.h"

#include <optional>

#include "hilo/lax/elementwise.h"
#include "hilo/lax/special.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo {
namespace {

using Binary = Array (*)(const Array&, const Array&);

Array promoted(const Array& x, const Array& y, Binary f) {
  const auto [a, b] = numpy::promote(x, y);
  return f(a, b);
}

Array quotient(const Array& x, const Array& y) {
  const auto [a, b] = numpy::promote_inexact(x, y);
  return ops::div(a, b);
}

/// Converts pred to s32, also with x64: booleans cannot be divided.
Array numeric(const Array& x) {
  return x.dtype() == ElementType::kPred ? ops::convert_element_type(x, ElementType::kS32) : x;
}

/// Replaces zeros of integers by 1.
Array without_zeros(const Array& y) {
  const Array changed = ops::select(ops::eq(y, ops::full_like(y, 0)), ops::full_like(y, 1), y);
  return with_weak_type(changed, y.weak_type());
}

/// Returns the remainder with the divisor's sign. For integers, a divisor of 0 acts as 1, as in JAX.
Array python_remainder(const Array& dividend, const Array& divisor) {
  const Array x = numeric(dividend), typed = numeric(divisor);
  const Array y = is_integer(typed.dtype()) ? without_zeros(typed) : typed;
  const Array r = ops::rem(x, y);
  const Array zero = ops::full_like(r, 0);
  const Array wrong_sign = ops::ne(ops::lt(r, zero), ops::lt(y, zero));
  const Array result = ops::select(ops::bitwise_and(wrong_sign, ops::ne(r, zero)), ops::add(r, y), r);
  return with_weak_type(result, x.weak_type());
}

/// Compares complex numbers by real parts, ties by imaginary parts.
template <typename Compare>
Array is_ordered(const Array& a, const Array& b, const Compare& compare) {
  if (!is_complex(a.dtype())) return compare(a, b);
  const Array x = ops::real(a), y = ops::real(b);
  return ops::select(ops::eq(x, y), compare(ops::imag(a), ops::imag(b)), compare(x, y));
}
Array less(const Array& a, const Array& b) { return is_ordered(a, b, ops::lt); }
Array less_equal(const Array& a, const Array& b) { return is_ordered(a, b, ops::le); }
Array greater(const Array& a, const Array& b) { return is_ordered(a, b, ops::gt); }
Array greater_equal(const Array& a, const Array& b) { return is_ordered(a, b, ops::ge); }

}  // namespace

#define HILO_OPERATOR(symbol, function)                                                                   \
  Array operator symbol(const Operand& x, const Operand& y) {                                             \
    const UserLocation here(x.location());                                                                \
    return promoted(x.array(), y.array(), [](const Array& a, const Array& b) { return function(a, b); }); \
  }
HILO_OPERATOR(+, ops::add)
HILO_OPERATOR(-, ops::sub)
HILO_OPERATOR(*, ops::mul)
HILO_OPERATOR(%, python_remainder)
HILO_OPERATOR(&, ops::bitwise_and)
HILO_OPERATOR(|, ops::bitwise_or)
HILO_OPERATOR(^, ops::bitwise_xor)
HILO_OPERATOR(==, ops::eq)
HILO_OPERATOR(!=, ops::ne)
HILO_OPERATOR(<, less)
HILO_OPERATOR(<=, less_equal)
HILO_OPERATOR(>, greater)
HILO_OPERATOR(>=, greater_equal)
#undef HILO_OPERATOR

Array operator/(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  return quotient(x.array(), y.array());
}
Array operator-(const Operand& x) {
  const UserLocation here(x.location());
  return ops::neg(x.array());
}
Array operator~(const Operand& x) {
  const UserLocation here(x.location());
  return ops::bitwise_not(x.array());
}

Array shifted_left(const Operand& x, const Operand& y) { return numpy::left_shift(x, y); }
Array shifted_right(const Operand& x, const Operand& y) { return numpy::right_shift(x, y); }

namespace numpy {
namespace {

/// Applies a transcendental function; integers are converted to floats first.
template <typename Op>
Array of_floats(const Operand& x, const Op& op) {
  const UserLocation here(x.location());
  return op(promote_inexact(x.array()));
}

/// Applies a function of floats that is the identity on integers.
template <typename Op>
Array rounding(const Operand& x, const Op& op) {
  const UserLocation here(x.location());
  return is_floating(x.array().dtype()) ? op(x.array()) : x.array();
}

template <typename Op>
Array binary(const Operand& x, const Operand& y, const Op& op) {
  const UserLocation here(x.location());
  const auto [a, b] = promote(x.array(), y.array());
  return op(a, b);
}

/// Returns the maximum or minimum; complex numbers compare by real parts, then imaginary parts.
template <typename Op, typename Compare>
Array extreme(const Operand& x, const Operand& y, const Op& op, const Compare& compare) {
  return binary(x, y, [&](const Array& a, const Array& b) {
    return is_complex(a.dtype()) ? ops::select(is_ordered(a, b, compare), a, b) : op(a, b);
  });
}

/// Computes x^y for integers by repeated squaring; uses the exponent's lowest 6 bits, as JAX does.
Array power_of_integers(Array x, Array y) {
  const Array zero = ops::full_like(x, 0), one = ops::full_like(x, 1);
  Array result = ops::select(ops::bitwise_and(ops::eq(x, zero), ops::ne(y, zero)), zero, one);
  for (int bit = 0; bit < 6; ++bit) {
    result = ops::select(ops::ne(ops::bitwise_and(y, one), zero), ops::mul(result, x), result);
    x = ops::mul(x, x);
    y = ops::shift_right_logical(y, one);
  }
  return not_weak(result);
}

/// Computes x^y for floats x and an integer y: at y = 0 the derivative with respect to x is 0, even at x = 0.
Array power_by_integer(const Array& x, const Array& y) {
  const Array fixed = ops::eq(y, ops::full_like(y, 0));
  return ops::pow(with_weak_type(ops::select(fixed, ops::full_like(x, 1), x), x.weak_type()), y);
}

Array as_predicate(const Array& x) { return x.dtype() == ElementType::kPred ? x : ops::ne(x, ops::full_like(x, 0)); }

}  // namespace

#define HILO_UFUNC(name, op) \
  Array name(const Operand& x) { return of_floats(x, op); }
#include "hilo/numpy/ufuncs.inc"

Array abs(const Operand& x) {
  const UserLocation here(x.location());
  return x.array().dtype() == ElementType::kPred ? x.array() : ops::abs(x.array());
}
Array calls::add(const Operand& x, const Operand& y) { return binary(x, y, ops::add); }
Array arctan2(const Operand& y, const Operand& x) {
  const UserLocation here(y.location());
  const auto [a, b] = promote_inexact(y.array(), x.array());
  return ops::atan2(a, b);
}
Array ceil(const Operand& x) { return rounding(x, ops::ceil); }
Array divide(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  return quotient(x.array(), y.array());
}
Array floor(const Operand& x) { return rounding(x, ops::floor); }
Array calls::logical_and(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  return as_predicate(x.array()) & as_predicate(y.array());
}
Array logical_not(const Operand& x) {
  const UserLocation here(x.location());
  if (x.array().dtype() == ElementType::kPred) return ops::bitwise_not(x.array());
  return weak_number(ops::bitwise_not(as_predicate(x.array())), x.array().weak_type());
}
Array calls::logical_or(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  return as_predicate(x.array()) | as_predicate(y.array());
}
Array calls::maximum(const Operand& x, const Operand& y) { return extreme(x, y, ops::max, ops::ge); }
Array calls::minimum(const Operand& x, const Operand& y) { return extreme(x, y, ops::min, ops::le); }
Array calls::multiply(const Operand& x, const Operand& y) { return binary(x, y, ops::mul); }
Array calls::negative(const Operand& x) {
  const UserLocation here(x.location());
  return ops::neg(x.array());
}
Array power(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  const Array &base = x.array(), &exponent = y.array();
  const bool number = is_concrete(exponent) && exponent.weak_type() && exponent.ndim() == 0;
  if (number && is_integer(exponent.dtype())) {
    const Array a = numeric(base);
    const int64_t n = exponent.item<int64_t>();
    if (n < 0 && is_integer(a.dtype()))
      or_throw(invalid_argument(at_user_line("power") + ": integers cannot be raised to negative powers; got " +
                                a.aval_shape().to_string() + " and " + std::to_string(n)));
    return lax::integer_pow(a, n);
  }
  const auto [p, q] = promote(base, exponent);
  const Array a = numeric(p), b = numeric(q);
  if (is_integer(a.dtype())) return power_of_integers(a, b);
  if (!is_integer(exponent.dtype())) return ops::pow(a, b);
  return with_weak_type(power_by_integer(a, b), base.weak_type() && exponent.weak_type());
}
Array remainder(const Operand& x, const Operand& y) { return binary(x, y, python_remainder); }
Array sign(const Operand& x) {
  const UserLocation here(x.location());
  return ops::sign(x.array());
}
Array square(const Operand& x) {
  const UserLocation here(x.location());
  const Array a = numeric(x.array());
  return ops::mul(a, a);
}
Array calls::subtract(const Operand& x, const Operand& y) { return binary(x, y, ops::sub); }

Array where(const Operand& condition, const Operand& x, const Operand& y) {
  const UserLocation here(condition.location());
  auto [a, b] = promote(x.array(), y.array());
  const Array predicate = as_predicate(condition.array());
  const std::vector<int64_t> shape = broadcast_shapes(predicate.shape(), a.shape());
  return ops::select(spread_to(predicate, shape), spread_to(a, shape), spread_to(b, shape));
}

}  // namespace numpy
}  // namespace hilo
