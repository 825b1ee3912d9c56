// SPDX-License-Identifier: Apache-2.0
// base/assertions.h -- assertions about the internal use of functions, in builds that check them.
#pragma once

#include <string>

/// 1 in builds without NDEBUG and in builds with sanitizers, otherwise 0.
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HILO_ASSERTIONS 1
#else
#define HILO_ASSERTIONS 0
#endif

namespace hilo {

/// Writes "hilo: assertion failed: ..." to stderr and ends the process.
[[noreturn]] void assertion_failed(const std::string& what);

}  // namespace hilo

/// Ends the process with `what` unless `condition` holds. For programming errors only; invalid input causes an error.
/// Cost      none in a release, where neither argument is evaluated
#if HILO_ASSERTIONS
#define HILO_ASSERT(condition, what)  \
  do {                                \
    if (!(condition)) [[unlikely]]    \
      ::hilo::assertion_failed(what); \
  } while (false)
#else
#define HILO_ASSERT(condition, what) static_cast<void>(0)
#endif
