// SPDX-License-Identifier: Apache-2.0
// tests/support/leaks.h -- makes the leak sanitizer ignore later leaks of this thread.
#pragma once

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace hilo::tests {

/// While it exists, allocations of this thread are not reported as leaks. For tests of LLVM's fatal errors, which leak
/// an incomplete compilation.
class LeaksAreMeant {
 public:
  LeaksAreMeant(const LeaksAreMeant&) = delete;
  LeaksAreMeant& operator=(const LeaksAreMeant&) = delete;
#ifdef __SANITIZE_ADDRESS__
  LeaksAreMeant() { __lsan_disable(); }
  ~LeaksAreMeant() { __lsan_enable(); }
#else
  LeaksAreMeant() {}
  ~LeaksAreMeant() {}
#endif
};

}  // namespace hilo::tests
