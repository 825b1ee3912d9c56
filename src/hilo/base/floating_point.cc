// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/floating_point.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <cstdlib>
#include <string_view>

#include "hilo/base/log.h"
#include "hilo/base/text.h"

namespace hilo {
namespace {

constexpr uint32_t kNearest = 0x1f80;                        // MXCSR: round to nearest, no traps
constexpr uint32_t kFlushToZero = kNearest | 0x8000 | 0x40;  // FTZ for results, DAZ for operands
constexpr uint16_t kStackRounding = 0x0c00;                  // bits of the x87 control word; zero: to nearest

/// Of the innermost scope on this thread.
thread_local Underflow current = Underflow::kGradual;

uint16_t stack_control() {
  uint16_t control = 0;
#if defined(__SSE2__)
  asm volatile("fnstcw %0" : "=m"(control));
#endif
  return control;
}

void set_stack_control([[maybe_unused]] uint16_t control) {
#if defined(__SSE2__)
  asm volatile("fldcw %0" : : "m"(control));
#endif
}

uint32_t vector_control() {
#if defined(__SSE2__)
  return _mm_getcsr();
#else
  return kNearest;
#endif
}

void set_vector_control([[maybe_unused]] uint32_t control) {
#if defined(__SSE2__)
  if (_mm_getcsr() != control) _mm_setcsr(control);
#endif
}

}  // namespace

Underflow program_underflow() {
  static const Underflow underflow = [] {
    const char* text = std::getenv("HILO_DENORMALS");
    const std::string_view value = text == nullptr ? "keep" : text;
    if (value != "keep" && value != "flush")
      log_warning_once("HILO_DENORMALS", "HILO_DENORMALS: got {}; wanted keep or flush; ignored", quote(value));
    return value == "flush" ? Underflow::kToZero : Underflow::kGradual;
  }();
  return underflow;
}

FloatingPointScope::FloatingPointScope() : FloatingPointScope(current) {}

FloatingPointScope::FloatingPointScope(Underflow underflow)
    : vector_control_(vector_control()), stack_control_(stack_control()), outer_(current) {
  current = underflow;
  set_vector_control(underflow == Underflow::kToZero ? kFlushToZero : kNearest);
  if ((stack_control_ & kStackRounding) != 0)
    set_stack_control(stack_control_ & static_cast<uint16_t>(~kStackRounding));
}

FloatingPointScope::~FloatingPointScope() {
  current = outer_;
  set_vector_control(vector_control_);
  if ((stack_control_ & kStackRounding) != 0) set_stack_control(stack_control_);
}

}  // namespace hilo
