// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/transfers.h"

#include <atomic>

namespace hilo {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<TransferObserver*> observer_now{nullptr};

}  // namespace

void observe_transfers(TransferObserver* observer) { observer_now.store(observer, std::memory_order_release); }

TransferWatch::TransferWatch() : observer_(observer_now.load(std::memory_order_acquire)) {
  if (observer_ != nullptr) began_ = Clock::now();
}

void TransferWatch::tell_after(const Event& event, Transfer transfer) const {
  event.on_ready([observer = observer_, began = began_, transfer = std::move(transfer)](const Status& status) mutable {
    if (!status.ok()) return;
    transfer.nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began).count();
    observer->on_transfer(transfer);
  });
}

}  // namespace hilo
