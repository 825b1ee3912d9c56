// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/translate/devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/stablehlo/devices/mesh_axes.h"
#include "hilo/stablehlo/devices/sharding.h"
#include "hilo/stablehlo/translate/translate.h"

namespace hilo::stablehlo {
namespace {

std::string_view base_name(std::string_view name) {
  constexpr std::string_view kDialect = "stablehlo.";
  return name.starts_with(kDialect) ? name.substr(kDialect.size()) : name;
}

bool meets_others(std::string_view name) {
  constexpr std::string_view kNames[] = {"all_gather",           "all_reduce",         "all_to_all",
                                         "collective_broadcast", "collective_permute", "collective_reduce",
                                         "partition_id",         "reduce_scatter",     "replica_id"};
  return std::find(std::begin(kNames), std::end(kNames), base_name(name)) != std::end(kNames);
}

/// Returns whether the operation is a custom call that begins or ends a manual computation.
bool is_manual_edge(const ModuleTree& tree, const Operation& operation) {
  if (base_name(operation.name) != "custom_call") return false;
  const Attribute* const target = tree.find(operation, "call_target_name");
  return target != nullptr && (target->text == "SPMDFullToShardShape" || target->text == "SPMDShardToFullShape");
}

bool feeds_others(std::string_view name) {
  constexpr std::string_view kNames[] = {"infeed", "outfeed", "recv", "send"};
  return std::find(std::begin(kNames), std::end(kNames), base_name(name)) != std::end(kNames);
}

StatusOr<int64_t> header_count(const ModuleTree& tree, std::string_view name) {
  const Attribute* const attribute = tree.find(tree.operations[0], name);
  if (attribute == nullptr) return int64_t{1};
  constexpr int64_t kMax = 65536;
  if (attribute->kind != AttributeKind::kInteger || attribute->integer < 1 || attribute->integer > kMax)
    return invalid_argument(fmt::format("module attribute {}: wanted a number from 1 to {}", name, kMax));
  return attribute->integer;
}

/// Returns the number of devices in the mesh of a manual computation's first sharding that has one. Without any, it has
/// no operands and results.
StatusOr<int64_t> devices_of(const ModuleTree& tree, const Operation& manual) {
  for (const std::string_view key : {"in_shardings", "out_shardings"}) {
    const Attribute* const attribute = tree.find(manual, key);
    if (attribute == nullptr) return invalid_argument(fmt::format("attribute '{}' is missing", key));
    HILO_ASSIGN_OR_RETURN(const std::vector<Sharding> shardings, parse_shardings(attribute->text));
    if (shardings.empty()) continue;
    if (shardings[0].mesh_name.empty()) return shardings[0].mesh.device_count();
    HILO_ASSIGN_OR_RETURN(const Mesh mesh, find_mesh(tree, shardings[0].mesh_name));
    return mesh.device_count();
  }
  return int64_t{1};
}

/// Sets the grid for the processes of run_parallel. Processes that differ or communicate by queues run one after the
/// other.
Status plan_processes(const ModuleTree& tree, const Operation& operation, DevicePlan& plan) {
  const Attribute* const programs = tree.find(operation, "programs");
  if (programs == nullptr || programs->elements.empty()) return invalid_argument("attribute 'programs' is missing");
  std::vector<OperationId> functions;
  size_t columns = 0;
  for (AttributeId row : programs->elements) {
    const std::span<const AttributeId> names = tree.attributes[row].elements;
    if (columns != 0 && names.size() != columns) return invalid_argument("rows of 'programs' differ in length");
    columns = names.size();
    for (AttributeId name : names) {
      functions.push_back(find_function(tree, tree.attributes[name].text));
      if (functions.back() == kNone)
        return not_found(fmt::format("function @{} doesn't exist", tree.attributes[name].text));
    }
  }
  if (functions.empty()) return invalid_argument("'programs' contains no function");
  bool alike = std::all_of(functions.begin(), functions.end(), [&](OperationId f) { return f == functions[0]; });
  for (OperationId id = functions[0]; id < tree.operations[functions[0]].nested_end; ++id)
    alike = alike && !feeds_others(tree.operations[id].name);
  if (!alike) {
    for (const Operation& other : tree.operations) {
      if (functions.size() > 1 && meets_others(other.name))
        return unimplemented(fmt::format("{} between processes that run different functions", other.name));
    }
    plan.inlined.insert(functions.begin(), functions.end());
    return ok_status();
  }
  plan.grid = {std::ssize(programs->elements), static_cast<int64_t>(columns)};
  return ok_status();
}

}  // namespace

OperationId find_function(const ModuleTree& tree, std::string_view name) {
  if (tree.operations[0].regions.count == 0) return kNone;
  for (OperationId id = tree.regions[tree.operations[0].regions.begin].first; id != kNone;
       id = tree.operations[id].next) {
    const Operation& operation = tree.operations[id];
    const Attribute* const symbol = operation.name == "func.func" ? tree.find(operation, "sym_name") : nullptr;
    if (symbol != nullptr && symbol->text == name) return id;
  }
  return kNone;
}

StatusOr<DevicePlan> plan_devices(const ModuleTree& tree, const TranslateOptions& options) {
  DevicePlan plan;
  if (tree.operations.empty()) return plan;
  if (options.devices != 0) {
    plan.grid = {1, options.devices};
    return plan;
  }
  HILO_ASSIGN_OR_RETURN(const int64_t replicas, header_count(tree, "mhlo.num_replicas"));
  HILO_ASSIGN_OR_RETURN(const int64_t partitions, header_count(tree, "mhlo.num_partitions"));
  constexpr int64_t kMax = 65536;
  if (replicas * partitions > kMax)
    return unimplemented(
        fmt::format("{} replicas of {} partitions; wanted {} devices at most", replicas, partitions, kMax));
  bool meets = options.partitions != nullptr && !options.partitions->empty();
  int64_t devices = 1;  // devices of manual computations
  for (const Operation& operation : tree.operations) {
    if (operation.name == "interpreter.run_parallel") {
      HILO_RETURN_IF_ERROR(plan_processes(tree, operation, plan));
      return plan;
    }
    meets |= meets_others(operation.name) || is_manual_edge(tree, operation);
    if (operation.name != "sdy.manual_computation") continue;
    HILO_ASSIGN_OR_RETURN(const int64_t count, devices_of(tree, operation));
    if (count == 1) continue;
    const bool fits = (devices == 1 || devices == count) && (partitions == 1 || partitions == count) && replicas == 1;
    if (!fits) {
      return unimplemented(
          fmt::format("a manual computation is for {} devices, the program for {} replicas of {} "
                      "partitions",
                      count, replicas, std::max(devices, partitions)));
    }
    devices = count;
  }
  plan.grid = {replicas, devices > 1 ? devices : meets ? partitions : 1};
  return plan;
}

}  // namespace hilo::stablehlo
