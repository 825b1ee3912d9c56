// SPDX-License-Identifier: Apache-2.0
// tests/support/true_value.h -- exact values of elementary and special functions, by MPFR, and the error of a result.
#pragma once

#include <mpfr.h>

#include "hilo/hlo/ir/opcode.h"
#include "hilo/types/element_type.h"

namespace hilo::tests {

/// A number of MPFR's with many more digits than f64's 53 bits, also after the cancellation in sums and quotients here.
class TrueNumber {
 public:
  TrueNumber() { mpfr_init2(value_, kBits); }
  explicit TrueNumber(double x) : TrueNumber() { mpfr_set_d(value_, x, MPFR_RNDN); }
  ~TrueNumber() { mpfr_clear(value_); }
  TrueNumber(const TrueNumber&) = delete;
  TrueNumber& operator=(const TrueNumber&) = delete;
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

 private:
  static constexpr mpfr_prec_t kBits = 160;
  mpfr_t value_;
};

/// The format of a float type.
struct FloatFormat {
  ElementType type;
  int digits;    ///< bits of the mantissa, including the leading one
  int least;     ///< exponent of the smallest normal number
  int greatest;  ///< exponent of the largest number
};
inline constexpr FloatFormat kFloatFormats[] = {{ElementType::kF16, 11, -14, 15},
                                                {ElementType::kBf16, 8, -126, 127},
                                                {ElementType::kF32, 24, -126, 127},
                                                {ElementType::kF64, 53, -1022, 1023}};

/// Whether true_value supports the op.
bool has_true_value(hlo::Opcode opcode);
/// The op's value at x (and y, for ops with two operands), to at least 100 bits; NaN outside of its domain.
/// Precondition: has_true_value(opcode)
void true_value(hlo::Opcode opcode, double x, double y, TrueNumber& out);
/// Whether a value takes milliseconds to compute.
bool is_slow_to_know(hlo::Opcode opcode);

inline constexpr double kNotAMatterOfPlaces = 1e300;  ///< NaN for a number, an infinity for a small one, a sign
/// The error of `got` in units of the last place of the exact value in that format.
double ulps_off(const FloatFormat& format, double got, const TrueNumber& truth);

}  // namespace hilo::tests
