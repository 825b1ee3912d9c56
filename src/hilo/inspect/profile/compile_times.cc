// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/profile/compile_times.h"

#include <malloc.h>

namespace hilo {
namespace {

/// Returns the bytes of the heap in use, including mapped blocks.
int64_t heap_bytes() {
  const struct mallinfo2 info = ::mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

}  // namespace

void CompileTimes::before(std::string_view pass, const hlo::Module& module) {
  next_.before(pass, module);
  heap_before_ = heap_bytes();
}

void CompileTimes::after(std::string_view pass, const hlo::Module& module, bool changed, double milliseconds) {
  steps_.push_back({"pass " + std::string(pass), milliseconds, heap_bytes() - heap_before_});
  next_.after(pass, module, changed, milliseconds);
}

void CompileTimes::generated(std::string_view kernel, int64_t code_bytes, double milliseconds) {
  steps_.push_back({"code " + std::string(kernel), milliseconds, code_bytes});
  next_.generated(kernel, code_bytes, milliseconds);
}

}  // namespace hilo
