// SPDX-License-Identifier: Apache-2.0
// base/floating_point.h -- sets the rounding mode of the processor for hilo's computations, whatever the caller's
// thread uses.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <atomic>
#include <cstdint>

namespace hilo {

enum class Underflow : uint8_t { kGradual, kToZero };  ///< kToZero: denormal operands and results are treated as zero

namespace floating_point_detail {

constexpr uint32_t kRaised = 0x3f;                           // MXCSR: the exceptions raised so far
constexpr uint32_t kNearest = 0x1f80;                        // round to nearest, no traps
constexpr uint32_t kFlushToZero = kNearest | 0x8000 | 0x40;  // FTZ for results, DAZ for operands
constexpr uint16_t kStackRounding = 0x0c00;  // rounding bits of the x87 control word; zero means to nearest
constexpr int kUnread = -1;

/// The mode of the innermost scope on this thread.
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

/// Returns the mode of programs that HILO_DENORMALS selects; it is read on first use.
inline Underflow program_underflow() {
  const int known = floating_point_detail::of_programs.load(std::memory_order_relaxed);
  if (known == floating_point_detail::kUnread) [[unlikely]]
    return floating_point_detail::read_of_programs();
  return static_cast<Underflow>(known);
}

/// Sets rounding to nearest without traps for the current thread. The destructor restores the previous state, including
/// raised exceptions. It is needed wherever numbers are computed: in running programs, passes that fold, parsers, and
/// conversions of C++ numbers. Without effect on machines other than x86-64.
/// Cost      about 5 ns if the mode is already set: control words are read, and written only if they differ
class FloatingPointScope {
 public:
  /// Preserves denormals, unless an enclosing program flushes them.
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
  uint32_t vector_control_;  ///< control register of SSE and AVX
  uint16_t stack_control_;   ///< control word of x87, which long double uses
  Underflow& current_;       ///< the thread's variable; cached because its lookup is a call
  Underflow outer_;
};

}  // namespace hilo
