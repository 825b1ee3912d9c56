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
  const auto call = [](void* f) { reinterpret_cast<void (*)()>(f)(); };
  return __real___cxa_atexit(call, reinterpret_cast<void*>(function), nullptr) == 0;
}

}  // namespace hilo
