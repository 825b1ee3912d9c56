// SPDX-License-Identifier: Apache-2.0
// numpy/integers.cc -- gcd and lcm: Euclid's algorithm as one loop over all elements.
#include "hilo/lax/control_flow.h"
#include "hilo/numpy/elementwise.h"
#include "hilo/numpy/promotion.h"
#include "hilo/numpy/reductions.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

std::pair<Array, Array> integers(const char* function, const Operand& x, const Operand& y) {
  const auto [a, b] = promote(x.array(), y.array());
  if (!is_integer(a.dtype()))
    or_throw(invalid_argument(at_user_line(function) + ": wanted integers; got " + x.array().aval_shape().to_string() +
                              " and " + y.array().aval_shape().to_string()));
  return {a, b};
}

Array size_of(const Array& x) { return is_signed_integer(x.dtype()) ? ops::abs(x) : x; }

}  // namespace

Array gcd(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  const auto [a, b] = integers("gcd", x, y);
  const Array zero = ops::full_like(a, 0), one = ops::full_like(a, 1);
  const auto unfinished = [&](const std::pair<Array, Array>& v) { return numpy::any(ops::ne(v.second, zero)); };
  const auto step = [&](const std::pair<Array, Array>& v) {
    const Array done = ops::eq(v.second, zero);
    const Array rest = ops::rem(v.first, ops::select(done, one, v.second));
    return std::pair(ops::select(done, v.first, v.second), ops::select(done, zero, rest));
  };
  const std::pair<Array, Array> start(with_weak_type(size_of(a), false), with_weak_type(size_of(b), false));
  const bool weak = a.weak_type() && a.dtype() == default_integer();  // weakly typed as in JAX
  return weak_number(lax::while_loop(unfinished, step, start).first, weak);
}

Array lcm(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  const auto [a, b] = integers("lcm", x, y);
  const Array divisor = gcd(a, b), zero = ops::full_like(a, 0);
  const Array safe = ops::select(ops::eq(divisor, zero), ops::full_like(a, 1), divisor);
  const Array product = ops::mul(size_of(a), ops::div(size_of(b), safe));
  return not_weak(ops::select(ops::eq(divisor, zero), zero, product));
}

}  // namespace hilo::numpy
