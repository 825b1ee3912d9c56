// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/process_end.h"

extern "C" {
// What the linker makes of __cxa_atexit: the library's calls go to the first, and the second is that of the C library.
int __wrap___cxa_atexit(void (*destroy)(void*), void* object, void* library);
int __real___cxa_atexit(void (*destroy)(void*), void* object, void* library);

int __wrap___cxa_atexit(void (*)(void*), void*, void*) { return 0; }
}

namespace hilo {

bool at_process_end(void (*function)()) {
  // As the C library's own std::atexit does; sanitizers pass no argument on to a function that belongs to no library.
  return __real___cxa_atexit(reinterpret_cast<void (*)(void*)>(function), nullptr, nullptr) == 0;
}

}  // namespace hilo
