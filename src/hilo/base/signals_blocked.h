// SPDX-License-Identifier: Apache-2.0
// base/signals_blocked.h -- blocks signals, because threads of a library must not run the program's signal handlers.
#pragma once

#include <signal.h>

namespace hilo {

/// Blocks signals on this thread for the duration of the scope. Threads that are started in the scope inherit the
/// blocked signals permanently.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace hilo
