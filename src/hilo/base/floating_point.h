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

constexpr int kUnread = -1;

/// The mode of the innermost scope on this thread.
extern constinit thread_local Underflow current;
/// An Underflow, or kUnread.
extern constinit std::atomic<int> of_programs;
Underflow read_of_programs();

#if defined(__SSE2__)
constexpr uint32_t kRaised = 0x3f;                           // MXCSR: the exceptions raised so far
constexpr uint32_t kNearest = 0x1f80;                        // round to nearest, no traps
constexpr uint32_t kFlushToZero = kNearest | 0x8000 | 0x40;  // FTZ for results, DAZ for operands
constexpr uint16_t kStackRounding = 0x0c00;  // rounding bits of the x87 control word; zero means to nearest

/// Returns rounding, flush-to-zero and traps, without the exceptions raised so far.
inline uint32_t modes() { return _mm_getcsr() & ~kRaised; }
inline void set_modes(uint32_t wanted) {
  if (modes() != wanted) _mm_setcsr(wanted);
}

inline uint32_t vector_control() { return _mm_getcsr(); }
inline void set_vector_control(uint32_t control) { _mm_setcsr(control); }
inline uint16_t stack_control() {
  uint16_t control = 0;
  asm volatile("fnstcw %0" : "=m"(control));
  return control;
}
inline void set_stack_control(uint16_t control) { asm volatile("fldcw %0" : : "m"(control)); }

/// The state of a thread: the control register of SSE and AVX, and the control word of x87, which long double uses.
struct State {
  uint32_t vector = vector_control();
  uint16_t stack = stack_control();
};

inline void begin(const State& outside, Underflow underflow) {
  const uint32_t wanted = underflow == Underflow::kToZero ? kFlushToZero : kNearest;
  if ((outside.vector & ~kRaised) != wanted) [[unlikely]]
    set_vector_control(wanted);
  if ((outside.stack & kStackRounding) != 0) [[unlikely]]
    set_stack_control(outside.stack & static_cast<uint16_t>(~kStackRounding));
}
inline void end(const State& outside) {
  if (vector_control() != outside.vector) set_vector_control(outside.vector);
  if ((outside.stack & kStackRounding) != 0) [[unlikely]]
    set_stack_control(outside.stack);
}
#elif defined(__aarch64__)
constexpr uint32_t kNearest = 0;             // FPCR: round to nearest, no traps, the NaN of an operand
constexpr uint32_t kFlushToZero = 1u << 24;  // FZ, for operands and results

/// Returns FPCR: rounding, flush-to-zero and traps.
inline uint32_t modes() {
  uint64_t value = 0;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return static_cast<uint32_t>(value);
}
inline void set_modes(uint32_t wanted) {
  if (modes() != wanted) asm volatile("msr fpcr, %0" : : "r"(uint64_t{wanted}));
}
/// Returns FPSR: the exceptions raised so far.
inline uint64_t raised() {
  uint64_t value = 0;
  asm volatile("mrs %0, fpsr" : "=r"(value));
  return value;
}

/// The state of a thread.
struct State {
  uint32_t modes = floating_point_detail::modes();
  uint64_t raised = floating_point_detail::raised();
};

inline void begin(const State&, Underflow underflow) {
  set_modes(underflow == Underflow::kToZero ? kFlushToZero : kNearest);
}
inline void end(const State& outside) {
  set_modes(outside.modes);
  if (raised() != outside.raised) asm volatile("msr fpsr, %0" : : "r"(outside.raised));
}
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
/// conversions of C++ numbers.
/// Cost      about 5 ns on x86-64 if the mode is already set: control words are read, and written only if they differ
class FloatingPointScope {
 public:
  /// Preserves denormals, unless an enclosing program flushes them.
  FloatingPointScope() : FloatingPointScope(floating_point_detail::current) {}
  explicit FloatingPointScope(Underflow underflow) : current_(floating_point_detail::current), outer_(current_) {
    current_ = underflow;
    begin(outside_, underflow);
  }
  ~FloatingPointScope() {
    current_ = outer_;
    end(outside_);
  }
  FloatingPointScope(const FloatingPointScope&) = delete;
  FloatingPointScope& operator=(const FloatingPointScope&) = delete;

 private:
  floating_point_detail::State outside_;
  Underflow& current_;  ///< the thread's variable; cached because its lookup is a call
  Underflow outer_;
};

}  // namespace hilo
