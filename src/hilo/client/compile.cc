// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "hilo/backend/run_collective.h"
#include "hilo/base/log.h"
#include "hilo/base/memoize.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/client/compile_progress.h"
#include "hilo/client/disk_cache.h"
#include "hilo/client/inspection.h"
#include "hilo/client/xla_bridge.h"
#include "hilo/hlo/text/printer.h"

namespace hilo {
namespace {

/// Key of the cache: the program's fingerprint, the client, the program's name (for profiles and messages), and the
/// compile limits and the effort as text.
using ExecutableKey = std::tuple<hlo::Fingerprint, uint64_t, std::string, std::string>;

auto& executables() {
  static auto* const table = new MemoTable<ExecutableKey, std::shared_ptr<Executable>>;
  return *table;
}

/// Returns the mutex that is held while the program of `key` is compiled, so that other callers wait for the result.
/// Different programs rarely share a mutex.
std::mutex& compiling(const ExecutableKey& key) {
  static auto* const mutexes = new std::array<std::mutex, 64>;
  return (*mutexes)[std::hash<hlo::Fingerprint>()(std::get<0>(key)) % mutexes->size()];
}

/// Returns the key of the disk cache: the program's text and all options that affect compilation. The disk has no quick
/// code, so that only the best effort has its own entries. Fingerprints can't be used, because they differ between
/// processes. The first line is the program's name.
std::string disk_key(const Client& client, const hlo::Module& module, const CompileOptions& options) {
  const char* const isa = std::getenv("HILO_ISA");
  const hlo::PrintOptions meaning{.decompose_extensions = false, .canonical = true};
  return fmt::format("{}\n{}, {}, {}, replicas {}, {}\n{}", module.name, client.platform_name(),
                     client.devices()[0]->kind(), isa == nullptr ? "any" : isa, options.replica_count,
                     options.limits.to_string() + (options.effort.effort == Effort::kBest ? ", best" : ""),
                     hlo::print_module(module, meaning));
}

/// Programs with more constants aren't cached on disk, because reading them takes as long as compiling.
constexpr int64_t kMaxConstantBytes = 16 << 20;

int64_t constant_bytes_of(const hlo::Module& module) {
  int64_t bytes = 0;
  for (const hlo::ComputationPtr& computation : hlo::computations_of(module)) {
    for (const hlo::Instruction& i : computation->instructions())
      bytes += i.opcode == hlo::Opcode::kConstant ? i.shape.byte_size() : 0;
  }
  return bytes;
}

/// Returns the cache for the program, or null if it must not be cached.
StatusOr<DiskCache*> disk_for(const Client& client, const hlo::Module& module, const CompileOptions& options) {
  const bool is_elsewhere = client.options().backend == "xrt";  // the server has its own cache
  if (is_watched(options) || is_elsewhere || options.device_assignment || client.devices().empty()) return nullptr;
  HILO_ASSIGN_OR_RETURN(DiskCache* const disk, disk_cache());
  return disk != nullptr && constant_bytes_of(module) <= kMaxConstantBytes ? disk : nullptr;
}

StatusOr<std::shared_ptr<Executable>> compile_with(XlaClient& client, const hlo::Module& module, CompileOptions options,
                                                   int64_t replica_count) {
  options.replica_count = replica_count;
  return compile_for_client(client, module, options);
}

StatusOr<std::shared_ptr<Executable>> compile_now(const hlo::Module& module, const CompileOptions& options) {
  HILO_ASSIGN_OR_RETURN(const XlaClientPtr client, get_xla_client());
  HILO_ASSIGN_OR_RETURN(const int64_t stated, replica_count_of(module, 1));
  const bool states = std::any_of(module.other_attributes.begin(), module.other_attributes.end(),
                                  [](const auto& attribute) { return attribute.first == "replica_count"; });
  return compile_with(*client, module, options, states ? stated : client->options().replica_count);
}

/// Returns whether the module's header affects how the module runs. Frontend attributes don't.
bool steers_execution(const hlo::Module& module) {
  return !module.aliases.empty() ||
         std::any_of(module.other_attributes.begin(), module.other_attributes.end(),
                     [](const auto& attribute) { return attribute.first != "frontend_attributes"; });
}

/// Returns whether the module's executable may be shared between callers. The key contains no header fields except the
/// layouts of arguments and result. Dumps and profiles belong to a single compilation.
bool may_be_shared(const hlo::Module& module, const CompileOptions& options) {
  return !is_watched(options) && !options.device_assignment && !steers_execution(module);
}

ExecutableKey key_of(const hlo::Module& module, const CompileOptions& options, uintptr_t client) {
  std::string how = options.limits.to_string() + options.effort.to_string();
  if (module.entry_parameter_layouts) {
    for (const Shape& shape : *module.entry_parameter_layouts) how += ", " + shape.to_string_with_layout();
  }
  if (module.entry_result_layout) how += " -> " + module.entry_result_layout->to_string_with_layout();
  return ExecutableKey(module.entry->fingerprint(), client, module.name, std::move(how));
}

/// Returns the cached executable of the key, or calls `compile`. Concurrent callers with the same key wait for the
/// result.
template <typename Compile>
StatusOr<std::shared_ptr<Executable>> known_or_new(const ExecutableKey& key, Compile&& compile) {
  if (std::optional<std::shared_ptr<Executable>> known = executables().find(key)) return *std::move(known);
  const std::scoped_lock lock(compiling(key));
  if (std::optional<std::shared_ptr<Executable>> known = executables().find(key)) return *std::move(known);
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<Executable> executable, compile());
  return executables().insert(key, std::move(executable));
}

}  // namespace

StatusOr<std::shared_ptr<Executable>> compile_module(const hlo::Module& module, const CompileOptions& options) try {
  if (!may_be_shared(module, options)) return compile_now(module, options);
  return known_or_new(key_of(module, options, client_generation()), [&] { return compile_now(module, options); });
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<std::shared_ptr<Executable>> compile_on(Client& client, const hlo::Module& module,
                                                 const CompileOptions& options) try {
  if (!may_be_shared(module, options)) return compile_with(client, module, options, 1);
  // The client's address is a valid key, because the executable keeps the client alive. Generations are small numbers,
  // so they differ from addresses.
  return known_or_new(key_of(module, options, reinterpret_cast<uintptr_t>(&client)),
                      [&] { return compile_with(client, module, options, 1); });
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<std::shared_ptr<Executable>> compile_for_replicas(const hlo::Module& module, CompileOptions options,
                                                           int64_t replica_count) try {
  HILO_ASSIGN_OR_RETURN(const XlaClientPtr client, get_xla_client());
  return compile_with(*client, module, std::move(options), replica_count);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<std::shared_ptr<Executable>> compile_for_client(Client& client, const hlo::Module& module,
                                                         const CompileOptions& options) try {
  HILO_ASSIGN_OR_RETURN(DiskCache* const disk, disk_for(client, module, options));
  const std::string key = disk == nullptr ? "" : disk_key(client, module, options);
  if (disk != nullptr) {
    if (std::unique_ptr<Executable> known = disk->find(client, key))
      return std::shared_ptr<Executable>(std::move(known));
  }
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Executable> compiled, compile_observed(client, module, options));
  const ExecutableStatistics statistics = compiled->statistics();
  log_debug("compiled {}: {} kernels, {} of them new, {:.1f} ms", module.name, statistics.kernel_count,
            statistics.kernels_compiled, statistics.compile_milliseconds);
  if (disk != nullptr && statistics.quick_count == 0) disk->insert(key, *compiled);
  return std::shared_ptr<Executable>(std::move(compiled));
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

int64_t held_bytes(const std::shared_ptr<Executable>& executable) {
  const ExecutableStatistics statistics = executable->statistics();
  return statistics.constant_bytes + statistics.program_bytes;
}

StatusOr<std::unique_ptr<Executable>> compile_observed(Client& client, const hlo::Module& module,
                                                       const CompileOptions& options) try {
  if (!is_watched(options) && !CompileProgress::is_shown()) return client.compile(module, options, nullptr);
  std::unique_ptr<CompileWatch> watch;
  if (is_watched(options)) {
    HILO_ASSIGN_OR_RETURN(const InspectTable* const inspect, open_companion<InspectTable>());
    watch = inspect->watch(options, module);
  }
  CompileProgress progress(module.name, watch.get());
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable, client.compile(module, options, &progress));
  return watch == nullptr ? std::move(executable) : watch->finish(std::move(executable));
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo
