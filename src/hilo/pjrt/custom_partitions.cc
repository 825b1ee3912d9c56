// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/custom_partitions.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/sharding/over_mesh.h"
#include "hilo/pjrt/partition_program.h"
#include "hilo/stablehlo/devices/op_sharding.h"
#include "hilo/stablehlo/reader.h"

namespace hilo::pjrt {
namespace {

using Shardings = std::vector<hlo::Sharding>;

/// Returns whether devices have different parts.
bool is_cut(const hlo::Sharding& sharding) {
  return std::ranges::any_of(sharding.dimensions, [](const auto& dimension) { return !dimension.axes.empty(); });
}

bool has_calls(const hlo::Module& module) {
  const auto is_one = [](const hlo::Instruction& i) { return stablehlo::operation_of(i).has_value(); };
  return std::ranges::any_of(hlo::computations_of(module), [&](const hlo::ComputationPtr& computation) {
    return std::ranges::any_of(computation->instructions(), is_one);
  });
}

std::string_view text_of(const stablehlo::ModuleTree& tree, stablehlo::OperationId operation, std::string_view name) {
  const stablehlo::Attribute* const found = tree.find(tree.operations[operation], name);
  return found == nullptr ? std::string_view() : found->text;
}

/// Returns the partitioner of a custom call.
StatusOr<CustomPartitionerPtr> partitioner_of(const stablehlo::ModuleTree& tree, stablehlo::OperationId operation) {
  const std::string_view target = text_of(tree, operation, "call_target_name");
  CustomPartitionerPtr found = find_custom_partitioner(target);
  if (found == nullptr) return not_found(fmt::format("custom call '{}': its partitioner was removed", target));
  return found;
}

StatusOr<hlo::Sharding> sharding_from(std::string_view message, const Shape& shape, const hlo::Mesh& mesh) {
  HILO_ASSIGN_OR_RETURN(stablehlo::OpSharding answer,
                        stablehlo::read_op_sharding(message, shape.is_array() ? shape.rank() : 0));
  if (answer.manual) return unimplemented("a custom partitioner with a manual sharding of an array");
  if (answer.sharding.mesh.device_count() == 1) answer.sharding.mesh = mesh;
  return std::move(answer.sharding);
}

StatusOr<Shardings> shardings_from(const std::vector<std::string>& messages, const std::vector<Shape>& shapes,
                                   const hlo::Mesh& mesh) {
  Shardings made;
  for (size_t i = 0; i < messages.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(hlo::Sharding sharding, sharding_from(messages[i], shapes[i], mesh));
    made.push_back(std::move(sharding));
  }
  return made;
}

/// Propagates shardings for calls without rules, as GSPMD does: results follow operands, or else their users.
StatusOr<Shardings> follow(const stablehlo::ModuleTree& tree, const hlo::Mesh& mesh, const hlo::Instruction& call,
                           const std::vector<Shape>& shapes, const Shardings& operands, const Shardings& results) {
  const std::optional<stablehlo::OperationId> operation = stablehlo::operation_of(call);
  if (!operation) return Shardings();
  HILO_ASSIGN_OR_RETURN(const CustomPartitionerPtr partitioner, partitioner_of(tree, *operation));
  const std::vector<Shape> result_shapes = call.shape.leaves();
  const SharedCall shared{text_of(tree, *operation, "backend_config"), shapes, result_shapes, mesh.device_count()};
  StatusOr<std::vector<std::string>> answer = std::vector<std::string>();
  if (std::ranges::any_of(results, is_cut)) answer = ask_for_users(*partitioner, shared, results);
  else if (std::ranges::any_of(operands, is_cut)) answer = ask_results(*partitioner, shared, operands);
  HILO_RETURN_IF_ERROR(answer.status());
  HILO_ASSIGN_OR_RETURN(Shardings made, shardings_from(*answer, result_shapes, mesh));
  for (hlo::Sharding& sharding : made) {  // shardings that the mesh can't express are ignored
    HILO_ASSIGN_OR_RETURN(std::optional<hlo::Sharding> in_mesh, hlo::over_mesh(sharding, mesh));
    sharding = in_mesh ? *std::move(in_mesh) : hlo::Sharding();
  }
  return made;
}

StatusOr<PartitionAnswer> ask(const stablehlo::ModuleTree& tree, const stablehlo::PartitionedCall& call,
                              int64_t devices) {
  HILO_ASSIGN_OR_RETURN(const CustomPartitionerPtr partitioner, partitioner_of(tree, call.operation));
  const SharedCall shared{text_of(tree, call.operation, "backend_config"), call.operand_shapes, call.result_shapes,
                          devices};
  HILO_ASSIGN_OR_RETURN(PartitionAnswer made, ask_partition(*partitioner, shared, call.operands, call.results));
  made.operation = call.operation;
  return made;
}

Status check_manual(const stablehlo::PartitionedCall& call, const stablehlo::CustomPartition& partition) {
  if (!call.is_manual ||
      (std::ranges::none_of(partition.operands, is_cut) && std::ranges::none_of(partition.results, is_cut)))
    return ok_status();
  return unimplemented("a custom call inside a manual computation, whose partitioner shards arrays");
}

StatusOr<stablehlo::CustomPartition> partition_from(const PartitionAnswer& answer,
                                                    const stablehlo::PartitionedCall& call, const hlo::Mesh& mesh) {
  HILO_ASSIGN_OR_RETURN(const stablehlo::ModuleTree tree, stablehlo::read_tree(answer.module, "custom partition"));
  HILO_ASSIGN_OR_RETURN(const hlo::Module module, stablehlo::translate(tree, {.devices = mesh.device_count()}));
  stablehlo::CustomPartition made{module.entry, {}, {}};
  if (answer.operands.size() != call.operand_shapes.size() || answer.results.size() != call.result_shapes.size())
    return invalid_argument("saved answers of a custom partitioner don't match the program");
  HILO_ASSIGN_OR_RETURN(made.operands, shardings_from(answer.operands, call.operand_shapes, mesh));
  HILO_ASSIGN_OR_RETURN(made.results, shardings_from(answer.results, call.result_shapes, mesh));
  HILO_RETURN_IF_ERROR(check_manual(call, made));
  return made;
}

/// Returns the request whose mesh expresses the calls' shardings: the program's own mesh, or one axis with all devices.
StatusOr<hlo::PropagationRequest> request_of(const stablehlo::ModuleTree& tree, const Program& program) {
  HILO_ASSIGN_OR_RETURN(hlo::PropagationRequest request, device_request(tree, program));
  const int64_t devices = program.request.partitions;
  if (request.mesh.device_count() == 1) HILO_RETURN_IF_ERROR(request.mesh.add_axis("devices", devices));
  if (request.mesh.device_count() != devices)
    return unimplemented(
        fmt::format("custom calls with partitioners over {} of {} devices", request.mesh.device_count(), devices));
  if (!program.request.uses_shardy) {
    request.query = [&tree, mesh = request.mesh](const hlo::Instruction& call, const std::vector<Shape>& shapes,
                                                 const Shardings& operands, const Shardings& results) {
      return follow(tree, mesh, call, shapes, operands, results);
    };
  }
  return request;
}

const PartitionAnswer* answer_of(const std::vector<PartitionAnswer>& answers, stablehlo::OperationId operation) {
  const auto found = std::ranges::find(answers, operation, &PartitionAnswer::operation);
  return found == answers.end() ? nullptr : &*found;
}

}  // namespace

stablehlo::TranslateOptions options_for_partitions(const stablehlo::ModuleTree& tree, const Program& program) {
  stablehlo::TranslateOptions options;
  options.keeps_sinks = true;
  options.partitioned_targets = custom_partitioner_targets();
  options.batched_targets = batch_partitionable_targets();
  for (const PartitionAnswer& answer : program.partition_answers) {
    if (answer.operation < tree.operations.size())
      options.partitioned_targets.emplace_back(text_of(tree, answer.operation, "call_target_name"));
  }
  return options;
}

StatusOr<hlo::Module> with_custom_partitions(const stablehlo::ModuleTree& tree, hlo::Module module, Program& program) {
  if (program.request.partitions == 1 || !has_calls(module)) return module;
  if (program.request.replicas != 1)
    return unimplemented("custom calls with partitioners in a program of several replicas");
  HILO_ASSIGN_OR_RETURN(const hlo::PropagationRequest request, request_of(tree, program));
  HILO_ASSIGN_OR_RETURN(const auto calls, stablehlo::partitioned_calls(module, request));
  std::map<stablehlo::OperationId, stablehlo::CustomPartition> partitions;
  for (const stablehlo::PartitionedCall& call : calls) {
    if (answer_of(program.partition_answers, call.operation) == nullptr) {
      HILO_ASSIGN_OR_RETURN(PartitionAnswer asked, ask(tree, call, program.request.partitions));
      program.partition_answers.push_back(std::move(asked));
    }
    const PartitionAnswer& answer = *answer_of(program.partition_answers, call.operation);
    StatusOr<stablehlo::CustomPartition> made = partition_from(answer, call, request.mesh);
    if (!made.ok())
      return made.status().with_context(
          fmt::format("custom call '{}'", text_of(tree, call.operation, "call_target_name")));
    partitions.emplace(call.operation, *std::move(made));
  }
  stablehlo::TranslateOptions options = options_for_partitions(tree, program);
  options.partitions = &partitions;
  return stablehlo::translate(tree, options);
}

}  // namespace hilo::pjrt
