// SPDX-License-Identifier: Apache-2.0
// The error of every elementary function against the C library's long double, asserted against emit/accuracy.h.
#include "hilo/backend/cpu/emit/accuracy.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "hilo/backend/cpu/emit/elementwise_kernel.h"

namespace hilo::cpu {
namespace {

using hlo::Opcode;
using Wide = long double;

/// The true value, near enough: 64 bits of mantissa.
Wide oracle(Opcode opcode, Wide x, Wide y) {
  if (opcode == Opcode::kAcos) return acosl(x);
  if (opcode == Opcode::kAcosh) return acoshl(x);
  if (opcode == Opcode::kAsin) return asinl(x);
  if (opcode == Opcode::kAsinh) return asinhl(x);
  if (opcode == Opcode::kAtan) return atanl(x);
  if (opcode == Opcode::kAtan2) return atan2l(x, y);
  if (opcode == Opcode::kAtanh) return atanhl(x);
  if (opcode == Opcode::kCbrt) return cbrtl(x);
  if (opcode == Opcode::kCos) return cosl(x);
  if (opcode == Opcode::kCosh) return coshl(x);
  if (opcode == Opcode::kDivide) return x / y;
  if (opcode == Opcode::kErf) return erfl(x);
  if (opcode == Opcode::kExp) return expl(x);
  if (opcode == Opcode::kExpm1) return expm1l(x);
  if (opcode == Opcode::kLog) return logl(x);
  if (opcode == Opcode::kLog1p) return log1pl(x);
  if (opcode == Opcode::kLogistic) return x >= 0 ? 1 / (1 + expl(-x)) : expl(x) / (1 + expl(x));
  if (opcode == Opcode::kPower) return powl(x, y);
  if (opcode == Opcode::kRemainder) return fmodl(x, y);
  if (opcode == Opcode::kRsqrt) return 1 / sqrtl(x);
  if (opcode == Opcode::kSin) return sinl(x);
  if (opcode == Opcode::kSinh) return sinhl(x);
  if (opcode == Opcode::kSqrt) return sqrtl(x);
  if (opcode == Opcode::kTan) return tanl(x);
  if (opcode == Opcode::kTanh) return tanhl(x);
  ADD_FAILURE() << hlo::opcode_name(opcode) << " stands in kAccuracy and has no oracle";
  return 0;
}

constexpr double kWrong = 1e9;  // not a matter of places: NaN for a number, a sign, an infinity

template <typename T>
double error_in_ulp(T got, Wide want) {
  const T rounded = static_cast<T>(want);
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) == std::isnan(got) ? 0 : kWrong;
  if (rounded == 0 && got == 0) return std::signbit(rounded) == std::signbit(got) ? 0 : kWrong;
  if (std::isinf(got) != std::isinf(rounded)) {
    // Rounding to the greatest number or to infinity is one place apart.
    const T finite = std::isinf(got) ? rounded : got;
    return std::fabs(finite) == std::numeric_limits<T>::max() && std::signbit(got) == std::signbit(rounded) ? 1
                                                                                                            : kWrong;
  }
  if (std::isinf(got)) return got == rounded ? 0 : kWrong;
  int exponent = 0;
  std::frexp(std::fabs(want), &exponent);
  const int digits = std::numeric_limits<T>::digits;
  const int place = std::max(exponent - digits, std::numeric_limits<T>::min_exponent - digits);
  return static_cast<double>(std::fabs((static_cast<Wide>(got) - want) / std::ldexp(Wide{1}, place)));
}

template <typename T>
T any_bits(std::uint64_t bits) {
  if constexpr (sizeof(T) == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else return std::bit_cast<double>(bits);
}

/// All magnitudes, then the ranges where functions bend, then the values where they break.
template <typename T>
std::vector<T> samples(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<T> values;
  while (values.size() < count) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    values.push_back(any_bits<T>(random()));
    for (double range : {0.01, 2.0, 12.0, 200.0, 1500.0, 3e5}) {
      values.push_back(static_cast<T>((2 * unit - 1) * range));
    }
    const double near_multiple = std::round(unit * 20000) * 1.5707963267948966;
    values.push_back(static_cast<T>(near_multiple));
  }
  using Limits = std::numeric_limits<T>;
  for (double v : {0.0,
                   1.0,
                   0.5,
                   1.5,
                   2.0,
                   3.0,
                   1e30,
                   88.72,
                   88.73,
                   103.9,
                   104.1,
                   103.3,
                   709.78,
                   709.79,
                   745.1,
                   745.2,
                   1048576.0,
                   65536.0,
                   0.9999999,
                   4.05,
                   9.01,
                   1e-20,
                   static_cast<double>(Limits::infinity()),
                   static_cast<double>(Limits::max()),
                   static_cast<double>(Limits::min()),
                   static_cast<double>(Limits::denorm_min()),
                   static_cast<double>(Limits::min()) * 0.75}) {
    values.push_back(static_cast<T>(v));
    values.push_back(static_cast<T>(-v));
  }
  values.push_back(Limits::quiet_NaN());
  return values;
}

template <typename T>
struct Samples {
  std::vector<T> x, y;
};

template <typename T>
Samples<T> arguments(int arity) {
  Samples<T> s;
  s.x = samples<T>(1, 24000);
  if (arity == 1) return s;
  s.y = samples<T>(2, 24000);
  // Every special value against every other one, at the end.
  const std::vector<T> special(s.x.end() - 55, s.x.end());
  for (T a : special) {
    for (T b : special) {
      s.x.push_back(a);
      s.y.push_back(b);
    }
  }
  return s;
}

template <typename T>
void check(const Accuracy& row) {
  const int arity = hlo::op_def(row.opcode).arity;
  const ElementType type = element_type_of<T>;
  const double budget = sizeof(T) == 4 ? row.f32_ulp : row.f64_ulp;
  const Samples<T> s = arguments<T>(arity);
  std::vector<Wide> want(s.x.size());
  for (std::size_t i = 0; i < want.size(); ++i) want[i] = oracle(row.opcode, s.x[i], arity == 2 ? s.y[i] : T{0});
  for (Isa isa : supported_isas()) {
    ElementwiseKernelSpec spec{row.opcode, std::vector<ElementType>(static_cast<std::size_t>(arity), type), type};
    auto kernel = compile_elementwise_kernel(spec, isa);
    ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
    const void* inputs[] = {s.x.data(), s.y.data()};
    std::vector<T> got(s.x.size());
    kernel->function(inputs, got.data(), static_cast<std::int64_t>(got.size()));
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double error = error_in_ulp<T>(got[i], want[i]);
      if (error > worst) {
        worst = error;
        at = i;
      }
    }
    const std::string name = std::string(hlo::opcode_name(row.opcode)) + " " + std::string(element_type_name(type)) +
                             " on " + std::string(isa_name(isa));
    EXPECT_LE(worst, budget) << name << " at " << s.x[at] << (arity == 2 ? ", " : "") << (arity == 2 ? s.y[at] : T{0})
                             << ": got " << got[at] << ", true value " << static_cast<double>(want[at]);
    if (std::getenv("HILO_PRINT_ACCURACY") != nullptr)
      std::printf("%-40s %.3f ulp of %.2f\n", name.c_str(), worst, budget);
  }
}

TEST(Accuracy, F32StaysWithinTheTable) {
  for (const Accuracy& row : kAccuracy) check<float>(row);
}

TEST(Accuracy, F64StaysWithinTheTable) {
  for (const Accuracy& row : kAccuracy) check<double>(row);
}

}  // namespace
}  // namespace hilo::cpu
