// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/stop.h"

namespace hilo {
namespace stop_detail {

constinit thread_local const StopWord* word_of_thread = nullptr;
const StopWord unchanged;

}  // namespace stop_detail

Status stop_status(const StopWord* word, std::string_view where) {
  const uint32_t reason = word == nullptr ? kRunning : word->load(std::memory_order_relaxed);
  if (reason == kRunning) return ok_status();
  if (reason == kDeadlinePassed) {
    return Status(StatusCode::kDeadlineExceeded, "timeout of the program" + std::string(where));
  }
  return cancelled("the program was cancelled" + std::string(where));
}

}  // namespace hilo
