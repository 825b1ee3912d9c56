// SPDX-License-Identifier: Apache-2.0
// Samples of special functions. Expected values are computed by the C++ library in long double, by series of positive
// terms and by recurrences. Arguments are exact in bf16, and results are far from 0.
#include <array>
#include <cmath>
#include <numbers>

#include "hilo/hlo/ir/extensions.h"
#include "tests/support/sample_families.h"

namespace hilo::tests {
namespace {

using Function1 = long double (*)(long double);
using Function2 = long double (*)(long double, long double);

/// n elements: f of the points, repeated.
Samples unary(hlo::Opcode opcode, Wanted wanted, std::span<const double> points, Function1 f, double ulps) {
  Sample s{.opcode = opcode, .operands = {Literal(Shape::array(wanted.type, {wanted.n}))}, .ulps = ulps};
  s.expected = s.operands[0];
  for (int64_t i = 0; i < wanted.n; ++i) {
    const long double x = points[static_cast<size_t>(i) % points.size()];
    store_wide(s.operands[0], i, x);
    store_wide(s.expected, i, f(x));
  }
  return {s};
}

struct Point {
  double x, y;
};

Samples binary(hlo::Opcode opcode, Wanted wanted, std::span<const Point> points, Function2 f, double ulps) {
  const Literal empty(Shape::array(wanted.type, {wanted.n}));
  Sample s{.opcode = opcode, .operands = {empty, empty}, .ulps = ulps};
  s.expected = empty;
  for (int64_t i = 0; i < wanted.n; ++i) {
    const Point p = points[static_cast<size_t>(i) % points.size()];
    store_wide(s.operands[0], i, p.x);
    store_wide(s.operands[1], i, p.y);
    store_wide(s.expected, i, f(p.x, p.y));
  }
  return {s};
}

constexpr std::array<double, 17> kBothSides = {3,    -1.25, 0.25, 5.5,   -0.25, 10,    -3.25, 2.5,  0.75,
                                               4.25, -5.25, 7.75, -2.25, 20,    0.125, 6,     -8.25};

/// digamma: x -> x + 1 up to 30, then the asymptotic series; reflection for negative x.
long double digamma_of(long double x) {
  if (x <= 0)
    return digamma_of(1 - x) - std::numbers::pi_v<long double> / std::tan(std::numbers::pi_v<long double> * x);
  long double sum = 0;
  for (; x < 30; ++x) sum -= 1 / x;
  const long double s = 1 / (x * x);
  return sum + std::log(x) - 1 / (2 * x) - s * (1 / 12.0L - s * (1 / 120.0L - s * (1 / 252.0L - s / 240)));
}

/// The sum of (q + k)^-x: 200 terms, then the Euler-Maclaurin formula.
long double zeta_of(long double x, long double q) {
  long double sum = 0;
  for (int k = 0; k < 200; ++k, ++q) sum += std::pow(q, -x);
  const long double p = std::pow(q, -x);
  return sum + p * (q / (x - 1) + 0.5L + x / (12 * q) - x * (x + 1) * (x + 2) / (720 * q * q * q));
}

long double polygamma_of(long double n, long double x) {
  if (n == 0) return digamma_of(x);
  return (std::fmod(n, 2) == 1 ? 1 : -1) * std::tgamma(n + 1) * zeta_of(n + 1, x);
}

/// e^-|x| times the Bessel function of this order, by its power series.
long double bessel_of(int order, long double x) {
  const long double half = std::fabs(x) / 2;
  long double term = order == 0 ? 1 : half, sum = 0;
  for (int k = 1; k < 200; ++k) {
    sum += term;
    term *= half * half / (k * (k + order));
  }
  return (order == 1 && x < 0 ? -1 : 1) * std::exp(-std::fabs(x)) * sum;
}

constexpr std::array<double, 17> kBessel = {3,     -1.25, 0.25, 5.5,  -0.25, 10,    -7.75, 2.5,  0.75,
                                            12.25, -8.25, 7.5,  -2.5, 20,    0.125, -6,    -30.5};

}  // namespace

Samples erfc_samples(Wanted wanted) {
  constexpr std::array<double, 17> kPoints = {0.25, -1.25, 1.5,    3,    -3,   0.75, 2.25,  -0.5, 3.75,
                                              -2,   1.25,  -0.125, 2.75, 1.75, 0.5,  -0.75, 3.25};
  return unary(hlo::kExtErfc, wanted, kPoints, std::erfc, 16);
}

Samples lgamma_samples(Wanted wanted) {
  return unary(hlo::kExtLgamma, wanted, kBothSides, [](long double x) { return std::lgamma(x); }, 64);
}

Samples digamma_samples(Wanted wanted) { return unary(hlo::kExtDigamma, wanted, kBothSides, digamma_of, 32); }

Samples polygamma_samples(Wanted wanted) {
  constexpr std::array<Point, 13> kPoints = {{{1, 0.5},
                                              {2, 1.25},
                                              {0, 3},
                                              {3, 0.75},
                                              {1, 5.5},
                                              {4, 2.5},
                                              {0, 0.25},
                                              {2, 0.5},
                                              {1, 10},
                                              {3, 4},
                                              {5, 1},
                                              {0, 7.75},
                                              {2, 3}}};
  return binary(hlo::kExtPolygamma, wanted, kPoints, polygamma_of, 64);
}

Samples zeta_samples(Wanted wanted) {
  constexpr std::array<Point, 13> kPoints = {{{2, 1},
                                              {1.5, 0.5},
                                              {3, 2.25},
                                              {4.5, 1.5},
                                              {2, 0.25},
                                              {6, 3},
                                              {1.25, 4},
                                              {2.5, 10},
                                              {3.5, 0.75},
                                              {8, 1},
                                              {5, 2},
                                              {1.75, 1.25},
                                              {3, 7.5}}};
  return binary(hlo::kExtZeta, wanted, kPoints, zeta_of, 32);
}

Samples logistic_slope_samples(Wanted wanted) {
  const Function1 f = [](long double x) { return 1 / ((1 + std::exp(x)) * (1 + std::exp(-x))); };
  return unary(hlo::kExtLogisticSlope, wanted, kBothSides, f, 8);
}

Samples bessel_i0e_samples(Wanted wanted) {
  return unary(hlo::kExtBesselI0e, wanted, kBessel, [](long double x) { return bessel_of(0, x); }, 8);
}

Samples bessel_i1e_samples(Wanted wanted) {
  return unary(hlo::kExtBesselI1e, wanted, kBessel, [](long double x) { return bessel_of(1, x); }, 8);
}

struct Fused {
  double x, y, z, result;
};

/// Sums that show whether the product was rounded; infinite, zero and overflowing products.
std::vector<Fused> fused_edges(ElementType type) {
  const bool half = type == ElementType::kF16;
  const int digits = half ? 11 : type == ElementType::kBf16 ? 8 : type == ElementType::kF32 ? 24 : 53;
  const double unit = std::ldexp(1.0, 1 - digits);  // from 1 to the next number
  const double greatest = std::ldexp(2 - unit, half ? 15 : type == ElementType::kF64 ? 1023 : 127);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  return {{1 + unit, 1 - unit, -1, -unit * unit},
          {greatest, 2, -greatest, greatest},
          {greatest, 2, 0, kInfinity},
          {kInfinity, 0, 1, kNan},
          {kInfinity, 1, -kInfinity, kNan},
          {-kInfinity, 2, 5, -kInfinity},
          {kNan, 1, 1, kNan},
          {1, 1, kNan, kNan},
          {0, -1, 0, 0},
          {0, -1, -0.0, -0.0}};
}

Samples fma_samples(Wanted wanted) {
  std::vector<Fused> points = {{1.5, -2.25, 3, -0.375},
                               {0.5, 0.25, -4, -3.875},
                               {-3, 1.25, 0.75, -3},
                               {2, -0.5, 0.125, -0.875},
                               {-1.75, -4, 1, 8}};
  if (wanted.values == Values::kEdges) points = fused_edges(wanted.type);
  const Literal empty(Shape::array(wanted.type, {wanted.n}));
  Sample s{.opcode = hlo::kExtFma, .operands = {empty, empty, empty}};
  s.expected = empty;
  for (int64_t i = 0; i < wanted.n; ++i) {
    const Fused& p = points[static_cast<size_t>(i) % points.size()];
    store_wide(s.operands[0], i, p.x);
    store_wide(s.operands[1], i, p.y);
    store_wide(s.operands[2], i, p.z);
    store_wide(s.expected, i, p.result);
  }
  return {s};
}

/// x plus a small step towards y, doubled until the sum rounds to another number.
Samples nextafter_samples(Wanted wanted) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::array<Point, 17> kPoints = {{{1, 2},
                                              {1, 0},
                                              {-1, 0},
                                              {-1, -3},
                                              {0, 1},
                                              {0, -1},
                                              {0.75, kInfinity},
                                              {-0.75, kInfinity},
                                              {1.5, 1.5},
                                              {2, -kInfinity},
                                              {kNan, 1},
                                              {1, kNan},
                                              {-4, 4},
                                              {0.125, -0.125},
                                              {1.75, 2},
                                              {-2, -1.75},
                                              {-kInfinity, -kInfinity}}};
  Samples samples = binary(hlo::kExtNextafter, wanted, kPoints, [](long double x, long double) { return x; }, 0);
  Sample& s = samples[0];
  for (int64_t i = 0; i < wanted.n; ++i) {
    const long double x = wide_at(s.operands[0], i).real(), y = wide_at(s.operands[1], i).real();
    if (std::isnan(y)) store_wide(s.expected, i, y);
    if (!(x < y) && !(y < x)) continue;
    for (long double h = std::ldexp(1.0L, -1100); h < 1e9L && wide_at(s.expected, i).real() == x; h *= 2)
      store_wide(s.expected, i, x < y ? x + h : x - h);
  }
  return samples;
}

}  // namespace hilo::tests
