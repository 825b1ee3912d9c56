// SPDX-License-Identifier: Apache-2.0
// base/start_thread.h -- threads of a library: they take no signals, and that none can be had is a status.
#pragma once

#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "hilo/base/signals_blocked.h"
#include "hilo/base/status.h"

namespace hilo {

/// A thread that runs `run`. The caller joins or detaches it.
/// Errors    RESOURCE_EXHAUSTED "no thread can be had PURPOSE"
/// Example   HILO_ASSIGN_OR_RETURN(thread_, start_thread("for metrics", [this] { serve(); }));
template <typename Run>
StatusOr<std::thread> start_thread(std::string_view purpose, Run run) {
  const SignalsBlocked blocked;
  try {
    return std::thread(std::move(run));
  } catch (const std::system_error&) {
    return resource_exhausted(std::string("no thread can be had ").append(purpose));
  }
}

}  // namespace hilo
