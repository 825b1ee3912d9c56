// SPDX-License-Identifier: Apache-2.0
// numpy/ufuncs.cc -- elementwise functions and operators: promote, broadcast, bind.
#include "hilo/numpy/numpy.h"

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

Array true_divide(const Array& x, const Array& y) {
  const auto [a, b] = numpy::promote_inexact(x, y);
  return ops::div(a, b);
}

/// The remainder with the divisor's sign.
Array python_remainder(const Array& x, const Array& y) {
  const Array r = ops::rem(x, y);
  const Array zero = ops::full_like(r, 0);
  const Array wrong_sign = ops::ne(ops::lt(r, zero), ops::lt(y, zero));
  return ops::select(ops::bitwise_and(wrong_sign, ops::ne(r, zero)), ops::add(r, y), r);
}

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
HILO_OPERATOR(<, ops::lt)
HILO_OPERATOR(<=, ops::le)
HILO_OPERATOR(>, ops::gt)
HILO_OPERATOR(>=, ops::ge)
#undef HILO_OPERATOR

Array operator/(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  return true_divide(x.array(), y.array());
}
Array operator-(const Operand& x) {
  const UserLocation here(x.location());
  return ops::neg(x.array());
}
Array operator~(const Operand& x) {
  const UserLocation here(x.location());
  return ops::bitwise_not(x.array());
}

namespace numpy {
namespace {

/// A transcendental function: integers become floats first.
template <typename Op>
Array inexact(const Operand& x, const Op& op) {
  const UserLocation here(x.location());
  return op(promote_inexact(x.array()));
}

/// A function of floats that is the identity on integers.
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

Array as_predicate(const Array& x) { return x.dtype() == ElementType::kPred ? x : ops::ne(x, ops::full_like(x, 0)); }

}  // namespace

#define HILO_UFUNC(name, op) \
  Array name(const Operand& x) { return inexact(x, op); }
#include "hilo/numpy/ufuncs.inc"

Array abs(const Operand& x) {
  const UserLocation here(x.location());
  return x.array().dtype() == ElementType::kPred ? x.array() : ops::abs(x.array());
}
Array add(const Operand& x, const Operand& y) { return binary(x, y, ops::add); }
Array arctan2(const Operand& y, const Operand& x) {
  const UserLocation here(y.location());
  const auto [a, b] = promote_inexact(y.array(), x.array());
  return ops::atan2(a, b);
}
Array ceil(const Operand& x) { return rounding(x, ops::ceil); }
Array clip(const Operand& x, const Operand& low, const Operand& high) { return minimum(maximum(x, low), high); }
Array divide(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  return true_divide(x.array(), y.array());
}
Array floor(const Operand& x) { return rounding(x, ops::floor); }
Array isnan(const Operand& x) {
  const UserLocation here(x.location());
  return ops::ne(x.array(), x.array());
}
Array logical_and(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  return as_predicate(x.array()) & as_predicate(y.array());
}
Array logical_not(const Operand& x) {
  const UserLocation here(x.location());
  return ops::bitwise_not(as_predicate(x.array()));
}
Array logical_or(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  return as_predicate(x.array()) | as_predicate(y.array());
}
Array maximum(const Operand& x, const Operand& y) { return binary(x, y, ops::max); }
Array minimum(const Operand& x, const Operand& y) { return binary(x, y, ops::min); }
Array multiply(const Operand& x, const Operand& y) { return binary(x, y, ops::mul); }
Array negative(const Operand& x) {
  const UserLocation here(x.location());
  return ops::neg(x.array());
}
Array power(const Operand& x, const Operand& y) { return binary(x, y, ops::pow); }
Array remainder(const Operand& x, const Operand& y) { return binary(x, y, python_remainder); }
Array round(const Operand& x) { return rounding(x, ops::round_to_even); }
Array sign(const Operand& x) {
  const UserLocation here(x.location());
  return ops::sign(x.array());
}
Array square(const Operand& x) {
  const UserLocation here(x.location());
  return ops::mul(x.array(), x.array());
}
Array subtract(const Operand& x, const Operand& y) { return binary(x, y, ops::sub); }

Array where(const Operand& condition, const Operand& x, const Operand& y) {
  const UserLocation here(condition.location());
  auto [a, b] = promote(x.array(), y.array());
  const Array predicate = as_predicate(condition.array());
  const std::vector<int64_t> shape = broadcast_shapes(predicate.shape(), a.shape());
  return ops::select(spread_to(predicate, shape), spread_to(a, shape), spread_to(b, shape));
}

}  // namespace numpy
}  // namespace hilo
