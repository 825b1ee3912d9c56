// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/normal.h"

#include <cmath>
#include <numbers>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/lax/special.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/custom_jvp.h"

namespace hilo::lax {
namespace {

Array scaled(const Array& x, double by) { return ops::mul(x, ops::full_like(x, by)); }
Array fma(const Array& x, const Array& y, const Array& z) { return bind_one(hlo::kExtFma, {x, y, z}); }
Array within(const Array& x, double limit) {
  return ops::clamp(ops::scalar(-limit, x.dtype()), x, ops::scalar(limit, x.dtype()));
}

/// Returns erfc(z) / 2 with z = -x / sqrt(2). For z > 0 erfc decreases like exp(-z^2), so an error of z is multiplied
/// by 2 z.
Array half_erfc(const Array& x) {
  const bool wide = x.dtype() == ElementType::kF64;
  const double high = wide ? std::numbers::sqrt2 / 2 : static_cast<float>(std::numbers::sqrt2 / 2);
  const double low = wide ? -0x1.bdd3413b26456p-55 : std::numbers::sqrt2 / 2 - high;
  const Array at = within(ops::neg(x), 64), z = scaled(at, high);  // outside of this range the result is 0 or 1
  const Array lost = ops::add(fma(at, ops::full_like(x, high), ops::neg(z)), scaled(at, low));
  const Array value = scaled(erfc(z), 0.5), right = ops::max(z, ops::full_like(x, 0));
  return ops::sub(value, ops::mul(ops::mul(value, scaled(right, 2)), lost));
}

}  // namespace

Array exp_of_square(const Array& x, double scale) {
  const Array inside = scale > 0 ? within(x, 64) : x;  // outside of this range a decreasing curve is 0 in every type
  const Array high = ops::mul(inside, inside), low = fma(inside, inside, ops::neg(high));
  const Array value = ops::exp(scaled(high, -scale));
  const Array exact = ops::sub(value, ops::mul(value, scaled(low, scale)));
  return scale > 0 ? exact : ops::select(ops::is_finite(value), exact, value);
}

Array normal_density(const Array& x) { return scaled(exp_of_square(x, 0.5), 1 / std::sqrt(2 * std::numbers::pi)); }

Array normal_distribution(const Array& x) {
  static const auto f =
      custom_jvp([](const Array& a) { return half_erfc(a); }).defjvps([](const Array& t, const Array&, const Array& a) {
        return ops::mul(t, normal_density(a));
      });
  return f(x);
}

}  // namespace hilo::lax
