// SPDX-License-Identifier: Apache-2.0
// numpy/logaddexp.cc -- logarithms of sums of exponentials, with JAX's derivatives: finite if one operand is infinite.
#include <numbers>

#include "hilo/lax/special.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/custom_jvp.h"

namespace hilo::numpy {
namespace {

/// Reduces x to [-a, a) by subtracting multiples of 2a.
Array wrapped(const Array& x, double a) {
  const Array rest = ops::rem(ops::add(x, ops::full_like(x, a)), ops::full_like(x, 2 * a));
  const Array negative = ops::lt(rest, ops::full_like(x, 0));
  return ops::sub(ops::select(negative, ops::add(rest, ops::full_like(x, 2 * a)), rest), ops::full_like(x, a));
}

/// Computes log_b(b^x + b^y) for b = e, or b = 2.
template <bool two>
struct LogOfSum {
  static Array power(const Array& x) { return two ? exp2(x) : exp(x); }
  static constexpr double kScale = two ? 1 / std::numbers::ln2 : 1;

  static Array value(const Array& x, const Array& y) {
    const Array greatest = maximum(x, y);
    if (is_complex(x.dtype())) {
      const Array out = greatest + log1p(power(x + y - greatest * 2)) * kScale;
      return ops::complex(ops::real(out), wrapped(ops::imag(out), std::numbers::pi * kScale));
    }
    const Array difference = ops::sub(x, y);
    const Array sum = greatest + log1p(power(-ops::abs(difference))) * kScale;
    return ops::select(isnan(difference), ops::add(x, y), sum);
  }
  /// Computes b^x / (b^x + b^y) = 1 / (1 + b^(y - x)). The rounding error of x - y is added separately, because the
  /// exponential would amplify it.
  static Array share(const Array& x, const Array& y) {
    if (is_complex(x.dtype())) return ops::logistic((x - y) * (two ? std::numbers::ln2 : 1));
    const Array difference = ops::sub(x, y), back = ops::sub(difference, x);
    const Array lost = ops::sub(ops::sub(x, ops::sub(difference, back)), ops::add(y, back));
    const Array correction = ops::select(isfinite(difference), lost, ops::full_like(x, 0));
    if (!two) return ops::logistic(difference) + lax::logistic_slope(difference) * correction;
    const Array less = exp2(-ops::abs(difference)), greater = ops::div(ops::full_like(x, 1), 1.0 + less);
    const Array right = ops::ge(difference, ops::full_like(x, 0));
    return ops::select(right, greater, less * greater) + less * square(greater) * (std::numbers::ln2 * correction);
  }

  static Array call(const Operand& x, const Operand& y) {
    const UserLocation here(x.location());
    static const auto f = custom_jvp([](Array a, Array b) { return value(a, b); })
                              .defjvps([](Array t, Array, Array a, Array b) { return t * share(a, b); },
                                       [](Array t, Array, Array a, Array b) { return t * share(b, a); });
    const auto [a, b] = promote_inexact(x.array(), y.array());
    // Constants would widen weak 16-bit types.
    const Array result = f(not_weak(a), not_weak(b));
    if (two || is_complex(a.dtype())) return weak_number(result, a.weak_type());
    return with_weak_type(result, a.weak_type());
  }
};

}  // namespace

Array calls::logaddexp(const Operand& x, const Operand& y) { return LogOfSum<false>::call(x, y); }
Array calls::logaddexp2(const Operand& x, const Operand& y) { return LogOfSum<true>::call(x, y); }

}  // namespace hilo::numpy
