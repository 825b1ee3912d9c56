// SPDX-License-Identifier: Apache-2.0
// base/thread_own.h -- objects per thread that stay accessible while the process ends.
#pragma once

#include <utility>

namespace hilo {

/// Returns the calling thread's own T, which is created at the first call and destroyed with the thread. Destructors of
/// static objects run after the main thread's thread_local objects are destroyed; they get a new T that is never
/// destroyed.
template <typename T>
T& thread_own() {
  thread_local T* own = nullptr;
  struct Owner {
    T** pointer;
    ~Owner() { delete std::exchange(*pointer, nullptr); }
  };
  if (own == nullptr) {
    own = new T;
    thread_local const Owner owner{&own};
  }
  return *own;
}

}  // namespace hilo
