// SPDX-License-Identifier: Apache-2.0
#include "tests/support/true_value.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "hilo/hlo/ir/extensions.h"

namespace hilo::tests {
namespace {

using hlo::Opcode;
using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
constexpr mpfr_rnd_t kNearest = MPFR_RNDN;

int logistic(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t round) {
  mpfr_neg(out, x, round);
  mpfr_exp(out, out, round);
  mpfr_add_ui(out, out, 1, round);
  return mpfr_ui_div(out, 1, out, round);
}

/// 1 / sqrt x; -infinity at -0.
int rec_sqrt(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t round) {
  if (!mpfr_zero_p(x)) return mpfr_rec_sqrt(out, x, round);
  mpfr_set_inf(out, mpfr_signbit(x) != 0 ? -1 : 1);
  return 0;
}

int lgamma(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t round) {
  int sign = 0;
  return mpfr_lgamma(out, &sign, x, round);
}

/// NaN at the poles, as in XLA; MPFR has an infinity at 0.
int digamma(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t round) {
  if (mpfr_zero_p(x)) mpfr_set_nan(out);
  else mpfr_digamma(out, x, round);
  return 0;
}

/// The y with erf y = x, by Newton's method, starting from a double's logarithm of 1 - |x|.
int erf_inv(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t round) {
  if (mpfr_nan_p(x) || mpfr_cmpabs_ui(x, 1) > 0) return mpfr_set_nan(out), 0;
  if (mpfr_zero_p(x)) return mpfr_set(out, x, round);
  if (mpfr_cmpabs_ui(x, 1) == 0) return mpfr_set_inf(out, mpfr_sgn(x)), 0;
  constexpr mpfr_prec_t kBits = 400;  // near 1, cancellation in erfc loses digits of erf
  mpfr_t y, error, slope;
  mpfr_inits2(kBits, y, error, slope, nullptr);
  // Winitzki's approximation as start.
  const double v = mpfr_get_d(x, round), log = std::log1p(-std::fabs(v)) + std::log1p(std::fabs(v));
  const double a = 0.147, half = 2 / (3.14159265358979 * a) + log / 2;
  mpfr_set_d(y, std::copysign(std::sqrt(std::sqrt(half * half - log / a) - half), v), round);
  if (std::fabs(v) < 1e-8) mpfr_mul_d(y, x, 0.886226925452758, round);
  for (int step = 0; step < 8; ++step) {
    mpfr_erf(error, y, round);
    mpfr_sub(error, error, x, round);
    mpfr_sqr(slope, y, round);
    mpfr_exp(slope, slope, round);
    mpfr_mul(error, error, slope, round);  // * sqrt(pi)/2
    mpfr_const_pi(slope, round);
    mpfr_sqrt(slope, slope, round);
    mpfr_mul(error, error, slope, round);
    mpfr_div_2ui(error, error, 1, round);
    mpfr_sub(y, y, error, round);
  }
  mpfr_set(out, y, round);
  mpfr_clears(y, error, slope, nullptr);
  return 0;
}

/// e^-|x| I_order(x): the power series, which has positive terms, or for large x Hankel's series, whose least term is
/// tiny there.
void bessel_near(mpfr_ptr out, mpfr_srcptr size, unsigned order) {
  constexpr mpfr_prec_t kBits = 256;
  mpfr_t term, square;
  mpfr_inits2(kBits, term, square, nullptr);
  mpfr_sqr(square, size, kNearest);
  mpfr_div_2ui(square, square, 2, kNearest);
  mpfr_set_ui(term, 1, kNearest);
  if (order == 1) mpfr_div_2ui(term, size, 1, kNearest);
  mpfr_set(out, term, kNearest);
  for (unsigned k = 1; !mpfr_zero_p(term) && mpfr_get_exp(term) > mpfr_get_exp(out) - kBits; ++k) {
    mpfr_mul(term, term, square, kNearest);
    mpfr_div_ui(term, term, k * (k + order), kNearest);
    mpfr_add(out, out, term, kNearest);
  }
  mpfr_neg(term, size, kNearest);
  mpfr_exp(term, term, kNearest);
  mpfr_mul(out, out, term, kNearest);
  mpfr_clears(term, square, nullptr);
}

void bessel_far(mpfr_ptr out, mpfr_srcptr size, unsigned order) {
  TrueNumber term(1), pi;
  mpfr_set_ui(out, 1, kNearest);
  for (unsigned k = 1; k < 60; ++k) {  // term *= ((2k-1)^2 - 4 order^2) / (8 k x)
    mpfr_mul_si(term.get(), term.get(), static_cast<long>((2 * k - 1) * (2 * k - 1)) - static_cast<long>(4 * order),
                kNearest);
    mpfr_div_ui(term.get(), term.get(), 8 * k, kNearest);
    mpfr_div(term.get(), term.get(), size, kNearest);
    mpfr_add(out, out, term.get(), kNearest);
  }
  mpfr_const_pi(pi.get(), kNearest);
  mpfr_mul_2ui(pi.get(), pi.get(), 1, kNearest);
  mpfr_mul(pi.get(), pi.get(), size, kNearest);
  mpfr_rec_sqrt(pi.get(), pi.get(), kNearest);
  mpfr_mul(out, out, pi.get(), kNearest);
}

template <unsigned kOrder>
int bessel(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t round) {
  if (mpfr_nan_p(x)) return mpfr_set_nan(out), 0;
  if (mpfr_inf_p(x)) return mpfr_set_zero(out, kOrder == 1 ? mpfr_sgn(x) : 1), 0;
  TrueNumber size;
  mpfr_abs(size.get(), x, round);
  if (mpfr_cmp_ui(size.get(), 400) < 0) bessel_near(out, size.get(), kOrder);
  else bessel_far(out, size.get(), kOrder);
  if (kOrder == 1 && mpfr_signbit(x) != 0) mpfr_neg(out, out, round);
  return 0;
}

constexpr unsigned kZetaTerms = 40;

/// B_2j / (2j)! = (-1)^(j+1) 2 zeta(2j) / (2 pi)^2j
const std::array<TrueNumber, kZetaTerms + 1>& euler_maclaurin() {
  static std::array<TrueNumber, kZetaTerms + 1> all;
  if (mpfr_nan_p(all[0].get()) == 0) return all;  // already computed
  TrueNumber square, power(1);
  mpfr_const_pi(square.get(), kNearest);
  mpfr_mul_2ui(square.get(), square.get(), 1, kNearest);
  mpfr_sqr(square.get(), square.get(), kNearest);
  for (unsigned j = 1; j <= kZetaTerms; ++j) {
    mpfr_mul(power.get(), power.get(), square.get(), kNearest);
    mpfr_zeta_ui(all[j].get(), 2 * j, kNearest);
    mpfr_div(all[j].get(), all[j].get(), power.get(), kNearest);
    mpfr_mul_2ui(all[j].get(), all[j].get(), 1, kNearest);
    if (j % 2 == 0) mpfr_neg(all[j].get(), all[j].get(), kNearest);
  }
  mpfr_set_zero(all[0].get(), 1);
  return all;
}

/// Hurwitz zeta for x > 1 and q > 0: 40 terms of the sum, then the Euler-Maclaurin formula with 40 terms.
int zeta(mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr q, mpfr_rnd_t round) {
  if (mpfr_cmp_ui(x, 1) <= 0 || mpfr_sgn(q) <= 0) return mpfr_set_nan(out), 0;
  TrueNumber minus_x, at, power, rest, factor;
  mpfr_neg(minus_x.get(), x, round);
  mpfr_set(at.get(), q, round);
  mpfr_set_zero(out, 1);
  for (unsigned k = 0; k < kZetaTerms; ++k) {
    mpfr_pow(power.get(), at.get(), minus_x.get(), round);
    mpfr_add(out, out, power.get(), round);
    mpfr_add_ui(at.get(), at.get(), 1, round);
  }
  mpfr_pow(power.get(), at.get(), minus_x.get(), round);  // at^-x, times at/(x - 1), a half, and the series
  mpfr_sub_ui(rest.get(), x, 1, round);
  mpfr_div(rest.get(), at.get(), rest.get(), round);
  mpfr_mul(rest.get(), rest.get(), power.get(), round);
  mpfr_add(out, out, rest.get(), round);
  mpfr_div_2ui(rest.get(), power.get(), 1, round);
  mpfr_add(out, out, rest.get(), round);
  // Each coefficient times x (x+1) ... (x+2j-2) at^(-x-2j+1)
  mpfr_mul(factor.get(), x, power.get(), round);
  mpfr_div(factor.get(), factor.get(), at.get(), round);
  for (unsigned j = 1; j <= kZetaTerms; ++j) {
    mpfr_mul(rest.get(), euler_maclaurin()[j].get(), factor.get(), round);
    mpfr_add(out, out, rest.get(), round);
    for (unsigned k = 2 * j - 1; k <= 2 * j; ++k) {
      mpfr_add_ui(rest.get(), x, k, round);
      mpfr_mul(factor.get(), factor.get(), rest.get(), round);
      mpfr_div(factor.get(), factor.get(), at.get(), round);
    }
  }
  return 0;
}

/// (-1)^(n+1) n! zeta(n + 1, x), and digamma for n = 0.
int polygamma(mpfr_ptr out, mpfr_srcptr n, mpfr_srcptr x, mpfr_rnd_t round) {
  if (mpfr_nan_p(n) || !mpfr_integer_p(n) || mpfr_sgn(n) < 0) return mpfr_set_nan(out), 0;
  if (mpfr_zero_p(n)) return digamma(out, x, round);
  TrueNumber order;
  mpfr_add_ui(order.get(), n, 1, round);
  zeta(out, order.get(), x, round);
  mpfr_gamma(order.get(), order.get(), round);
  mpfr_mul(out, out, order.get(), round);
  if (mpfr_get_ui(n, round) % 2 == 0) mpfr_neg(out, out, round);
  return 0;
}

const std::map<Opcode, Unary>& unary() {
  static const std::map<Opcode, Unary> functions = {
      {Opcode::kAcos, mpfr_acos},   {Opcode::kAcosh, mpfr_acosh},    {Opcode::kAsin, mpfr_asin},
      {Opcode::kAsinh, mpfr_asinh}, {Opcode::kAtan, mpfr_atan},      {Opcode::kAtanh, mpfr_atanh},
      {Opcode::kCbrt, mpfr_cbrt},   {Opcode::kCos, mpfr_cos},        {Opcode::kCosh, mpfr_cosh},
      {Opcode::kErf, mpfr_erf},     {Opcode::kExp, mpfr_exp},        {Opcode::kExpm1, mpfr_expm1},
      {Opcode::kLog, mpfr_log},     {Opcode::kLog1p, mpfr_log1p},    {Opcode::kLogistic, logistic},
      {Opcode::kSin, mpfr_sin},     {Opcode::kSinh, mpfr_sinh},      {Opcode::kSqrt, mpfr_sqrt},
      {Opcode::kTan, mpfr_tan},     {Opcode::kTanh, mpfr_tanh},      {Opcode::kRsqrt, rec_sqrt},
      {hlo::kExtErfInv, erf_inv},   {hlo::kExtErfc, mpfr_erfc},      {hlo::kExtLgamma, lgamma},
      {hlo::kExtDigamma, digamma},  {hlo::kExtBesselI0e, bessel<0>}, {hlo::kExtBesselI1e, bessel<1>}};
  return functions;
}

const std::map<Opcode, Binary>& binary() {
  static const std::map<Opcode, Binary> functions = {{Opcode::kAtan2, mpfr_atan2}, {Opcode::kDivide, mpfr_div},
                                                     {Opcode::kPower, mpfr_pow},   {Opcode::kRemainder, mpfr_fmod},
                                                     {hlo::kExtZeta, zeta},        {hlo::kExtPolygamma, polygamma}};
  return functions;
}

}  // namespace

bool has_true_value(Opcode opcode) { return unary().contains(opcode) || binary().contains(opcode); }

bool is_slow_to_know(Opcode opcode) {
  constexpr std::array kSlow = {hlo::kExtErfInv,    hlo::kExtDigamma, hlo::kExtLgamma,   hlo::kExtBesselI0e,
                                hlo::kExtBesselI1e, hlo::kExtZeta,    hlo::kExtPolygamma};
  return std::ranges::find(kSlow, opcode) != kSlow.end();
}

void true_value(Opcode opcode, double x, double y, TrueNumber& out) {
  const TrueNumber first(x), second(y);
  if (const auto it = unary().find(opcode); it != unary().end()) it->second(out.get(), first.get(), kNearest);
  else binary().at(opcode)(out.get(), first.get(), second.get(), kNearest);
}

double ulps_off(const FloatFormat& format, double got, const TrueNumber& truth) {
  const mpfr_srcptr t = truth.get();
  if (mpfr_nan_p(t) || std::isnan(got)) return (mpfr_nan_p(t) != 0) == std::isnan(got) ? 0 : kNotAMatterOfPlaces;
  const bool same_sign = std::signbit(got) == (mpfr_signbit(t) != 0);
  if (mpfr_inf_p(t)) return std::isinf(got) && same_sign ? 0 : kNotAMatterOfPlaces;
  if (mpfr_zero_p(t) && got == 0) return same_sign ? 0 : kNotAMatterOfPlaces;
  const mpfr_exp_t own = mpfr_zero_p(t) ? format.least : mpfr_get_exp(t) - 1;
  // Overflow gives infinity or, within rounding, the greatest number.
  const double great = std::ldexp(1.0 - std::ldexp(1.0, -format.digits), format.greatest) * 2;
  if (own > format.greatest) return std::fabs(got) >= great && same_sign ? 0 : kNotAMatterOfPlaces;
  if (std::isinf(got) && (own < format.greatest || !same_sign)) return kNotAMatterOfPlaces;
  const auto exponent = static_cast<int>(std::max<mpfr_exp_t>(own, format.least));
  TrueNumber off;
  if (std::isinf(got)) mpfr_set_si_2exp(off.get(), got > 0 ? 1 : -1, format.greatest + 1, kNearest);
  else mpfr_set_d(off.get(), got, kNearest);
  mpfr_sub(off.get(), off.get(), t, kNearest);
  mpfr_mul_2si(off.get(), off.get(), format.digits - 1 - exponent, kNearest);
  return std::fabs(mpfr_get_d(off.get(), MPFR_RNDN));
}

}  // namespace hilo::tests
