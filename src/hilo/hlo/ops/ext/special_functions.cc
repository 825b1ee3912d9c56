// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/special_functions.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "hilo/hlo/ir/extensions.h"

// The approximations are those of XLA, so that results agree with JAX's up to rounding. Only digamma differs: near its
// zeros XLA's errors are up to 22 units in the last place of 1, these are up to 9.
namespace hilo::hlo::formulas {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Expr is_whole(Expr x) { return x == floor(x); }

// Source    Giles, "Approximating the erfinv function" (2010)
constexpr double kErfInvCentral[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                     -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
constexpr double kErfInvTail[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                  -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
constexpr double kErfInvCentral64[] = {
    -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,  1.115787767802518096e-17,
    -1.333171662854620906e-16,  2.0972767875968561637e-17,  6.6376381343583238325e-15,  -4.0545662729752068639e-14,
    -8.1519341976054721522e-14, 2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
    1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
    -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352,   -0.00074070253416626697512,
    -0.0060336708714301490533,  0.24015818242558961693,     1.6536545626831027356};
constexpr double kErfInvMiddle64[] = {
    2.2137376921775787049e-09,  9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
    1.5027403968909827627e-06,  -4.013867526981545969e-06, 2.9234449089955446044e-06,  1.2475304481671778723e-05,
    -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05,  -0.0003550375203628474796,
    0.00095328937973738049703,  -0.0016882755560235047313, 0.0024914420961078508066,   -0.0037512085075692412107,
    0.005370914553590063617,    1.0052589676941592334,     3.0838856104922207635};
constexpr double kErfInvTail64[] = {-2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
                                    -3.7894654401267369937e-09, 7.6157012080783393804e-09,  -1.4960026627149240478e-08,
                                    2.9147953450901080826e-08,  -6.7711997758452339498e-08, 2.2900482228026654717e-07,
                                    -9.9298272942317002539e-07, 4.5260625972231537039e-06,  -1.9681778105531670567e-05,
                                    7.5995277030017761139e-05,  -0.00021503011930044477347, -0.00013871931833623122026,
                                    1.0103004648645343977,      4.8499064014085844221};

// Source    Moshier, Cephes Math Library: ndtr.c and ndtrf.c
constexpr double kErfNumerator[] = {9.60497373987051638749, 9.00260197203842689217e1, 2.23200534594684319226e3,
                                    7.00332514112805075473e3, 5.55923013010394962768e4};
constexpr double kErfDenominator[] = {1.0,
                                      3.35617141647503099647e1,
                                      5.21357949780152679795e2,
                                      4.59432382970980127987e3,
                                      2.26290000613890934246e4,
                                      4.92673942608635921086e4};
constexpr double kErfcNumerator[] = {2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687,
                                     4.86371970985681366614e1,   1.96520832956077098242e2,  5.26445194995477358631e2,
                                     9.34528527171957607540e2,   1.02755188689515710272e3,  5.57535335369399327526e2};
constexpr double kErfcDenominator[] = {1.0,
                                       1.32281951154744992508e1,
                                       8.67072140885989742329e1,
                                       3.54937778887819891062e2,
                                       9.75708501743205489753e2,
                                       1.82390916687909736289e3,
                                       2.24633760818710981792e3,
                                       1.65666309194161350182e3,
                                       5.57535340817727675546e2};
constexpr double kErfcFarNumerator[] = {5.64189583547755073984e-1, 1.27536670759978104416, 5.01905042251180477414,
                                        6.16021097993053585195,    7.40974269950448939160, 2.97886665372100240670};
constexpr double kErfcFarDenominator[] = {1.0,
                                          2.26052863220117276590,
                                          9.39603524938001434673,
                                          1.20489539808096656605e1,
                                          1.70814450747565897222e1,
                                          9.60896809063285878198,
                                          3.36907645100081516050};
constexpr double kErfSingle[] = {7.853861353153693e-5,  -8.010193625184903e-4, 5.188327685732524e-3,
                                 -2.685381193529856e-2, 1.128358514861418e-1,  -3.761262582423300e-1,
                                 1.128379165726710};
constexpr double kErfcSingle[] = {2.326819970068386e-2,  -1.387039388740657e-1, 3.687424674597105e-1,
                                  -5.824733027278666e-1, 6.210004621745983e-1,  -4.944515323274145e-1,
                                  3.404879937665872e-1,  -2.741127028184656e-1, 5.638259427386472e-1};
constexpr double kErfcFarSingle[] = {-1.047766399936249e1,  1.297719955372516e1, -7.495518717768503,
                                     2.921019019210786,     -1.015265279202700,  4.218463358204948e-1,
                                     -2.820767439740514e-1, 5.641895067754075e-1};

// Source    Lanczos, "A precision approximation of the gamma function" (1964), g = 7 and 9 terms: c0 + c1 / (z + 1)
// + ... + c8 / (z + 8), times sqrt(2 pi) e^-g, here as one quotient of polynomials in z. All coefficients are positive,
// so nothing cancels.
constexpr double kLanczosG = 7;
constexpr double kLanczosNumerator[] = {0.002285749117984608, 0.13819258209153193, 3.6550100633614724,
                                        55.23629468824925,    521.6884425215975,   3153.182372995827,
                                        11910.739261282395,   25707.659149601383,  24273.764417307993};
constexpr double kLanczosDenominator[] = {1, 36, 546, 4536, 22449, 67284, 118124, 109584, 40320};
// sin(pi x) / (pi x) for |x| <= 1/2 as a polynomial in x^2: 1 and the interpolation of the rest at Chebyshev's points.
constexpr double kSinePi[] = {2.459180384815939e-07,  -6.972960555564221e-06, 0.00014842817816693618,
                              -0.0023460809634923995, 0.026147847813078808,   -0.19075182412194128,
                              0.8117424252833519,     -1.6449340668482264,    1};
constexpr double kSinePiSingle[] = {0.02499996774349628, -0.19057367531428399, 0.8117335417460425, -1.644933997480158,
                                    1};

/// Returns x without the lower half of its digits.
Expr half_digits(Expr x) {
  const bool is_double = x.type() == ElementType::kF64;
  const Expr bits = bitcast(x, is_double ? ElementType::kS64 : ElementType::kS32);
  return bitcast(bitwise_and(bits, full_like(bits, is_double ? -0x1p27 : -0x1p12)), x.type());
}

/// Returns erfc(|x|) / e^(-x^2) for |x| >= 1.
Expr erfc_scaled(Expr size) {
  if (size.type() == ElementType::kF64) {
    return select(size < 8.0, polynomial(size, kErfcNumerator) / polynomial(size, kErfcDenominator),
                  polynomial(size, kErfcFarNumerator) / polynomial(size, kErfcFarDenominator));
  }
  const Expr square = 1.0 / (size * size);
  return select(size < 2.0, polynomial(square, kErfcSingle), polynomial(square, kErfcFarSingle)) / size;
}

/// Returns erf(x) for |x| <= 1.
Expr erf_central(Expr x) {
  const Expr square = x * x;
  if (x.type() == ElementType::kF64) return x * polynomial(square, kErfNumerator) / polynomial(square, kErfDenominator);
  return x * polynomial(square, kErfSingle);
}

/// Returns the last coefficients, which are the leading terms: as many as single precision needs.
template <size_t n>
std::span<const double> terms(const double (&all)[n], Expr x, size_t in_single) {
  return std::span(all).last(x.type() == ElementType::kF64 ? n : in_single);
}

/// digamma(x) for x >= 1/2, as a logarithm and the number to subtract from it.
struct DigammaParts {
  Expr log, rest;
};

/// Uses the series in 1 / x for x >= 8, and the recurrence from x + 7 for smaller x.
/// Source    Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 6.3.18 and 6.3.6
DigammaParts digamma_parts(Expr x) {
  // B_2k / 2k for k = 10 down to 1
  constexpr double kBernoulli[] = {-174611 / 6600.0, 43867 / 14364.0, -3617 / 8160.0, 1 / 12.0,   -691 / 32760.0,
                                   1 / 132.0,        -1 / 240.0,      1 / 252.0,      -1 / 120.0, 1 / 12.0};
  constexpr double kProduct[] = {1, 21, 175, 735, 1624, 1764, 720};  // (x + 1) ... (x + 6)
  constexpr double kSlope[] = {6, 105, 700, 2205, 3248, 1764};       // and its derivative
  const Expr is_small = x < 8.0, at = select(is_small, x + 7.0, x);
  const Expr inverse = 1.0 / at, square = inverse * inverse;
  const Expr series = inverse * 0.5 + square * polynomial(square, terms(kBernoulli, x, 3));
  const Expr steps = 1.0 / x + polynomial(x, kSlope) / polynomial(x, kProduct);  // 1 / x + ... + 1 / (x + 6)
  return {log(at), series + select(is_small, steps, full_like(x, 0))};
}

/// Returns 1 / x - pi cot(pi x) for |x| <= 1/2.
/// Source    Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 4.3.91, with the poles at 1 and -1
/// separated
Expr cotangent_beside_pole(Expr x) {
  // 2 (zeta(2k) - 1) for k = 14 down to 1
  constexpr double kZeta[] = {7.4506680495769141096e-9, 2.9803109656730082469e-8, 1.1921637810251895922e-7,
                              4.7690100545546598001e-7, 1.9079240677455922263e-6, 7.6345865299996797129e-6,
                              3.0564518817303743465e-5, 1.2249627011740965852e-4, 4.9217310661609659728e-4,
                              1.9891502556361706743e-3, 8.1547123958886787574e-3, 3.4686123968898279429e-2,
                              1.6464646742227638303e-1, 1.2898681336964528729};
  const Expr square = x * x;
  return x * (polynomial(square, terms(kZeta, x, 7)) + 2.0 / (1.0 - square));
}

// ---- xla_erf_inv: the steps of XLA:CPU's code, which fuses a product with the sum that uses it. Its mul_add is exact.

/// Returns the logarithm as XLA computes it for normal f32 numbers: x = m 2^e with m from sqrt(1/2) to sqrt(2).
/// Source    Moshier, Cephes Math Library: logf.c, its polynomial in three interleaved parts
Expr xla_log_single(Expr x) {
  constexpr double kFirst[] = {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1};
  constexpr double kSecond[] = {-1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1};
  constexpr double kThird[] = {2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1};
  constexpr double kLn2High = 0.693359375, kLn2Low = -2.12194440e-4;
  const Expr bits = bitcast(x, ElementType::kS32);
  const auto whole = [&](double value) { return full_like(bits, value); };
  const Expr fraction = bitwise_or(bitwise_and(bits, whole(0x007fffff)), whole(0x3f000000));
  const Expr half = bitcast(fraction, ElementType::kF32);  // from 1/2 to 1
  const Expr is_low = half < std::sqrt(0.5);
  const Expr m = (half - 1.0) + select(is_low, half, full_like(x, 0));
  const Expr exponent = convert(shift_right_logical(bits, whole(23)) - whole(126), ElementType::kF32);
  const Expr e = exponent - select(is_low, full_like(x, 1), full_like(x, 0));
  const Expr square = m * m, cube = square * m;
  const Expr parts = mul_add(cube, polynomial(m, kFirst), polynomial(m, kSecond));
  const Expr rest = mul_add(cube, mul_add(cube, parts, polynomial(m, kThird)), e * kLn2Low);
  return mul_add(e, full_like(x, kLn2High), (m - square * 0.5) + rest);
}

/// Returns log(1 + y) for -1 < y <= 0.
/// Source    Moshier, Cephes Math Library: unity.c
Expr xla_log1p(Expr y) {
  constexpr double kNumerator[] = {4.5270000862445199635215e-5, 4.9854102823193375972212e-1, 6.5787325942061044846969,
                                   2.9911919328553073277375e1,  6.0949667980987787057556e1,  5.7112963590585538103336e1,
                                   2.0039553499201281259648e1};
  constexpr double kDenominator[] = {1.0,
                                     1.5062909083469192043167e1,
                                     8.3047565967967209469434e1,
                                     2.2176239823732856465394e2,
                                     3.0909872225312059774938e2,
                                     2.1642788614495947685003e2,
                                     6.0118660497603843919306e1};
  constexpr double kMinByLog = 0.41421356237309504880;
  const Expr square = y * y, beside_one = y + 1.0;
  const Expr quotient = polynomial(y, kNumerator) / polynomial(y, kDenominator);
  const Expr small = y + (y * square * quotient - square * 0.5);
  return select(abs(y) < kMinByLog, small,
                y.type() == ElementType::kF64 ? log(beside_one) : xla_log_single(beside_one));
}

}  // namespace

// Uses Giles' polynomials as erf_inv does, but XLA's logarithm, whose error at 1 - x^2 is that of x^2.
Expr xla_erf_inv(Expr x) {
  const Expr w = xla_log1p(x * -x), root = sqrt(-w);
  Expr factor;
  if (x.type() == ElementType::kF64) {
    factor = select(w > -16.0, polynomial(root - 3.25, kErfInvMiddle64), polynomial(root - 5.0, kErfInvTail64));
    factor = select(w > -6.25, polynomial(-3.125 - w, kErfInvCentral64), factor);
  } else {
    factor = select(w > -5.0, polynomial(-2.5 - w, kErfInvCentral), polynomial(root - 3.0, kErfInvTail));
  }
  const Expr size = abs(x);
  return x * select(size < 1.0, factor, select(size == 1.0, full_like(x, kInfinity), full_like(x, kNan)));
}

// Uses 1 - x^2 = (1 - x) (1 + x): both factors are nearly exact, while x^2 would lose the digits near 1.
Expr erf_inv(Expr x) {
  const Expr size = abs(x), w = -log((1.0 - size) * (1.0 + size));
  Expr factor;
  if (x.type() == ElementType::kF64) {
    const Expr root = sqrt(w);
    factor = select(w < 16.0, polynomial(root - 3.25, kErfInvMiddle64), polynomial(root - 5.0, kErfInvTail64));
    factor = select(w < 6.25, polynomial(w - 3.125, kErfInvCentral64), factor);
  } else {
    factor = select(w < 5.0, polynomial(w - 2.5, kErfInvCentral), polynomial(sqrt(w) - 3.0, kErfInvTail));
  }
  return select(size == 1.0, x * kInfinity, factor * x);
}

// e^(-x^2) = e^(-high^2) e^(high^2 - x^2), where high is x with so few digits that its square is exact. The rounding of
// x^2 would cost up to x^2 units in the last place. The second factor is near 1.
Expr erfc(Expr x) {
  const double underflows_below = x.type() == ElementType::kF64 ? -746 : -104;  // of exp
  constexpr double kExp[] = {1 / 24.0, 1 / 6.0, 1 / 2.0, 1, 1};
  const Expr size = abs(x), high = half_digits(size), exponent = -(high * high);
  const Expr near_one = polynomial((high - size) * (high + size), kExp);
  const Expr beyond =
      select(exponent < underflows_below, full_like(x, 0), exp(exponent) * (near_one * erfc_scaled(size)));
  return select(size < 1.0, 1.0 - erf_central(x), select(x < 0.0, 2.0 - beyond, beyond));
}

// Uses gamma(z + 1) = (t / e)^(z + 1/2) sum with t = z + g + 1/2, where z + 1 > 1/2 is x or, for x < 1/2, 1 - x.
// Below 1/2: gamma(x) gamma(1 - x) = pi / sin(pi x).
Expr lgamma(Expr x) {
  const bool is_double = x.type() == ElementType::kF64;
  const Expr reflects = x < 0.5, z = select(reflects, -x, x - 1.0);
  // For greater z the sum is nearly constant, and its logarithm a rounding error of the result.
  const Expr near = min(z, full_like(z, is_double ? 1e30 : 6e4));
  const Expr sum = polynomial(near, kLanczosNumerator) / polynomial(near, kLanczosDenominator);
  const Expr size = abs(x), fraction = size - floor(size);
  const Expr distance = select(fraction > 0.5, 1.0 - fraction, fraction);  // to the nearest integer
  // The smallest numbers have too few digits to be multiplied by anything except a power of 2.
  const double lift = is_double ? 53 : 24;
  const Expr tiny = distance < std::exp2(is_double ? -1000 : -120), square = distance * distance;
  const Expr series = is_double ? polynomial(square, kSinePi) : polynomial(square, kSinePiSingle);
  const Expr sine = distance * select(tiny, full_like(x, std::exp2(lift)), series);  // over pi
  const Expr lifted = select(bitwise_and(reflects, tiny), full_like(x, lift * std::numbers::ln2), full_like(x, 0));
  const Expr log_rest = log(select(reflects, sine * sum, sum));
  const Expr direct = mul_add(z + 0.5, log(z + (kLanczosG + 0.5)) - 1.0, log_rest);
  const Expr reflected = select(is_finite(log_rest), lifted - direct, -log_rest);
  return select(size == kInfinity, full_like(x, kInfinity), select(reflects, reflected, direct));
}

// Below 1/2: digamma(x) = digamma(1 - x) - pi cot(pi x). Near its zeros the logarithm and 1 / x are nearly equal. Their
// difference is then exact, and only the small remainder is rounded.
Expr digamma(Expr x) {
  const Expr reflects = x < 0.5;
  const DigammaParts direct = digamma_parts(select(reflects, 1.0 - x, x));
  const Expr beside = x - floor(x + 0.5);  // the cotangent has period 1
  const Expr reflected = (direct.log - 1.0 / beside) + (cotangent_beside_pole(beside) - direct.rest);
  const Expr pole = bitwise_and(x <= 0.0, is_whole(x));
  return select(pole, full_like(x, kNan), select(reflects, reflected, direct.log - direct.rest));
}

// The n-th derivative of digamma is (-1)^(n+1) n! zeta(n + 1, x).
Expr polygamma(Expr n, Expr x) {
  const Expr sign = rem(n, full_like(n, 2)) * 2.0 - 1.0;
  const Expr derivative = sign * exp(lgamma(n + 1.0)) * zeta(n + 1.0, x);
  const Expr natural = bitwise_and(is_whole(n), bitwise_not(n < 0.0));
  return select(natural, select(n == 0.0, digamma(x), derivative), full_like(x, kNan));
}

// The first 10 terms of the sum over (q + k)^-x, then the Euler-Maclaurin formula for the others.
// Source    Johansson, "Rigorous high-precision computation of the Hurwitz zeta function" (2015), formula 5
Expr zeta(Expr x, Expr q) {
  // (2k)! / B_2k for k = 12 down to 1
  constexpr double kBernoulli[] = {-7.1661652561756670113e18,
                                   1.8152105401943546773e17,
                                   -4.5979787224074726105e15,
                                   1.1646782814350067249e14,
                                   -2.950130727918164224e12,
                                   7.47242496e10,
                                   -1.8924375803183791606e9,
                                   47900160.0,
                                   -1209600.0,
                                   30240.0,
                                   -720.0,
                                   12.0};
  Expr at = q, sum = pow(q, -x);
  for (int k = 1; k <= 9; ++k) {
    at = at + 1.0;
    sum = sum + pow(at, -x);
  }
  at = at + 1.0;
  const Expr last = pow(at, -x);
  const Expr integral = last * at / (x - 1.0);
  const Expr square = 1.0 / (at * at);
  Expr series = full_like(x, 0);
  double k = 2 * std::size(kBernoulli) - 1;
  for (const double c : std::span(kBernoulli).first(std::size(kBernoulli) - 1)) {
    series = (x + (k - 1)) * (x + (k - 2)) * (square * (series + 1 / c));
    k -= 2;
  }
  const Expr corrections = last * (x / at * (series + 1 / 12.0) + 0.5);
  // If the next term is negligible, the sum is correct without corrections, which may be infinity times 0.
  const double least = x.type() == ElementType::kF64 ? std::numeric_limits<double>::denorm_min()
                                                     : static_cast<double>(std::numeric_limits<float>::denorm_min());
  const Expr total = select(abs(last) < abs(sum) * least, sum, sum + integral + corrections);

  const Expr whole = is_whole(x), even = rem(x, full_like(x, 2)) == 0.0;
  const Expr at_pole = bitwise_and(q <= 0.0, is_whole(q));
  const Expr no_value = bitwise_or(x < 1.0, bitwise_and(q <= 0.0, bitwise_not(whole)));
  const Expr pole = select(bitwise_and(whole, even), full_like(x, kInfinity), full_like(x, kNan));
  const Expr defined = select(at_pole, pole, select(no_value, full_like(x, kNan), total));
  return select(x == 1.0, full_like(x, kInfinity), defined);
}

// Numbers of one sign are in the order of their bits.
Expr nextafter(Expr x, Expr y) {
  const ElementType type = x.type();
  const int bits = element_type_info(type).bits;
  const ElementType whole = bits == 64 ? ElementType::kS64 : bits == 32 ? ElementType::kS32 : ElementType::kS16;
  const auto integer = [&](double value) { return full_like(x, whole, value); };
  const auto number = [&](Expr bits_of) { return bitcast(bits_of, type); };
  const Expr up = x < y, grows = compare(up, ComparisonDirection::kEq, x > 0.0);
  const Expr step = select(grows, integer(1), integer(-1));
  const Expr moved = number(bitcast(x, whole) + step);
  const Expr least = number(integer(1));
  const Expr from_zero = select(up, least, -least);
  const Expr other = select(x == 0.0, from_zero, moved);
  return select(x != x, x, select(y != y, y, select(x == y, y, other)));
}

}  // namespace hilo::hlo::formulas
