// SPDX-License-Identifier: Apache-2.0
// c/settings.cc -- the library's version and the settings of the process.
#include <fmt/format.h>

#include "hilo/base/flags.h"
#include "hilo/base/thread_pool.h"
#include "hilo/c/guarded.h"
#include "hilo/c/hilo.h"
#include "hilo/version.h"

namespace hilo::c {

extern "C" {

const char* hilo_version(void) {
  return version().data();  // a literal
}

uint32_t hilo_c_version(void) { return (uint32_t{HILO_C_MAJOR} << 16) + HILO_C_MINOR; }

int hilo_set_flag(const char* name, const char* value, char** error) {
  return guarded(error, [&]() -> Status {
    if (name == nullptr) return null_parameter("hilo_set_flag", "name");
    if (value == nullptr) return null_parameter("hilo_set_flag", "value");
    return config().set(name, value);
  });
}

int hilo_set_thread_count(int32_t threads, char** error) {
  return guarded(error, [&]() -> Status {
    if (threads < 0) return invalid_argument(fmt::format("hilo_set_thread_count: got {}; wanted 0 or more", threads));
    set_default_thread_count(threads);
    return ok_status();
  });
}

}  // extern "C"

}  // namespace hilo::c
