// SPDX-License-Identifier: Apache-2.0
// base/floating_point.h -- how the processor rounds while hilo computes: not as the caller's thread happens to.
#pragma once

#include <cstdint>

namespace hilo {

enum class Underflow : uint8_t { kGradual, kToZero };  ///< kToZero: denormal operands and results count as zero

/// What HILO_DENORMALS asks programs to do, read at first use.
Underflow program_underflow();

/// While one lives, the thread rounds to nearest and traps nothing; afterwards all is as it was, raised exceptions
/// included. It stands wherever numbers become other numbers: in programs that run, passes that fold, readers of text, and
/// conversions of C++ numbers. Machines other than x86-64 keep the caller's mode.
/// Cost    some 20 ns
class FloatingPointScope {
 public:
  /// Denormals are kept, unless a program that flushes them runs around it.
  FloatingPointScope();
  explicit FloatingPointScope(Underflow underflow);
  ~FloatingPointScope();
  FloatingPointScope(const FloatingPointScope&) = delete;
  FloatingPointScope& operator=(const FloatingPointScope&) = delete;

 private:
  uint32_t vector_control_;  ///< of SSE and AVX
  uint16_t stack_control_;   ///< of x87, which long double uses
  Underflow outer_;
};

}  // namespace hilo
