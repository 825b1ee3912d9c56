// SPDX-License-Identifier: Apache-2.0
// Field numbers of XLA's compile_options.proto and xla_data.proto.
#include "hilo/pjrt/compile_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "hilo/base/text.h"
#include "hilo/hlo/proto/wire.h"

namespace hilo::pjrt {
namespace {

using hlo::proto::WireMessage;
using hlo::proto::WireWriter;

constexpr uint32_t kBuildOptions = 3, kOverrides = 7;  // CompileOptionsProto
constexpr uint32_t kDebugOptions = 3, kNumReplicas = 4, kNumPartitions = 5,
                   kDeviceAssignment = 9;                                 // ExecutableBuildOptionsProto
constexpr uint32_t kDumpTo = 109, kDumpAsText = 112, kDumpAsProto = 113;  // DebugOptions
constexpr uint32_t kFreeResults = 12,
                   kFreeParameters = 18;  // allow_spmd_sharding_propagation_to_output, _to_parameters
constexpr uint32_t kTimeEffort = 20, kOptimizationLevel = 24;  // exec_time_optimization_effort, optimization_level
constexpr uint32_t kBackendLevel = 31;                         // DebugOptions: xla_backend_optimization_level
constexpr uint32_t kUseShardy = 19;                            // use_shardy_partitioner
constexpr uint32_t kReplicaCount = 1, kComputationCount = 2, kComputationDevices = 3, kReplicaIds = 1;
constexpr uint32_t kKey = 1, kValue = 2;  // an entry of a map
enum Override : uint32_t { kText = 1, kBool = 2, kInteger = 3, kReal = 4 };

/// An option of XLA's compiler that users of JAX may set, with its type. Only those of dumps and of effort
/// affect hilo.
struct OptionRow {
  std::string_view name;
  Override type;
};
// clang-format off: a row an option
constexpr OptionRow kOptions[] = {
    {"exec_time_optimization_effort", kReal},
    {"memory_fitting_effort", kReal},
    {"optimization_level", kInteger},
    {"memory_fitting_level", kInteger},
    {"xla_allow_excess_precision", kBool},
    {"xla_backend_optimization_level", kInteger},
    {"xla_cpu_enable_concurrency_optimized_scheduler", kBool},
    {"xla_cpu_enable_fast_math", kBool},
    {"xla_cpu_enable_fast_min_max", kBool},
    {"xla_cpu_enable_xprof_traceme", kBool},
    {"xla_cpu_max_isa", kText},
    {"xla_cpu_prefer_vector_width", kInteger},
    {"xla_cpu_use_thunk_runtime", kBool},
    {"xla_disable_hlo_passes", kText},
    {"xla_dump_hlo_as_proto", kBool},
    {"xla_dump_hlo_as_text", kBool},
    {"xla_dump_max_hlo_modules", kInteger},
    {"xla_dump_to", kText},
    {"xla_embed_ir_in_executable", kBool},
    {"xla_gpu_auto_spmd_partitioning_memory_budget_ratio", kReal},
    {"xla_gpu_enable_latency_hiding_scheduler", kBool},
    {"xla_llvm_disable_expensive_passes", kBool},
    {"xla_step_marker_location", kText},
};
// clang-format on

std::string_view word(Override type) {
  switch (type) {
    case kText: return "string";
    case kBool: return "bool";
    case kInteger: return "integer";
    case kReal: return "float";
  }
  return "known";
}

template <class Number>
bool is_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool fits(Override type, std::string_view text) {
  switch (type) {
    case kText: return true;
    case kBool: return text == "true" || text == "false" || text == "True" || text == "False";
    case kInteger: return is_number<int64_t>(text);
    case kReal: return is_number<double>(text);
  }
  return false;
}

/// Checks one entry of env_option_overrides, which contains JAX's `compiler_options`. The error texts are XLA's.
Status check_override(const WireMessage& entry) {
  HILO_ASSIGN_OR_RETURN(const std::string_view key, entry.text(kKey));
  const auto row = std::ranges::find(kOptions, key, &OptionRow::name);
  if (row == std::end(kOptions)) return invalid_argument(fmt::format("No such compile option: '{}'", key));
  HILO_ASSIGN_OR_RETURN(const WireMessage value, entry.message(kValue, "OptionOverrideProto"));
  if (!value.has(kText)) return ok_status();
  HILO_ASSIGN_OR_RETURN(const std::string_view text, value.text(kText));
  if (fits(row->type, text)) return ok_status();
  return invalid_argument(
      fmt::format("While setting option {}, '{}' is not a valid {} value.", key, text, word(row->type)));
}

StatusOr<bool> flag_of(const WireMessage& value) {
  if (!value.has(kText)) return value.boolean(kBool);
  HILO_ASSIGN_OR_RETURN(const std::string_view text, value.text(kText));
  return text == "true" || text == "True";
}

/// Takes a flag of dumps; ignores others.
Status take_dump(const WireMessage& entry, DumpRequest& dump) {
  HILO_ASSIGN_OR_RETURN(const std::string_view key, entry.text(kKey));
  if (!key.starts_with("xla_dump_")) return ok_status();
  HILO_ASSIGN_OR_RETURN(const WireMessage value, entry.message(kValue, "OptionOverrideProto"));
  if (key == "xla_dump_to") {
    HILO_ASSIGN_OR_RETURN(dump.folder, value.text(kText));
  } else if (key == "xla_dump_hlo_as_text") {
    HILO_ASSIGN_OR_RETURN(dump.as_text, flag_of(value));
  } else if (key == "xla_dump_hlo_as_proto") {
    HILO_ASSIGN_OR_RETURN(dump.as_proto, flag_of(value));
  }
  return ok_status();
}

/// Returns the requested dumps: of XLA_FLAGS, which JAX puts into the debug options, and of compiler_options.
StatusOr<DumpRequest> dump_request(const WireMessage& options, const WireMessage& build) {
  DumpRequest dump;
  HILO_ASSIGN_OR_RETURN(const WireMessage flags, build.message(kDebugOptions, "DebugOptions"));
  HILO_ASSIGN_OR_RETURN(dump.folder, flags.text(kDumpTo));
  HILO_ASSIGN_OR_RETURN(dump.as_text, flags.boolean(kDumpAsText));
  HILO_ASSIGN_OR_RETURN(dump.as_proto, flags.boolean(kDumpAsProto));
  HILO_RETURN_IF_ERROR(options.for_each_message(kOverrides, "EnvOptionOverridesEntry",
                                                [&](const WireMessage& entry) { return take_dump(entry, dump); }));
  dump.as_text |= !dump.as_proto;
  return dump;
}

/// XLA's levels O0 to O3 are the numbers 9, 19, 29 and 39; 0 means that none is set.
std::optional<Effort> effort_of_level(int64_t level) {
  constexpr int64_t kO1 = 19, kO2 = 29;
  if (level == 0) return std::nullopt;
  return level <= kO1 ? Effort::kFastest : level <= kO2 ? Effort::kDefault : Effort::kBest;
}

std::optional<Effort> effort_of_time(double effort) {
  if (effort == 0) return std::nullopt;
  return effort < 0 ? Effort::kFastest : Effort::kBest;
}

template <class Number>
StatusOr<Number> number_of(const WireMessage& value) {
  Number number{};
  if (value.has(kText)) {
    HILO_ASSIGN_OR_RETURN(const std::string_view text, value.text(kText));
    std::from_chars(text.data(), text.data() + text.size(), number);  // check_override() has checked it
    return number;
  }
  HILO_ASSIGN_OR_RETURN(const int64_t integer, value.integer(kInteger));
  HILO_ASSIGN_OR_RETURN(const double real, value.real64(kReal));
  return value.has(kInteger) ? static_cast<Number>(integer) : static_cast<Number>(real);
}

/// Takes an option of compiler_options that sets the effort; ignores others.
Status take_effort(const WireMessage& entry, std::optional<Effort>& effort) {
  HILO_ASSIGN_OR_RETURN(const std::string_view key, entry.text(kKey));
  HILO_ASSIGN_OR_RETURN(const WireMessage value, entry.message(kValue, "OptionOverrideProto"));
  std::optional<Effort> found;
  if (key == "optimization_level") {
    HILO_ASSIGN_OR_RETURN(const auto level, number_of<int64_t>(value));
    found = effort_of_level(level);
  } else if (key == "exec_time_optimization_effort") {
    HILO_ASSIGN_OR_RETURN(const auto time, number_of<double>(value));
    found = effort_of_time(time);
  } else if (key == "xla_backend_optimization_level") {
    HILO_ASSIGN_OR_RETURN(const auto level, number_of<int64_t>(value));
    if (level == 0) found = Effort::kFastest;
  }
  if (found) effort = found;
  return ok_status();
}

/// Returns the requested effort: of JAX's configuration, which is in the build and debug options, and of
/// compiler_options.
StatusOr<std::optional<Effort>> effort_request(const WireMessage& options, const WireMessage& build) {
  HILO_ASSIGN_OR_RETURN(const WireMessage flags, build.message(kDebugOptions, "DebugOptions"));
  HILO_ASSIGN_OR_RETURN(const int64_t backend_level, flags.integer(kBackendLevel));
  HILO_ASSIGN_OR_RETURN(const int64_t level, build.integer(kOptimizationLevel));
  HILO_ASSIGN_OR_RETURN(const float time, build.real(kTimeEffort));
  std::optional<Effort> effort = effort_of_level(level);
  if (!effort) effort = effort_of_time(static_cast<double>(time));
  if (!effort && flags.has(kBackendLevel) && backend_level == 0) effort = Effort::kFastest;
  HILO_RETURN_IF_ERROR(options.for_each_message(kOverrides, "EnvOptionOverridesEntry",
                                                [&](const WireMessage& entry) { return take_effort(entry, effort); }));
  return effort;
}

Status read_assignment(const WireMessage& message, CompileRequest& request) {
  HILO_ASSIGN_OR_RETURN(const int64_t replicas, message.integer(kReplicaCount));
  HILO_ASSIGN_OR_RETURN(const int64_t partitions, message.integer(kComputationCount));
  if (replicas != request.replicas || partitions != request.partitions)
    return invalid_argument(fmt::format("a device assignment of {} replicas and {} partitions; wanted {} and {}",
                                        replicas, partitions, request.replicas, request.partitions));
  request.devices.resize(request.count());
  int64_t partition = 0;
  HILO_RETURN_IF_ERROR(
      message.for_each_message(kComputationDevices, "ComputationDevice", [&](const WireMessage& column) {
        const StatusOr<std::vector<int64_t>> ids = column.integers(kReplicaIds);
        if (!ids.ok()) return ids.status();
        if (partition >= partitions || std::ssize(*ids) != replicas)
          return invalid_argument("a device assignment whose lists don't match its counts");
        for (int64_t r = 0; r < replicas; ++r)
          request.devices[r * partitions + partition] = static_cast<int>((*ids)[r]);
        ++partition;
        return ok_status();
      }));
  if (partition == partitions) return ok_status();
  return invalid_argument("a device assignment whose lists don't match its counts");
}

}  // namespace

StatusOr<CompileRequest> compile_request(std::string_view bytes) {
  CompileRequest request;
  HILO_ASSIGN_OR_RETURN(const WireMessage options, WireMessage::read(bytes, "CompileOptionsProto"));
  HILO_RETURN_IF_ERROR(options.for_each_message(kOverrides, "EnvOptionOverridesEntry", check_override));
  HILO_ASSIGN_OR_RETURN(const WireMessage build, options.message(kBuildOptions, "ExecutableBuildOptionsProto"));
  HILO_ASSIGN_OR_RETURN(const int64_t replicas, build.integer(kNumReplicas));
  HILO_ASSIGN_OR_RETURN(const int64_t partitions, build.integer(kNumPartitions));
  request.replicas = build.has(kNumReplicas) ? replicas : 1;  // absent fields mean 1
  request.partitions = build.has(kNumPartitions) ? partitions : 1;
  constexpr int64_t kMax = 65536;
  if (request.replicas < 1 || request.partitions < 1 || request.replicas > kMax || request.partitions > kMax ||
      request.count() > kMax)
    return invalid_argument(fmt::format("compile options: {} replicas of {} partitions; wanted 1 to {} devices",
                                        request.replicas, request.partitions, kMax));
  HILO_ASSIGN_OR_RETURN(request.free_results, build.integers(kFreeResults));
  HILO_ASSIGN_OR_RETURN(request.free_parameters, build.integers(kFreeParameters));
  HILO_ASSIGN_OR_RETURN(request.uses_shardy, build.boolean(kUseShardy));
  HILO_ASSIGN_OR_RETURN(request.dump, dump_request(options, build));
  HILO_ASSIGN_OR_RETURN(request.effort, effort_request(options, build));
  if (!build.has(kDeviceAssignment)) return request;
  HILO_ASSIGN_OR_RETURN(const WireMessage assignment, build.message(kDeviceAssignment, "DeviceAssignmentProto"));
  HILO_RETURN_IF_ERROR(read_assignment(assignment, request));
  return request;
}

std::string device_assignment_proto(const CompileRequest& request) {
  WireWriter out;
  out.integer(kReplicaCount, request.replicas);
  out.integer(kComputationCount, request.partitions);
  for (int64_t p = 0; p < request.partitions; ++p) {
    std::vector<int64_t> ids;
    for (int64_t r = 0; r < request.replicas; ++r) ids.push_back(request.devices[r * request.partitions + p]);
    WireWriter column;
    column.integers(kReplicaIds, ids);
    out.message(kComputationDevices, column);
  }
  return std::move(out).take();
}

}  // namespace hilo::pjrt
