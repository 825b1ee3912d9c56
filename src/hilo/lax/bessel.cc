// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/bessel.h"

#include "hilo/lax/elementwise.h"
#include "hilo/lax/in_wide.h"
#include "hilo/lax/special.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/custom_jvp.h"

namespace hilo::lax {
namespace {

/// Returns e^|x| y, which overflows slightly later than e^|x|.
Array without_factor(const Array& x, const Array& y) {
  const double most = x.dtype() == ElementType::kF64 ? 700 : 80;
  const Array size = ops::abs(x), first = ops::min(size, ops::full_like(x, most)), rest = ops::sub(size, first);
  return ops::mul(ops::mul(ops::exp(first), y), ops::exp(rest));
}

Array wide_i1(const Array& x);

/// Returns I_1(x) / x. Near 0 it uses the power series, in whose derivative nothing cancels.
Array i1_over(const Array& x, const Array& i1) {
  const Array near = ops::lt(ops::abs(x), ops::full_like(x, 2));
  const Array at = ops::select(near, x, ops::full_like(x, 0)), square = ops::mul(at, at);
  constexpr int kTerms = 14;
  double coefficients[kTerms] = {0.5};
  for (int k = 1; k < kTerms; ++k) coefficients[k] = coefficients[k - 1] / (4.0 * k * (k + 1));
  Array sum = ops::full_like(x, coefficients[kTerms - 1]);
  for (int k = kTerms - 1; k-- > 0;) sum = ops::add(ops::mul(sum, square), ops::full_like(x, coefficients[k]));
  return ops::select(near, sum, ops::div(i1, ops::select(near, ops::full_like(x, 1), x)));
}

Array wide_i0(const Array& x) {
  static const auto f =
      custom_jvp([](const Array& a) {
        return without_factor(a, bessel_i0e(a));
      }).defjvps([](const Array& t, const Array&, const Array& a) { return ops::mul(t, wide_i1(a)); });
  return f(x);
}
Array wide_i1(const Array& x) {
  static const auto f = custom_jvp([](const Array& a) {
                          return without_factor(a, bessel_i1e(a));
                        }).defjvps([](const Array& t, const Array& i1, const Array& a) {
    return ops::mul(t, ops::sub(wide_i0(a), i1_over(a, i1)));
  });
  return f(x);
}

}  // namespace

Array bessel_i0(const Operand& x) {
  const UserLocation here(x.location());
  return in_wide("bessel_i0", {x}, [](std::span<const Array> a) { return wide_i0(a[0]); });
}
Array bessel_i1(const Operand& x) {
  const UserLocation here(x.location());
  return in_wide("bessel_i1", {x}, [](std::span<const Array> a) { return wide_i1(a[0]); });
}

}  // namespace hilo::lax
