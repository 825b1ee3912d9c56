// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/compile.h"

#include "hilo/base/memoize.h"
#include "hilo/client/debug_dumps.h"
#include "hilo/client/xla_bridge.h"

namespace hilo {
namespace {

/// A program's meaning, and the client that compiled it.
using ExecutableKey = std::tuple<hlo::Fingerprint, uint64_t>;

auto& executables() {
  static auto* const table = new MemoTable<ExecutableKey, std::shared_ptr<Executable>>;
  return *table;
}

StatusOr<std::shared_ptr<Executable>> compile_now(const hlo::Module& module, CompileOptions options) {
  HILO_ASSIGN_OR_RETURN(const XlaClientPtr client, get_xla_client());
  if (client->engine == nullptr) {
    return failed_precondition("Compile '" + module.name + "': the client's backend is xrt, which compiles elsewhere");
  }
  options.replica_count = client->replica_count;
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Executable> compiled, compile_observed(*client->engine, module, options));
  return std::shared_ptr<Executable>(std::move(compiled));
}

}  // namespace

StatusOr<std::shared_ptr<Executable>> compile_module(const hlo::Module& module, const CompileOptions& options) {
  if (options.hlo_profile) return unimplemented("jax_hlo_profile: profiles are not implemented");
  // The fingerprint doesn't know of aliases.
  if (wants_dumps(options) || !module.aliases.empty()) return compile_now(module, options);
  const ExecutableKey key(module.entry->fingerprint(), client_generation());
  if (std::optional<std::shared_ptr<Executable>> known = executables().find(key)) return *std::move(known);
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<Executable> executable, compile_now(module, options));
  return executables().insert(key, std::move(executable));
}

StatusOr<std::unique_ptr<Executable>> compile_observed(Backend& backend, const hlo::Module& module,
                                                       const CompileOptions& options) {
  if (!wants_dumps(options) && !CompileProgress::wanted()) return backend.compile(module, options, nullptr);
  DebugDumps dumps(options, module);
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable, backend.compile(module, options, &dumps));
  dumps.finish(executable->optimized_module());
  return executable;
}

}  // namespace hilo
