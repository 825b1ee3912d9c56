// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/compile.h"

#include <mutex>
#include <unordered_map>

#include "hilo/client/debug_dumps.h"
#include "hilo/client/platforms.h"

namespace hilo {
namespace {

constexpr size_t kMaxExecutables = 4096;

using Executables = std::unordered_map<hlo::Fingerprint, std::shared_ptr<Executable>>;

/// What the flags asked for when they were last looked at, and the executables that were compiled so.
struct Cache {
  std::mutex mutex;
  uint64_t flags_seen = UINT64_MAX;
  std::shared_ptr<const CompileOptions> options;
  std::string platform;
  Executables executables;
};
Cache& cache() {
  static auto* const instance = new Cache;
  return *instance;
}

/// The options of the flags as they stand. Executables compiled with other options are forgotten.
/// Precondition: the cache is locked.
StatusOr<std::shared_ptr<const CompileOptions>> current_options(Cache& cache) {
  const uint64_t version = flags_version();
  if (cache.options != nullptr && version == cache.flags_seen) return cache.options;
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<const FlagValues> values, flags());
  CompileOptions options = compile_options(*values);
  if (cache.options == nullptr || *cache.options != options || cache.platform != values->jax_platform_name) {
    cache.executables.clear();
    cache.platform = values->jax_platform_name;
    cache.options = std::make_shared<const CompileOptions>(std::move(options));
  }
  cache.flags_seen = version;
  return cache.options;
}

}  // namespace

StatusOr<std::shared_ptr<Executable>> compile_module(const hlo::Module& module) {
  const hlo::Fingerprint key = module.entry->fingerprint();
  std::shared_ptr<const CompileOptions> options;
  {
    std::lock_guard lock(cache().mutex);
    HILO_ASSIGN_OR_RETURN(options, current_options(cache()));
    if (const auto it = cache().executables.find(key); it != cache().executables.end()) return it->second;
  }
  HILO_ASSIGN_OR_RETURN(Backend* const backend, default_backend());
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Executable> compiled, compile_observed(*backend, module, *options));
  std::shared_ptr<Executable> executable = std::move(compiled);
  std::lock_guard lock(cache().mutex);
  if (cache().options != options) return executable;  // the flags changed meanwhile
  if (cache().executables.size() >= kMaxExecutables) cache().executables.clear();
  return cache().executables.emplace(key, std::move(executable)).first->second;
}

StatusOr<std::unique_ptr<Executable>> compile_observed(Backend& backend, const hlo::Module& module,
                                                       const CompileOptions& options) {
  if (!wants_dumps(options) && !CompileProgress::wanted()) return backend.compile(module, options, nullptr);
  DebugDumps dumps(options, module);
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable, backend.compile(module, options, &dumps));
  dumps.finish(executable->optimized_module());
  return executable;
}

void clear_executable_cache() {
  std::lock_guard lock(cache().mutex);
  cache().executables.clear();
}

}  // namespace hilo
