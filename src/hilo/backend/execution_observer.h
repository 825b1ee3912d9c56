// SPDX-License-Identifier: Apache-2.0
// backend/execution_observer.h -- who watches a program run: profiles and NaN traps. Null costs nothing.
#pragma once

#include <cstdint>
#include <span>

namespace hilo {

class ExecutionObserver {
 public:
  virtual ~ExecutionObserver() = default;
  /// A kernel that computed the instructions `origins` took `nanoseconds`.
  virtual void on_kernel(std::span<const uint32_t> origins, int64_t nanoseconds) = 0;
};

}  // namespace hilo
