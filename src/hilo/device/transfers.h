// SPDX-License-Identifier: Apache-2.0
// device/transfers.h -- who wants to know of copies between this process and devices whose memory lies elsewhere: profiles.
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
  int64_t nanoseconds = 0;  ///< from the call until the copy was made
};

/// Lives as long as the process.
class TransferObserver {
 public:
  virtual ~TransferObserver() = default;
  /// From any thread.
  virtual void on_transfer(const Transfer& transfer) = 0;
};

/// One for the process; null is none.
void observe_transfers(TransferObserver* observer);

/// A transfer that begins now.
/// Example   const TransferWatch watch; ... watch.until(event, *device, Direction::kToDevice, bytes);
class TransferWatch {
 public:
  TransferWatch();
  /// Tells the observer once the event is finished without an error. `device` is called by its to_string().
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
