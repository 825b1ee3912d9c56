// SPDX-License-Identifier: Apache-2.0
// backend/ffi_executor.cc -- the functions are here, so that the class has one table of virtual functions. Clang
// compares the tables' addresses, not types, and libhilo.so looks for executors that the plugin for JAX creates.
#include "hilo/backend/ffi_executor.h"

#include <utility>

namespace hilo {

FfiExecutor::FfiExecutor(std::unordered_map<int64_t, void*> user_data) : user_data_(std::move(user_data)) {}

int FfiExecutor::threads() const { return pool_.threads(); }

void FfiExecutor::parallel_for(int64_t tasks, FunctionRef<void(int64_t)> task) { pool_.parallel_for(tasks, task); }

void* FfiExecutor::find(int64_t type_id) const {
  const auto found = user_data_.find(type_id);
  return found == user_data_.end() ? nullptr : found->second;
}

}  // namespace hilo
