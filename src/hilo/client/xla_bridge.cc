// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/xla_bridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "hilo/base/files.h"
#include "hilo/base/flags.h"
#include "hilo/base/log.h"
#include "hilo/base/memoize.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/base/text.h"
#include "hilo/client/platform_clients.h"
#include "hilo/client/platforms.h"
#include "hilo/client/xrt.h"
#include "hilo/replica/processes.h"

namespace hilo {
namespace {

constexpr int64_t kMaxReplicas = 65536;

/// Values of the initialize functions. Both are fixed once a client exists.
struct Initialized {
  std::mutex mutex;
  bool client_exists = false;
  std::string platform_name;
  int64_t replica_count = 1;
};
Initialized& initialized() {
  static auto* const instance = new Initialized;
  return *instance;
}

bool client_exists() {
  const std::scoped_lock lock(initialized().mutex);
  return initialized().client_exists;
}

std::atomic<uint64_t> generation{0};

Status too_late(std::string_view what, const std::string& old_value, const std::string& new_value) {
  return failed_precondition(
      fmt::format("{}: a client already exists, created with {}; got {}. Hint: call it before the first operation",
                  what, old_value, new_value));
}

/// Selects the named platform. An empty name means the GPU if there is one, otherwise the CPU.
Status platform_or_default(std::string_view platform_name) {
  if (!platform_name.empty()) return choose_platform(platform_name);
  const Status cuda = choose_platform("CUDA");
  if (cuda.ok() || client_exists()) return cuda;
  log_info("{}", cuda.to_string());
  log_warning_once("no gpu", "No GPU found, falling back to CPU.");
  return choose_platform("Host");
}

/// Creates the client of the initialized platform, which is fixed from then on.
StatusOr<XlaClientPtr> make_initialized(ClientOptions options) {
  Initialized& now = initialized();
  std::lock_guard lock(now.mutex);
  if (now.client_exists) return failed_precondition("make_xla_client: another thread has just created a client");
  options.replica_count = now.replica_count;
  const bool is_host = options.backend == "xla" && (now.platform_name == "Host" || now.platform_name == "Reference");
  if (is_host) HILO_RETURN_IF_ERROR(join_processes(options));
  StatusOr<XlaClientPtr> client = options.backend == "xrt"
                                      ? make_xrt_client(std::move(options))
                                      : make_platform_client(now.platform_name, std::move(options));
  now.client_exists = client.ok();
  return client;
}

StatusOr<XlaClientPtr> make_client(ClientOptions options, std::string_view platform_name) {
  if (options.backend != "xla" && options.backend != "xrt")
    return invalid_argument(fmt::format("backend: got {}; wanted xla or xrt.", quote(options.backend)));
  HILO_RETURN_IF_ERROR(choose_replica_count(options.replica_count));
  if (options.backend == "xla") HILO_RETURN_IF_ERROR(platform_or_default(platform_name));
  return make_initialized(std::move(options));
}

StatusOr<XlaClientPtr> client_of_flags() {
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<const FlagValues> values, flags());
  return make_client({.backend = values->jax_xla_backend,
                      .target = values->jax_backend_target,
                      .replica_count = values->jax_replica_count,
                      .asynchronous = values->hilo_async_dispatch},
                     values->jax_platform_name);
}

StatusOr<BackendTarget> backend_of_flags() {
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<const FlagValues> values, flags());
  const std::string& target = values->jax_backend_target;
  if (target != "local" && !(target.starts_with("rpc:") && target.size() > 4)) {
    return invalid_argument(
        fmt::format("jax_backend_target: value does not fit; got {}; wanted local or rpc:address.", quote(target)));
  }
  if (values->jax_xla_backend == "xla" && target != "local") {
    return invalid_argument(fmt::format(
        "jax_backend_target: got {}; the backend xla runs in this process, at local. Hint: --jax_xla_backend=xrt",
        quote(target)));
  }
  return BackendTarget{values->jax_xla_backend, target};
}

auto& client_thunk() {
  static auto* const thunk = new MemoizedThunk(client_of_flags);
  return *thunk;
}
auto& backend_thunk() {
  static auto* const thunk = new MemoizedThunk(backend_of_flags);
  return *thunk;
}

/// A dump flag: the option that it sets and the name of its folder.
struct DumpFlag {
  std::optional<std::string> FlagValues::* flag;
  std::optional<std::string> CompileOptions::* option;
  std::string_view name;
};
constexpr std::array kDumpFlags = {
    DumpFlag{&FlagValues::jax_dump_hlo_unoptimized, &CompileOptions::dump_unoptimized_hlo_proto_to, "hlo_unoptimized"},
    DumpFlag{&FlagValues::jax_dump_hlo_optimized, &CompileOptions::dump_optimized_hlo_proto_to, "hlo_optimized"},
    DumpFlag{&FlagValues::jax_dump_hlo_per_pass, &CompileOptions::dump_per_pass_hlo_proto_to, "hlo_per_pass"},
};

CompileLimits limits_of(const FlagValues& values) {
  return {.instructions = values.hilo_max_instructions,
          .compile_seconds = static_cast<double>(values.hilo_compile_seconds),
          .memory_bytes = values.hilo_max_memory,
          .run_seconds = static_cast<double>(values.hilo_run_seconds)};
}

CompileEffort effort_of(const FlagValues& values) {
  return {.effort = effort_of_name(values.hilo_effort).value_or(Effort::kDefault),
          .budget = static_cast<double>(values.hilo_budget_milliseconds) * 1e-3,
          .tiers = values.hilo_tiers};
}

std::optional<std::string> path_or_warning(const std::string& directory, std::string_view name) {
  StatusOr<std::string> path = hlo_path(directory, name);
  if (path.ok()) return *std::move(path);
  const std::string folder = fmt::format("{}/{}", directory, name);
  log_warning_once("dump " + folder, "dumps to {} are off: {}", folder, path.status().to_string());
  return std::nullopt;
}

}  // namespace

Status choose_platform(std::string_view name) {
  Initialized& now = initialized();
  std::lock_guard lock(now.mutex);
  if (now.client_exists) return too_late("initialize_platform_name", quote(now.platform_name), quote(name));
  HILO_ASSIGN_OR_RETURN(now.platform_name, check_platform(name));
  return ok_status();
}

Status choose_replica_count(int64_t count) {
  if (count < 1 || count > kMaxReplicas) {
    return invalid_argument(
        fmt::format("initialize_replica_count: got {}; wanted a number from 1 to {}.", count, kMaxReplicas));
  }
  Initialized& now = initialized();
  std::lock_guard lock(now.mutex);
  if (now.client_exists) {
    return too_late("initialize_replica_count", std::to_string(now.replica_count), std::to_string(count));
  }
  now.replica_count = count;
  return ok_status();
}

Done initialize_platform_name(std::string_view name) {
  or_throw(choose_platform(name));
  return {};
}
Done initialize_replica_count(int64_t count) {
  or_throw(choose_replica_count(count));
  return {};
}

std::string platform_name() {
  std::lock_guard lock(initialized().mutex);
  return initialized().platform_name;
}

std::string default_platform_name() {
  const StatusOr<XlaClientPtr> client = get_xla_client();
  return client.ok() && !(*client)->platform_name().empty() ? std::string((*client)->platform_name()) : "none";
}

void clear_backends() {
  client_thunk().clear();
  backend_thunk().clear();
  forget_platform_clients();
  {
    Initialized& now = initialized();
    std::lock_guard lock(now.mutex);
    now.client_exists = false;
    now.platform_name.clear();
    now.replica_count = 1;
  }
  generation.fetch_add(1, std::memory_order_release);
  clear_caches();
}

StatusOr<XlaClientPtr> make_xla_client(std::string_view backend_name, std::string_view platform_name,
                                       int64_t replica_count) {
  return make_client({.backend = std::string(backend_name), .replica_count = replica_count}, platform_name);
}

StatusOr<XlaClientPtr> get_xla_client() try { return client_thunk()(); } catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<BackendTarget> get_backend() try { return backend_thunk()(); } catch (const std::bad_alloc&) {
  return out_of_memory();
}

uint64_t client_generation() { return generation.load(std::memory_order_acquire); }

StatusOr<std::optional<CompileOptions>> get_compile_options() {
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<const FlagValues> values, flags());
  std::optional<CompileOptions> options;
  const auto asked = [&options]() -> CompileOptions& { return options ? *options : options.emplace(); };
  if (values->jax_dump_hlo_graph) asked().generate_hlo_graph = values->jax_dump_hlo_graph;
  if (values->jax_hlo_profile) asked().hlo_profile = true;
  if (const CompileLimits limits = limits_of(*values); limits != CompileLimits{}) asked().limits = limits;
  if (const CompileEffort effort = effort_of(*values); effort != CompileEffort{}) asked().effort = effort;
  for (const DumpFlag& dump : kDumpFlags) {
    const std::optional<std::string>& directory = (*values).*dump.flag;
    if (directory && !directory->empty()) asked().*dump.option = path_or_warning(*directory, dump.name);
  }
  return options;
}

StatusOr<std::string> hlo_path(const std::string& directory, std::string_view name) {
  const bool known = std::ranges::any_of(kDumpFlags, [&](const DumpFlag& dump) { return dump.name == name; });
  if (!known) {
    return invalid_argument(
        fmt::format("hlo_path: got {}; wanted hlo_unoptimized, hlo_optimized or hlo_per_pass.", quote(name)));
  }
  std::string path = fmt::format("{}/{}", directory, name);
  HILO_RETURN_IF_ERROR(make_directories(path));
  return path;
}

StatusOr<ElementType> canonical_element_type(ElementType type) {
  HILO_ASSIGN_OR_RETURN(const bool x64, x64_enabled());
  if (x64) return type;
  switch (type) {  // NOLINT: every other type is its own canonical type
    case ElementType::kS64: return ElementType::kS32;
    case ElementType::kU64: return ElementType::kU32;
    case ElementType::kF64: return ElementType::kF32;
    case ElementType::kC128: return ElementType::kC64;
    default: return type;
  }
}

StatusOr<Shape> canonical_shape(const Shape& shape) {
  Status failed;
  const Shape canonical = shape.map_leaves([&](const Shape& leaf) {
    const StatusOr<ElementType> type = canonical_element_type(leaf.element_type());
    if (!type.ok()) failed = type.status();
    return type.ok() && *type != leaf.element_type() ? leaf.with_element_type(*type) : leaf;
  });
  if (!failed.ok()) return failed;
  return canonical;
}

}  // namespace hilo
