// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/stop.h"

namespace hilo {
namespace {

thread_local const StopWord* word_of_thread = nullptr;

}  // namespace

const StopWord* stop_word() { return word_of_thread; }

StopScope::StopScope(const StopWord* word) : before_(word_of_thread) {
  if (word != nullptr) word_of_thread = word;
}

StopScope::~StopScope() { word_of_thread = before_; }

Status stop_status(const StopWord* word, std::string_view where) {
  const uint32_t reason = word == nullptr ? kRunning : word->load(std::memory_order_relaxed);
  if (reason == kRunning) return ok_status();
  if (reason == kDeadlinePassed) {
    return Status(StatusCode::kDeadlineExceeded, "the program's time was over before it ended" + std::string(where));
  }
  return cancelled("the program was cancelled" + std::string(where));
}

}  // namespace hilo
