// SPDX-License-Identifier: Apache-2.0
// backend/ffi_executor.h -- the data that a caller passes to the C handlers of one run, by the id of its type. It is
// passed as the run's executor.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "hilo/base/thread_pool.h"

namespace hilo {

/// An executor that works like the caller's default_pool(). HiloFfi_Api::context_get returns the data that it stores.
class FfiExecutor final : public Executor {
 public:
  explicit FfiExecutor(std::unordered_map<int64_t, void*> user_data);

  int threads() const override;
  void parallel_for(int64_t tasks, FunctionRef<void(int64_t)> task) override;
  /// Returns the data of that type; null if it is missing.
  void* find(int64_t type_id) const;

 private:
  Executor& pool_ = default_pool();
  const std::unordered_map<int64_t, void*> user_data_;
};

}  // namespace hilo
