// SPDX-License-Identifier: Apache-2.0
// tests/support/true_value.h -- what elementary and special functions really are, by MPFR, and how far a result is from
// it.
#pragma once

#include <mpfr.h>

#include "hilo/hlo/ir/opcode.h"
#include "hilo/types/element_type.h"

namespace hilo::tests {

/// A number of MPFR's, with digits far beyond f64's 53, also after what sums and quotients here lose.
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

/// What a float type's numbers look like.
struct FloatFormat {
  ElementType type;
  int digits;    ///< of the mantissa, the leading one too
  int least;     ///< exponent of the least normal number
  int greatest;  ///< of the greatest
};
inline constexpr FloatFormat kFloatFormats[] = {{ElementType::kF16, 11, -14, 15},
                                                {ElementType::kBf16, 8, -126, 127},
                                                {ElementType::kF32, 24, -126, 127},
                                                {ElementType::kF64, 53, -1022, 1023}};

/// True where true_value knows the op.
bool has_true_value(hlo::Opcode opcode);
/// The op's value at x (and y, for those of two operands), to 100 bits at least; NaN where it has none.
/// Precondition: has_true_value(opcode)
void true_value(hlo::Opcode opcode, double x, double y, TrueNumber& out);
/// True where a value costs milliseconds.
bool is_slow_to_know(hlo::Opcode opcode);

inline constexpr double kNotAMatterOfPlaces = 1e300;  ///< NaN for a number, an infinity for a small one, a sign
/// How far `got` is from the truth in units of the truth's last place in that format.
double ulps_off(const FloatFormat& format, double got, const TrueNumber& truth);

}  // namespace hilo::tests
