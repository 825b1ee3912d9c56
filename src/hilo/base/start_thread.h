// SPDX-License-Identifier: Apache-2.0
// base/start_thread.h -- starts threads of the library: they block signals, and a failure is a Status.
#pragma once

#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "hilo/base/signals_blocked.h"
#include "hilo/base/status.h"

namespace hilo {

/// Starts a thread that calls `run`. The caller joins or detaches it.
/// Errors    RESOURCE_EXHAUSTED "no thread could be started PURPOSE"
/// Example   HILO_ASSIGN_OR_RETURN(thread_, start_thread("for metrics", [this] { serve(); }));
template <typename Run>
StatusOr<std::thread> start_thread(std::string_view purpose, Run run) {
  const SignalsBlocked blocked;
  try {
    return std::thread(std::move(run));
  } catch (const std::system_error&) {
    return resource_exhausted(std::string("no thread could be started ").append(purpose));
  }
}

}  // namespace hilo
