// SPDX-License-Identifier: Apache-2.0
// device/transfers.h -- the interface for observing copies between this process and devices with separate memory:
// profiles.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "hilo/device/event.h"

namespace hilo {

enum class Direction : uint8_t { kToDevice, kFromDevice };

struct Transfer {
  std::string device;  ///< "CUDA:0"
  Direction direction = Direction::kToDevice;
  int64_t bytes = 0;
  int64_t nanoseconds = 0;  ///< from the call until the end of the copy
};

/// Observes transfers; must live until the process ends.
class TransferObserver {
 public:
  virtual ~TransferObserver() = default;
  /// Called on any thread.
  virtual void on_transfer(const Transfer& transfer) = 0;
};

/// Sets the observer of the process; null removes it.
void observe_transfers(TransferObserver* observer);

/// Measures a transfer that begins at its construction.
/// Example   const TransferWatch watch; ... watch.until(event, *device, Direction::kToDevice, bytes);
class TransferWatch {
 public:
  TransferWatch();
  /// Notifies the observer when the event finishes without an error. The device is reported by its to_string().
  template <typename Device>
  void until(const Event& event, const Device& device, Direction direction, int64_t bytes) const {
    if (observer_ != nullptr) tell_after(event, {device.to_string(), direction, bytes, 0});
  }

 private:
  void tell_after(const Event& event, Transfer transfer) const;

  TransferObserver* observer_;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace hilo
