// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/service/scratch.h"

namespace hilo::rpc {

StatusOr<std::shared_ptr<const void>> Scratch::hold(std::vector<int> devices, int64_t bytes) {
  if (bytes <= 0) return std::shared_ptr<const void>();
  /// Devices that count the run. The destructor releases them.
  struct Counted {
    std::shared_ptr<Scratch> scratch;
    int64_t bytes;
    std::vector<int> devices = {};
    ~Counted() {
      for (const int device : devices) scratch->release(device, bytes);
    }
  };
  const auto counted = std::make_shared<Counted>(shared_from_this(), bytes);
  for (const int id : devices) {
    const std::scoped_lock lock(mutex_);
    Device& device = devices_[id];
    if (bytes > device.held.bytes()) {
      HILO_ASSIGN_OR_RETURN(Held more, account_->hold(bytes - device.held.bytes()));
      device.held.join(std::move(more));
    }
    device.runs.insert(bytes);
    counted->devices.push_back(id);
  }
  return std::shared_ptr<const void>(counted);
}

void Scratch::release(int id, int64_t bytes) {
  const std::scoped_lock lock(mutex_);
  Device& device = devices_[id];
  device.runs.erase(device.runs.find(bytes));
  const int64_t largest = device.runs.empty() ? 0 : *device.runs.rbegin();
  static_cast<void>(device.held.split(device.held.bytes() - largest));
}

}  // namespace hilo::rpc
