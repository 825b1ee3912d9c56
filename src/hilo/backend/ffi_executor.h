// SPDX-License-Identifier: Apache-2.0
// backend/ffi_executor.h -- what a caller hands to the C handlers of one run: data by the id of its type. It comes along as
// the run's executor.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "hilo/base/thread_pool.h"

namespace hilo {

/// Works as the caller's default_pool(). HiloFfi_Api::context_get of a handler gives what is in it.
class FfiExecutor final : public Executor {
 public:
  explicit FfiExecutor(std::unordered_map<int64_t, void*> user_data) : user_data_(std::move(user_data)) {}

  int threads() const override { return pool_.threads(); }
  void parallel_for(int64_t tasks, FunctionRef<void(int64_t)> task) override { pool_.parallel_for(tasks, task); }
  /// Null if there is none of that type.
  void* find(int64_t type_id) const {
    const auto found = user_data_.find(type_id);
    return found == user_data_.end() ? nullptr : found->second;
  }

 private:
  Executor& pool_ = default_pool();
  const std::unordered_map<int64_t, void*> user_data_;
};

}  // namespace hilo
