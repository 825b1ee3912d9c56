// SPDX-License-Identifier: Apache-2.0
// tools/hilo/flush_denormals.h -- while one lives, the thread's floating-point operations take and give zero for denormals.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace hilo::tool {

/// XLA:CPU runs programs so, and the engine where HILO_DENORMALS=flush; the reference takes the thread as it is. Other
/// machines than x86 keep denormals.
class ScopedFlushDenormals {
 public:
#if defined(__SSE2__)
  ScopedFlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlushToZero | kDenormalsAreZero); }
  ~ScopedFlushDenormals() { _mm_setcsr(before_); }
#else
  ScopedFlushDenormals() {}
  ~ScopedFlushDenormals() {}
#endif
  ScopedFlushDenormals(const ScopedFlushDenormals&) = delete;
  ScopedFlushDenormals& operator=(const ScopedFlushDenormals&) = delete;

#if defined(__SSE2__)
 private:
  static constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  unsigned before_;
#endif
};

}  // namespace hilo::tool
