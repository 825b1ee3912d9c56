// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/compile.h"

#include <mutex>
#include <unordered_map>

#include "hilo/client/platforms.h"

namespace hilo {
namespace {

constexpr size_t kMaxExecutables = 4096;

std::mutex cache_mutex;
std::unordered_map<hlo::Fingerprint, std::shared_ptr<Executable>>& cache() {
  static auto* map = new std::unordered_map<hlo::Fingerprint, std::shared_ptr<Executable>>;
  return *map;
}

}  // namespace

StatusOr<std::shared_ptr<Executable>> compile_module(const hlo::Module& module) {
  const hlo::Fingerprint key = module.entry->fingerprint();
  {
    std::lock_guard lock(cache_mutex);
    if (const auto it = cache().find(key); it != cache().end()) return it->second;
  }
  HILO_ASSIGN_OR_RETURN(Backend* const backend, default_backend());
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Executable> compiled, backend->compile(module, {}, nullptr));
  std::shared_ptr<Executable> executable = std::move(compiled);
  std::lock_guard lock(cache_mutex);
  if (cache().size() >= kMaxExecutables) cache().clear();
  return cache().emplace(key, std::move(executable)).first->second;
}

void clear_executable_cache() {
  std::lock_guard lock(cache_mutex);
  cache().clear();
}

}  // namespace hilo
