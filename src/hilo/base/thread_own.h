// SPDX-License-Identifier: Apache-2.0
// base/thread_own.h -- what a thread keeps for itself, and may still ask for while the process ends.
#pragma once

#include <utility>

namespace hilo {

/// The calling thread's own T, made at the first call and destroyed with the thread. Destructors of static objects run
/// after the main thread's thread_local objects are gone: for them there is a T once more, which lives for ever.
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
