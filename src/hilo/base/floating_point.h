// SPDX-License-Identifier: Apache-2.0
// base/floating_point.h -- how the processor rounds while hilo computes: not as the caller's thread happens to.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <atomic>
#include <cstdint>

namespace hilo {

enum class Underflow : uint8_t { kGradual, kToZero };  ///< kToZero: denormal operands and results count as zero

namespace floating_point_detail {

constexpr uint32_t kRaised = 0x3f;                           // MXCSR: exceptions so far
constexpr uint32_t kNearest = 0x1f80;                        // round to nearest, no traps
constexpr uint32_t kFlushToZero = kNearest | 0x8000 | 0x40;  // FTZ for results, DAZ for operands
constexpr uint16_t kStackRounding = 0x0c00;                  // bits of the x87 control word; zero: to nearest
constexpr int kUnread = -1;

/// Of the innermost scope on this thread.
extern constinit thread_local Underflow current;
/// An Underflow, or kUnread.
extern constinit std::atomic<int> of_programs;
Underflow read_of_programs();

#if defined(__SSE2__)
inline uint32_t vector_control() { return _mm_getcsr(); }
inline void set_vector_control(uint32_t control) { _mm_setcsr(control); }
inline uint16_t stack_control() {
  uint16_t control = 0;
  asm volatile("fnstcw %0" : "=m"(control));
  return control;
}
inline void set_stack_control(uint16_t control) { asm volatile("fldcw %0" : : "m"(control)); }
#else
inline uint32_t vector_control() { return kNearest; }
inline void set_vector_control(uint32_t) {}
inline uint16_t stack_control() { return 0; }
inline void set_stack_control(uint16_t) {}
#endif

}  // namespace floating_point_detail

/// What HILO_DENORMALS asks programs to do, read at first use.
inline Underflow program_underflow() {
  const int known = floating_point_detail::of_programs.load(std::memory_order_relaxed);
  if (known == floating_point_detail::kUnread) [[unlikely]]
    return floating_point_detail::read_of_programs();
  return static_cast<Underflow>(known);
}

/// While one lives, the thread rounds to nearest and traps nothing; afterwards all is as it was, raised exceptions
/// included. It stands wherever numbers become other numbers: in programs that run, passes that fold, readers of text, and
/// conversions of C++ numbers. Machines other than x86-64 keep the caller's mode.
/// Cost    some 5 ns where the thread rounds so already: control words are read, and written only if they differ
class FloatingPointScope {
 public:
  /// Denormals are kept, unless a program that flushes them runs around it.
  FloatingPointScope() : FloatingPointScope(floating_point_detail::current) {}
  explicit FloatingPointScope(Underflow underflow)
      : vector_control_(floating_point_detail::vector_control()),
        stack_control_(floating_point_detail::stack_control()),
        current_(floating_point_detail::current),
        outer_(current_) {
    using namespace floating_point_detail;
    current_ = underflow;
    const uint32_t wanted = underflow == Underflow::kToZero ? kFlushToZero : kNearest;
    if ((vector_control_ & ~kRaised) != wanted) [[unlikely]]
      set_vector_control(wanted);
    if ((stack_control_ & kStackRounding) != 0) [[unlikely]]
      set_stack_control(stack_control_ & static_cast<uint16_t>(~kStackRounding));
  }
  ~FloatingPointScope() {
    using namespace floating_point_detail;
    current_ = outer_;
    if (vector_control() != vector_control_) set_vector_control(vector_control_);
    if ((stack_control_ & kStackRounding) != 0) [[unlikely]]
      set_stack_control(stack_control_);
  }
  FloatingPointScope(const FloatingPointScope&) = delete;
  FloatingPointScope& operator=(const FloatingPointScope&) = delete;

 private:
  uint32_t vector_control_;  ///< of SSE and AVX
  uint16_t stack_control_;   ///< of x87, which long double uses
  Underflow& current_;       ///< the thread's, found once: that is a call
  Underflow outer_;
};

}  // namespace hilo
