// SPDX-License-Identifier: Apache-2.0
// base/signals_blocked.h -- threads of a library must not run the program's signal handlers.
#pragma once

#include <signal.h>

namespace hilo {

/// While it lives, this thread takes no signals; threads that it starts take none as long as they live.
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
