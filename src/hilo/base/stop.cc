// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/stop.h"

#include <utility>

namespace hilo {
namespace {

thread_local const StopWord* word_of_thread = nullptr;
const StopWord unchanged;  // stands in a scope that leaves the thread's word as it is

}  // namespace

const StopWord* stop_word() { return word_of_thread; }

StopScope::StopScope(const StopWord* word) : before_(&unchanged) {
  if (word != nullptr) before_ = std::exchange(word_of_thread, word);
}

StopScope::~StopScope() {
  if (before_ != &unchanged) word_of_thread = before_;
}

Status stop_status(const StopWord* word, std::string_view where) {
  const uint32_t reason = word == nullptr ? kRunning : word->load(std::memory_order_relaxed);
  if (reason == kRunning) return ok_status();
  if (reason == kDeadlinePassed) {
    return Status(StatusCode::kDeadlineExceeded, "the program's time was over before it ended" + std::string(where));
  }
  return cancelled("the program was cancelled" + std::string(where));
}

}  // namespace hilo
