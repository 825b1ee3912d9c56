// SPDX-License-Identifier: Apache-2.0
// rpc/service/scratch.h -- counts the temporaries of runs. A device runs one program at a time, so only the largest of
// the waiting runs counts.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "hilo/rpc/service/account.h"

namespace hilo::rpc {

/// Counts temporaries per device. Thread-safe.
class Scratch : public std::enable_shared_from_this<Scratch> {
 public:
  explicit Scratch(std::shared_ptr<Account> account) : account_(std::move(account)) {}

  /// Counts `bytes` of temporaries on each device until the returned pointer and its copies are destroyed.
  /// Errors    RESOURCE_EXHAUSTED above the limit
  StatusOr<std::shared_ptr<const void>> hold(std::vector<int> devices, int64_t bytes);

 private:
  struct Device {
    std::multiset<int64_t> runs;
    Held held;
  };
  void release(int device, int64_t bytes);

  const std::shared_ptr<Account> account_;
  std::mutex mutex_;
  std::map<int, Device> devices_;
};

}  // namespace hilo::rpc
