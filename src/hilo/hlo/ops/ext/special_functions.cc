// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/special_functions.h"

#include <cmath>
#include <limits>
#include <numbers>

// The approximations are those that XLA uses, so that results agree with JAX's to rounding.
namespace hilo::hlo::formulas {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool is_double(Value x) { return x.formula->element_type() == ElementType::kF64; }

Value is_whole(Value x) { return x == floor(x); }

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

// Source    Lanczos, "A precision approximation of the gamma function" (1964), with g = 7 and 9 terms
constexpr double kLanczosG = 7;
constexpr double kLanczosBase = 0.99999999999980993227684700473478;
constexpr double kLanczos[] = {676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                               771.3234287776530788486528258894,   -176.61502916214059906584551354,
                               12.507343278686904814458936853,     -0.13857109526572011689554707,
                               9.984369578019570859563e-6,         1.50563273514931155834e-7};

/// erfc of |x| >= 1 is e^(-x^2) times this.
Value erfc_scaled(Value size) {
  if (is_double(size)) {
    return select(size < 8.0, polynomial(size, kErfcNumerator) / polynomial(size, kErfcDenominator),
                  polynomial(size, kErfcFarNumerator) / polynomial(size, kErfcFarDenominator));
  }
  const Value square = 1.0 / (size * size);
  return select(size < 2.0, polynomial(square, kErfcSingle), polynomial(square, kErfcFarSingle)) / size;
}

/// erf of |x| <= 1.
Value erf_central(Value x) {
  const Value square = x * x;
  if (is_double(x)) return x * polynomial(square, kErfNumerator) / polynomial(square, kErfDenominator);
  return x * polynomial(square, kErfSingle);
}

/// gamma(z + 1) = sqrt(2 pi) t^(z + 1/2) e^-t sum, with t = z + g + 1/2, where z > -1/2: of x or, below 1/2, of 1 - x.
struct Lanczos {
  Value reflects;  ///< x < 1/2
  Value z, t, log_t, sum;
  Value slope;  ///< d sum / d z
};
Lanczos lanczos(Value x) {
  constexpr double kShift = kLanczosG + 0.5;
  const Value reflects = x < 0.5;
  const Value z = select(reflects, -x, x - 1.0);
  Value sum = like(x, kLanczosBase), slope = like(x, 0);
  double k = 0;
  for (const double c : kLanczos) {
    const Value at = z + ++k;
    slope = slope - c / (at * at);
    sum = sum + c / at;
  }
  return {reflects, z, kShift + z, std::log(kShift) + log1p(z / kShift), sum, slope};
}

/// e^-|x| times a Bessel function, as Chebyshev series of |x|/2 - 2 up to 8 and of 32/|x| - 2 beyond.
struct Bessel {
  Value near, far;
};
Bessel bessel(Value size, std::span<const double> near, std::span<const double> far) {
  return {chebyshev(size * 0.5 - 2.0, near), chebyshev(32.0 / size - 2.0, far) / sqrt(size)};
}

// Source    Moshier, Cephes Math Library: i0.c and i1.c; single precision begins further down.
constexpr double kI0Near[] = {
    -4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16, 1.71539128555513303061e-15,
    -1.16853328779934516808e-14, 7.67618549860493561688e-14, -4.85644678311192946090e-13, 2.95505266312963983461e-12,
    -1.72682629144155570723e-11, 9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8,  6.04699502254191894932e-8,  -2.67079385394061173391e-7,  1.11738753912010371815e-6,
    -4.41673835845875056359e-6,  1.64484480707288970893e-5,  -5.75419501008210370398e-5,  1.88502885095841655729e-4,
    -5.76375574538582365885e-4,  1.63947561694133579842e-3,  -4.32430999505057594430e-3,  1.05464603945949983183e-2,
    -2.37374148058994688156e-2,  4.93052842396707084878e-2,  -9.49010970480476444210e-2,  1.71620901522208775349e-1,
    -3.04682672343198398683e-1,  6.76795274409476084995e-1};
constexpr double kI0Far[] = {
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17,  3.46122286769746109310e-17,
    -2.82762398051658348494e-16, -3.42548561967721913462e-16, 1.77256013305652638360e-15,  3.81168066935262242075e-15,
    -9.55484669882830764870e-15, -4.15056934728722208663e-14, 1.54008621752140982691e-14,  3.85277838274214270114e-13,
    7.18012445138366623367e-13,  -1.79417853150680611778e-12, -1.32158118404477131188e-11, -3.14991652796324136454e-11,
    1.18891471078464383424e-11,  4.94060238822496958910e-10,  3.39623202570838634515e-9,   2.26666899049817806459e-8,
    2.04891858946906374183e-7,   2.89137052083475648297e-6,   6.88975834691682398426e-5,   3.36911647825569408990e-3,
    8.04490411014108831608e-1};
constexpr double kI1Near[] = {
    2.77791411276104639959e-18, -2.11142121435816608115e-17, 1.55363195773620046921e-16, -1.10559694773538630805e-15,
    7.60068429473540693410e-15, -5.04218550472791168711e-14, 3.22379336594557470981e-13, -1.98397439776494371520e-12,
    1.17361862988909016308e-11, -6.66348972350202774223e-11, 3.62559028155211703701e-10, -1.88724975172282928790e-9,
    9.38153738649577178388e-9,  -4.44505912879632808065e-8,  2.00329475355213526229e-7,  -8.56872026469545474066e-7,
    3.47025130813767847674e-6,  -1.32731636560394358279e-5,  4.78156510755005422638e-5,  -1.61760815825896745588e-4,
    5.12285956168575772895e-4,  -1.51357245063125314899e-3,  4.15642294431288815669e-3,  -1.05640848946261981558e-2,
    2.47264490306265168283e-2,  -5.29459812080949914269e-2,  1.02643658689847095384e-1,  -1.76416518357834055153e-1,
    2.52587186443633654823e-1};
constexpr double kI1Far[] = {
    7.51729631084210481353e-18,  4.41434832307170791151e-18,  -4.65030536848935832153e-17, -3.20952592199342395980e-17,
    2.96262899764595013876e-16,  3.30820231092092828324e-16,  -1.88035477551078244854e-15, -3.81440307243700780478e-15,
    1.04202769841288027642e-14,  4.27244001671195135429e-14,  -2.10154184277266431302e-14, -4.08355111109219731823e-13,
    -7.19855177624590851209e-13, 2.03562854414708950722e-12,  1.41258074366137813316e-11,  3.25260358301548823856e-11,
    -1.89749581235054123450e-11, -5.58974346219658380687e-10, -3.83538038596423702205e-9,  -2.63146884688951950684e-8,
    -2.51223623787020892529e-7,  -3.88256480887769039346e-6,  -1.10588938762623716291e-4,  -9.76109749136146840777e-3,
    7.78576235018280120474e-1};

/// The coefficients that count in the type of x: in single precision the last of them.
std::span<const double> series(Value x, std::span<const double> all, size_t single) {
  return is_double(x) ? all : all.last(single);
}

}  // namespace

Value erf_inv(Value x) {
  const Value w = -log1p(x * -x);
  Value factor;
  if (is_double(x)) {
    const Value root = sqrt(w);
    factor = select(w < 16.0, polynomial(root - 3.25, kErfInvMiddle64), polynomial(root - 5.0, kErfInvTail64));
    factor = select(w < 6.25, polynomial(w - 3.125, kErfInvCentral64), factor);
  } else {
    factor = select(w < 5.0, polynomial(w - 2.5, kErfInvCentral), polynomial(sqrt(w) - 3.0, kErfInvTail));
  }
  return select(abs(x) == 1.0, x * kInfinity, factor * x);
}

Value erfc(Value x) {
  const double underflows_below = is_double(x) ? -7.09782712893383996843e2 : -88.72283905206835;
  const Value size = abs(x), exponent = -(x * x);
  const Value beyond = select(exponent < underflows_below, like(x, 0), exp(exponent) * erfc_scaled(size));
  return select(size < 1.0, 1.0 - erf_central(x), select(x < 0.0, 2.0 - beyond, beyond));
}

// log gamma(z + 1) = log sqrt(2 pi) + (z + 1/2) log t - t + log sum. Below 1/2: gamma(x) gamma(1 - x) = pi / sin(pi x).
Value lgamma(Value x) {
  const Lanczos l = lanczos(x);
  const double log_root = (std::log(2.0) + std::log(std::numbers::pi)) / 2;
  const Value direct = log_root + (l.z + 0.5 - l.t / l.log_t) * l.log_t + log(l.sum);
  const Value size = abs(x), fraction = size - floor(size);
  const Value distance = select(fraction > 0.5, 1.0 - fraction, fraction);  // to the next whole number
  const Value log_sine = log(sin(std::numbers::pi * distance));
  const Value reflected = select(is_finite(log_sine), std::log(std::numbers::pi) - log_sine - direct, -log_sine);
  return select(size == kInfinity, like(x, kInfinity), select(l.reflects, reflected, direct));
}

// digamma(z + 1) = log t + sum' / sum - g / t. Below 1/2: digamma(x) = digamma(1 - x) - pi cot(pi x).
Value digamma(Value x) {
  const Lanczos l = lanczos(x);
  const Value direct = l.log_t + l.slope / l.sum - kLanczosG / l.t;
  const Value angle = std::numbers::pi * (x + abs(floor(x + 0.5)));  // the cotangent's period is 1
  const Value reflected = direct - std::numbers::pi * cos(angle) / sin(angle);
  const Value pole = bitwise_and(x <= 0.0, is_whole(x));
  return select(pole, like(x, kNan), select(l.reflects, reflected, direct));
}

// The n-th derivative of digamma is (-1)^(n+1) n! zeta(n + 1, x).
Value polygamma(Value n, Value x) {
  const Value sign = rem(n, like(n, 2)) * 2.0 - 1.0;
  const Value derivative = sign * exp(lgamma(n + 1.0)) * zeta(n + 1.0, x);
  const Value natural = bitwise_and(is_whole(n), bitwise_not(n < 0.0));
  return select(natural, select(n == 0.0, digamma(x), derivative), like(x, kNan));
}

// The first 10 terms of the sum over (q + k)^-x, then Euler and Maclaurin's formula for the others.
// Source    Johansson, "Rigorous high-precision computation of the Hurwitz zeta function" (2015), formula 5
Value zeta(Value x, Value q) {
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
  Value at = q, sum = pow(q, -x);
  for (int k = 1; k <= 9; ++k) {
    at = at + 1.0;
    sum = sum + pow(at, -x);
  }
  at = at + 1.0;
  const Value last = pow(at, -x);
  const Value integral = last * at / (x - 1.0);
  const Value square = 1.0 / (at * at);
  Value series = like(x, 0);
  double k = 2 * std::size(kBernoulli) - 1;
  for (const double c : std::span(kBernoulli).first(std::size(kBernoulli) - 1)) {
    series = (x + (k - 1)) * (x + (k - 2)) * (square * (series + 1 / c));
    k -= 2;
  }
  const Value corrections = last * (x / at * (series + 1 / 12.0) + 0.5);
  // A sum whose next term is nothing beside it is right as it is; the corrections may be infinity times 0.
  const double least = is_double(x) ? std::numeric_limits<double>::denorm_min()
                                    : static_cast<double>(std::numeric_limits<float>::denorm_min());
  const Value total = select(abs(last) < abs(sum) * least, sum, sum + integral + corrections);

  const Value whole = is_whole(x), even = rem(x, like(x, 2)) == 0.0;
  const Value at_pole = bitwise_and(q <= 0.0, is_whole(q));
  const Value no_value = bitwise_or(x < 1.0, bitwise_and(q <= 0.0, bitwise_not(whole)));
  const Value pole = select(bitwise_and(whole, even), like(x, kInfinity), like(x, kNan));
  const Value defined = select(at_pole, pole, select(no_value, like(x, kNan), total));
  return select(x == 1.0, like(x, kInfinity), defined);
}

Value bessel_i0e(Value x) {
  const Value size = abs(x);
  const Bessel b = bessel(size, series(x, kI0Near, 18), series(x, kI0Far, 7));
  return select(size <= 8.0, b.near, b.far);
}

Value bessel_i1e(Value x) {
  const Value size = abs(x);
  const Bessel b = bessel(size, series(x, kI1Near, 17), series(x, kI1Far, 7));
  return sign(x) * select(size <= 8.0, size * b.near, b.far);
}

// Numbers of one sign stand in the order of their bits.
Value nextafter(Value x, Value y) {
  const ElementType type = x.formula->element_type();
  const int bits = element_type_info(type).bits;
  const ElementType whole = bits == 64 ? ElementType::kS64 : bits == 32 ? ElementType::kS32 : ElementType::kS16;
  const auto integer = [&](double value) { return Value{x.formula, x.formula->constant_of(whole, value)}; };
  const auto number = [&](Value bits_of) { return Value{x.formula, x.formula->bits_as(bits_of.id, type)}; };
  const Value up = x < y, grows = compare(up, ComparisonDirection::kEq, x > 0.0);
  const Value step = select(grows, integer(1), integer(-1));
  const Value moved = number(add({x.formula, x.formula->bits_as(x.id, whole)}, step));
  const Value least = number(integer(1));
  const Value from_zero = select(up, least, -least);
  const Value other = select(x == 0.0, from_zero, moved);
  return select(x != x, x, select(y != y, y, select(x == y, y, other)));
}

}  // namespace hilo::hlo::formulas
