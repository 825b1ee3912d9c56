// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/process_end.h"

extern "C" {
// Wrapper of __cxa_atexit, which the linker inserts into the library; __real_ is the C library's function.
int __wrap___cxa_atexit(void (*destroy)(void*), void* object, void* library);
int __real___cxa_atexit(void (*destroy)(void*), void* object, void* library);

int __wrap___cxa_atexit([[maybe_unused]] void (*destroy)(void*), [[maybe_unused]] void* object,
                        [[maybe_unused]] void* library) {
#ifdef __LLVM_INSTR_PROFILE_GENERATE  // std::atexit, which has no object, writes clang's counters for `make coverage`
  if (object == nullptr) return __real___cxa_atexit(destroy, object, library);
#endif
  return 0;
}
}

namespace hilo {

bool at_process_end(void (*function)()) {
  // Passes the function as std::atexit of the C library does. Sanitizers pass no argument to a function without a
  // library handle.
  return __real___cxa_atexit(reinterpret_cast<void (*)(void*)>(function), nullptr, nullptr) == 0;
}

}  // namespace hilo
