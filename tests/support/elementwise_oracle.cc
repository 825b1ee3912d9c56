// SPDX-License-Identifier: Apache-2.0
#include "tests/support/elementwise_oracle.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace hilo::tests {
namespace {

using hlo::Opcode;

[[noreturn]] void no_oracle(Opcode opcode) {
  throw std::logic_error("no oracle for " + std::string(hlo::opcode_name(opcode)));
}

/// The low `bits` bits as an unsigned number.
Whole masked(Whole x, int bits) { return x & ((Whole{1} << bits) - 1); }

Whole signed_value(Whole x, int bits) {
  const Whole low = masked(x, bits);
  return low >= (Whole{1} << (bits - 1)) ? low - (Whole{1} << bits) : low;
}

/// x * y modulo 2^64, because no type has more than 64 bits.
Whole product(Whole x, Whole y) {
  return static_cast<Whole>(static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y));
}

Whole power_of(Whole x, Whole y) {
  if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
  if (y == 0) return 1;
  const Whole half = power_of(x, y / 2);
  const Whole square = masked(product(half, half), 64);
  return y % 2 == 0 ? square : product(square, x);
}

Whole quotient(Whole x, Whole y) { return y == 0 ? -1 : x / y; }

int bits_set(Whole x, int bits) {
  int count = 0;
  for (int b = 0; b < bits; ++b) count += static_cast<int>((x >> b) & 1);
  return count;
}

int zeros_in_front(Whole x, int bits) {
  int count = 0;
  while (count < bits && ((x >> (bits - 1 - count)) & 1) == 0) ++count;
  return count;
}

/// floor(x / 2^y). A count beyond the width shifts out all bits.
Whole shifted_right(Whole x, Whole y, int bits) {
  const Whole count = y >= bits ? bits : y;
  return x >> static_cast<int>(count);
}

long double larger(long double x, long double y) {
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<long double>::quiet_NaN();
  if (x == 0 && y == 0) return std::signbit(x) && std::signbit(y) ? -0.0L : 0.0L;
  return x < y ? y : x;
}

long double half_to_even(long double x) {
  if (!std::isfinite(x)) return x;
  const long double below = floorl(x), rest = x - below;
  const bool up = rest > 0.5L || (rest == 0.5L && fmodl(below, 2) != 0);
  return copysignl(up ? below + 1 : below, x);
}

long double half_away(long double x) {
  if (!std::isfinite(x)) return x;
  const long double magnitude = fabsl(x), below = floorl(magnitude);
  return copysignl(magnitude - below >= 0.5L ? below + 1 : below, x);
}

Wide times(const Wide& x, const Wide& y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

}  // namespace

Whole whole_oracle(Opcode opcode, int bits, bool is_signed, Whole x, Whole y) {
  const bool pred = bits == 1;
  switch (opcode) {
    case Opcode::kAbs: return x < 0 ? -x : x;
    case Opcode::kAdd: return x + y;
    case Opcode::kAnd: return x & y;
    case Opcode::kClz: return zeros_in_front(x, bits);
    case Opcode::kCopy: return x;
    case Opcode::kDivide: return quotient(x, y);
    case Opcode::kMaximum: return x < y ? y : x;
    case Opcode::kMinimum: return x < y ? x : y;
    case Opcode::kMulhi:
      return is_signed
                 ? (x * y) >> bits
                 : static_cast<Whole>((static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y)) >> bits);
    case Opcode::kMultiply: return product(x, y);
    case Opcode::kNegate: return -x;
    case Opcode::kNot: return pred ? 1 - x : ~x;
    case Opcode::kOr: return x | y;
    case Opcode::kPopcnt: return bits_set(x, bits);
    case Opcode::kPower: return power_of(x, y);
    case Opcode::kRemainder: return y == 0 ? x : x % y;
    case Opcode::kShiftLeft: return masked(y, bits) >= bits ? 0 : masked(x, bits) << static_cast<int>(y);
    case Opcode::kShiftRightArithmetic: return shifted_right(signed_value(x, bits), masked(y, bits), bits);
    case Opcode::kShiftRightLogical: return shifted_right(masked(x, bits), masked(y, bits), bits);
    case Opcode::kSign: return x > 0 ? 1 : x < 0 ? -1 : 0;
    case Opcode::kSubtract: return x - y;
    case Opcode::kXor: return x ^ y;
    default: no_oracle(opcode);
  }
}

long double real_oracle(Opcode opcode, long double x, long double y) {
  switch (opcode) {
    case Opcode::kAbs: return fabsl(x);
    case Opcode::kAcos: return acosl(x);
    case Opcode::kAcosh: return acoshl(x);
    case Opcode::kAdd: return x + y;
    case Opcode::kAsin: return asinl(x);
    case Opcode::kAsinh: return asinhl(x);
    case Opcode::kAtan: return atanl(x);
    case Opcode::kAtan2: return atan2l(x, y);
    case Opcode::kAtanh: return atanhl(x);
    case Opcode::kCbrt: return cbrtl(x);
    case Opcode::kCeil: return -floorl(-x);
    case Opcode::kCopy: return x;
    case Opcode::kCos: return cosl(x);
    case Opcode::kCosh: return coshl(x);
    case Opcode::kDivide: return x / y;
    case Opcode::kErf: return erfl(x);
    case Opcode::kExp: return expl(x);
    case Opcode::kExpm1: return expm1l(x);
    case Opcode::kFloor: return -ceill(-x);
    case Opcode::kImag: return 0;
    case Opcode::kIsFinite: return std::isnan(x - x) ? 0 : 1;
    case Opcode::kLog: return logl(x);
    case Opcode::kLog1p: return log1pl(x);
    case Opcode::kLogistic: return x >= 0 ? 1 / (1 + expl(-x)) : expl(x) / (1 + expl(x));
    case Opcode::kMaximum: return larger(x, y);
    case Opcode::kMinimum: return -larger(-x, -y);
    case Opcode::kMultiply: return x * y;
    case Opcode::kNegate: return -x;
    case Opcode::kPower: return powl(x, y);
    case Opcode::kReal: return x;
    case Opcode::kRemainder: return fmodl(x, y);
    case Opcode::kRoundNearestAfz: return half_away(x);
    case Opcode::kRoundNearestEven: return half_to_even(x);
    case Opcode::kRsqrt: return 1 / sqrtl(x);
    case Opcode::kSign: return x == 0 || std::isnan(x) ? x : copysignl(1, x);
    case Opcode::kSin: return sinl(x);
    case Opcode::kSinh: return sinhl(x);
    case Opcode::kSqrt: return sqrtl(x);
    case Opcode::kSubtract: return x - y;
    case Opcode::kTan: return tanl(x);
    case Opcode::kTanh: return tanhl(x);
    default: no_oracle(opcode);
  }
}

Wide complex_oracle(Opcode opcode, const Wide& x, const Wide& y) {
  const Wide i(0, 1), one(1);
  switch (opcode) {
    case Opcode::kAbs: return std::sqrt(x.real() * x.real() + x.imag() * x.imag());
    case Opcode::kAcos: return std::acos(x);
    case Opcode::kAcosh: return std::acosh(x);
    case Opcode::kAdd: return x + y;
    case Opcode::kAsin: return std::asin(x);
    case Opcode::kAsinh: return std::asinh(x);
    case Opcode::kAtan: return std::atan(x);
    case Opcode::kAtan2: return times(-i, std::log((y + times(i, x)) / std::sqrt(times(x, x) + times(y, y))));
    case Opcode::kAtanh: return std::atanh(x);
    case Opcode::kCopy: return x;
    case Opcode::kCos: return std::cos(x);
    case Opcode::kCosh: return std::cosh(x);
    case Opcode::kDivide: {
      const long double scale = y.real() * y.real() + y.imag() * y.imag();
      return times(x, std::conj(y)) / scale;
    }
    case Opcode::kExp: return std::polar(expl(x.real()), x.imag());
    case Opcode::kExpm1: return std::exp(x) - one;
    case Opcode::kImag: return x.imag();
    case Opcode::kLog: return {logl(std::abs(x)), atan2l(x.imag(), x.real())};
    case Opcode::kLog1p: return std::log(one + x);
    case Opcode::kLogistic: return one / (one + std::exp(-x));
    case Opcode::kMultiply: return times(x, y);
    case Opcode::kNegate: return -x;
    case Opcode::kPower: return std::exp(times(y, std::log(x)));
    case Opcode::kReal: return x.real();
    case Opcode::kRsqrt: return one / std::sqrt(x);
    case Opcode::kSign: return x == Wide(0) ? x : x / std::abs(x);
    case Opcode::kSin: return std::sin(x);
    case Opcode::kSinh: return std::sinh(x);
    case Opcode::kSqrt: return std::sqrt(x);
    case Opcode::kSubtract: return x - y;
    case Opcode::kTan: return std::tan(x);
    case Opcode::kTanh: return std::tanh(x);
    default: no_oracle(opcode);
  }
}

}  // namespace hilo::tests
