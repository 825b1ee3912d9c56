// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/small_linalg/householder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hilo/hlo/passes/small_linalg/marks.h"

namespace hilo::hlo::small_linalg {
namespace {

/// Returns a power of two by which the squares of x can be multiplied without overflow or loss, and its inverse.
std::pair<Expr, Expr> scale_of(Expr greatest) {
  const bool single = greatest.type() == ElementType::kF32;
  const double limit = std::ldexp(1, single ? 60 : 500), scale = std::ldexp(1, single ? 100 : 600);
  const auto choose = [&](double if_large, double if_small) {
    return select(greatest > limit, full_like(greatest, if_large),
                  select(greatest < 1 / limit, full_like(greatest, if_small), full_like(greatest, 1)));
  };
  return {choose(1 / scale, scale), choose(scale, 1 / scale)};
}

/// Returns whether the sign bit is set, as of -0.
Expr has_sign(Expr x) { return bitcast(x, x.type() == ElementType::kF32 ? ElementType::kS32 : ElementType::kS64) < 0; }

Expr greatest_part(Expr x) { return is_complex(x) ? max(abs(real(x)), abs(imag(x))) : abs(x); }

/// Replaces column k by its reflector, with R's element on the diagonal, and returns tau. Source: LAPACK's larfg.
Expr reflect_column(Elements& a, int64_t k) {
  Expr& alpha = a.at(k, k);
  if (k + 1 == a.rows && !is_complex(alpha)) return full_like(alpha, 0);
  const Expr alpha_part = is_complex(alpha) ? abs(imag(alpha)) : full_like(abs(alpha), 0);
  Expr below = alpha_part;  // zero if there is nothing to reflect
  for (int64_t r = k + 1; r < a.rows; ++r) below = max(below, greatest_part(a.at(r, k)));
  const Expr is_done = below == 0;
  const auto [scale, inverse_scale] = scale_of(max(below, greatest_part(alpha)));
  const Expr head = times(alpha, scale);
  Expr sum = squared_size(head);
  for (int64_t r = k + 1; r < a.rows; ++r) {
    a.at(r, k) = times(a.at(r, k), scale);
    sum = sum + squared_size(a.at(r, k));
  }
  const Expr norm = sqrt(sum), beta = select(has_sign(real_part(head)), norm, -norm);
  const Expr divisor = head - with_type_of(beta, head);
  const Expr one = full_like(head, 1), safe_divisor = select(is_done, one, divisor);
  for (int64_t r = k + 1; r < a.rows; ++r) a.at(r, k) = a.at(r, k) / safe_divisor;
  const Expr safe_beta = select(is_done, full_like(beta, 1), beta);
  const Expr tau = select(is_done, full_like(head, 0), divided(-divisor, safe_beta));
  alpha = select(is_done, alpha, with_type_of(beta * inverse_scale, alpha));
  return tau;
}

/// Applies 1 - tau v v^H to column c, for the reflector of column k.
void reflect(const Elements& v, int64_t k, Expr tau, Elements& a, int64_t c) {
  Expr sum = a.at(k, c);
  for (int64_t r = k + 1; r < a.rows; ++r) sum = sum + conjugate(v.at(r, k)) * a.at(r, c);
  const Expr part = tau * sum;
  a.at(k, c) = a.at(k, c) - part;
  for (int64_t r = k + 1; r < a.rows; ++r) a.at(r, c) = a.at(r, c) - v.at(r, k) * part;
}

/// Returns 0 if x is finite, else NaN.
Expr zero_if_finite(Expr x) {
  const auto zero = [](Expr part) { return part - part; };
  return is_complex(x) ? zero(real(x)) + zero(imag(x)) : zero(x);
}

/// Returns tau of reflector k; NaN if tau or the reflector contains NaN or infinities.
Expr checked_tau(const Reflectors& reflectors, int64_t k) {
  const Elements& v = reflectors.factors;
  Expr sum = zero_if_finite(reflectors.taus[k]);
  for (int64_t r = k + 1; r < v.rows; ++r) sum = sum + zero_if_finite(v.at(r, k));
  return with_added(reflectors.taus[k], sum);
}

}  // namespace

Reflectors factor_qr(Elements a) {
  const Marks marks(a);
  a = marks.cleared(std::move(a));
  Reflectors f;
  for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    f.taus.push_back(reflect_column(a, k));
    for (int64_t c = k + 1; c < a.columns; ++c) reflect(a, k, conjugate(f.taus[k]), a, c);
  }
  marks.apply(a);
  for (int64_t k = 0; k < std::ssize(f.taus); ++k)
    f.taus[k] = select(marks.is_finite_until(k), f.taus[k], nan_like(f.taus[k]));
  f.factors = std::move(a);
  return f;
}

Elements product_of(const Reflectors& reflectors) {
  const Elements& v = reflectors.factors;
  const Expr zero = full_like(v.at(0, 0), 0), one = full_like(v.at(0, 0), 1);
  Elements q{v.rows, v.columns, Exprs(v.rows * v.columns, zero)};
  for (int64_t c = std::ssize(reflectors.taus); c < q.columns; ++c) q.at(c, c) = one;
  for (int64_t k = std::ssize(reflectors.taus) - 1; k >= 0; --k) {
    const Expr tau = checked_tau(reflectors, k);
    for (int64_t c = k + 1; c < q.columns; ++c) reflect(v, k, tau, q, c);
    q.at(k, k) = one - tau;
    for (int64_t r = k + 1; r < q.rows; ++r) q.at(r, k) = -(tau * v.at(r, k));
  }
  return q;
}

}  // namespace hilo::hlo::small_linalg
