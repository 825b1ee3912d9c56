// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/special/bessel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hilo/lax/bessel.h"
#include "hilo/lax/elementwise.h"
#include "hilo/numpy/promotion.h"
#include "hilo/scipy/special/support.h"

namespace hilo::scipy::special {

Array i0e(const Operand& x) {
  return of_real("i0e", x, [](const Array& a) { return lax::bessel_i0e(a); });
}
Array i1e(const Operand& x) {
  return of_real("i1e", x, [](const Array& a) { return lax::bessel_i1e(a); });
}
Array i0(const Operand& x) {
  return of_real("i0", x, [](const Array& a) { return lax::bessel_i0(a); });
}
Array i1(const Operand& x) {
  return of_real("i1", x, [](const Array& a) { return lax::bessel_i1(a); });
}

namespace {

/// Returns the functions of orders 0..v, stacked in front of x's shape. The quotients J_k / J_{k-1} = x / (2k - x
/// J_{k+1} / J_k) hold for every x, also 0, and neither overflow nor underflow. J_0 follows from J_0 + 2 (J_2 + J_4 +
/// ...) = 1.
Array bessel_by_quotients(const Array& x, int64_t v, int64_t n_iter) {
  std::vector<Array> quotients(static_cast<size_t>(n_iter) + 1);  // index k: J_k / J_{k-1}
  Array quotient = numpy::zeros_like(x);
  for (int64_t k = n_iter + 1; k > 0; --k) {
    const Array divisor = 2.0 * static_cast<double>(k) - x * quotient;
    // 1e-30 in place of 0: the next quotient is approximately its reciprocal
    quotient = x / numpy::where(divisor == 0, 1e-30, divisor);
    if (k <= n_iter) quotients[k] = quotient;
  }
  Array of_first = numpy::ones_like(x), sum = of_first;  // J_k / J_0
  std::vector<Array> selected = {of_first};
  for (int64_t k = 1; k <= n_iter; ++k) {
    of_first = of_first * quotients[k];
    if (k % 2 == 0) sum = sum + 2.0 * of_first;
    if (k <= v) selected.push_back(of_first);
  }
  return numpy::stack(selected) / sum;
}

/// Computes the functions with the derivatives J_0' = -J_1 and J_k' = (J_{k-1} - J_{k+1}) / 2.
Array bessel_orders(const Array& x, int64_t v, int64_t n_iter) {
  const auto value = [v, n_iter](const Array& at) { return bessel_by_quotients(at, v, n_iter); };
  const auto slope = [v, n_iter](const Array& at, const Array&) {
    const Array all = bessel_orders(at, v + 1, std::max(n_iter, v + 1));
    std::vector<Array> slopes = {-all[1]};
    for (int64_t k = 1; k <= v; ++k) slopes.push_back(0.5 * (all[k - 1] - all[k + 1]));
    return numpy::stack(slopes);
  };
  return with_slope(value, slope, x);
}

}  // namespace

Array bessel_jn(const Operand& z, const BesselOptions& o) {
  const UserLocation here(z.location());
  if (o.v < 0 || o.n_iter < o.v)
    or_throw(invalid_argument(
        fmt::format("{}: v must be in 0..n_iter; got {} and {}", at_user_line("bessel_jn"), o.v, o.n_iter)));
  return widely(real_operands("bessel_jn", {z}),
                [&](const std::vector<Array>& x) { return bessel_orders(x[0], o.v, o.n_iter); });
}

namespace {

/// Returns the associated Legendre functions of cos(theta), normalized for spherical harmonics, by degree and order.
std::vector<std::vector<Array>> legendre_table(const Array& theta, int64_t n_max) {
  const Array x = numpy::cos(theta), sine = numpy::sin(theta);
  const Array root = numpy::where(sine < 0, -sine, sine);  // sqrt(1 - x^2), with a derivative at the poles
  std::vector<std::vector<Array>> p(static_cast<size_t>(n_max) + 1);
  Array diagonal = numpy::full_like(x, 0.5 / std::sqrt(std::numbers::pi));
  for (int64_t m = 0; m <= n_max; ++m) {
    const double order = static_cast<double>(m);
    if (m > 0) diagonal = -std::sqrt(1 + 0.5 / order) * root * diagonal;
    p[m].push_back(diagonal);
    Array before = numpy::zeros_like(x), now = diagonal;
    for (int64_t l = m + 1; l <= n_max; ++l) {
      const double n = static_cast<double>(l), below = n - 1;
      const double a = std::sqrt((4 * n * n - 1) / (n * n - order * order));
      const double b = std::sqrt((below * below - order * order) / (4 * below * below - 1));
      const Array next = a * (x * now - b * before);
      before = now;
      now = next;
      p[m].push_back(now);
    }
  }
  return p;
}

}  // namespace

Array sph_harm_y(const Operand& n, const Operand& m, const Operand& theta, const Operand& phi,
                 const HarmonicOptions& o) {
  const UserLocation here(n.location());
  const Array degree = numpy::atleast_1d(n), order = numpy::atleast_1d(m), polar = numpy::atleast_1d(theta);
  if (degree.ndim() != 1 || !std::ranges::equal(degree.shape(), order.shape()))
    or_throw(invalid_argument(fmt::format("{}: n and m must be vectors of one length; got {} and {}",
                                          at_user_line("sph_harm_y"), degree.aval_shape().to_string(),
                                          order.aval_shape().to_string())));
  const int64_t n_max = o.n_max ? *o.n_max : numpy::max(degree).item<int64_t>();
  if (n_max < 0)
    or_throw(
        invalid_argument(fmt::format("{}: n_max must not be negative; got {}", at_user_line("sph_harm_y"), n_max)));
  const Array angle_from_pole = numpy::promote_inexact(polar), size = numpy::abs(order);
  const std::vector<std::vector<Array>> table = legendre_table(angle_from_pole, n_max);
  Array p = numpy::zeros_like(angle_from_pole);
  for (int64_t k = 0; k <= n_max; ++k)
    for (int64_t l = k; l <= n_max; ++l)
      p = numpy::where((size == k) & (numpy::clip(degree, 0, n_max) == l), table[k][l - k], p);
  const Array angle = numpy::astype(size, p.dtype()) * phi;
  const Array value = lax::complex(p * numpy::cos(angle), p * numpy::sin(angle));
  const Array sign = numpy::where(numpy::mod(size, 2) == 0, 1.0, -1.0);
  return numpy::where(order < 0, sign * numpy::conj(value), value);
}

}  // namespace hilo::scipy::special
