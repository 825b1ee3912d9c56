// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/partition_program.h"

#include <algorithm>

#include "hilo/base/log.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/partition/local_op.h"
#include "hilo/hlo/partition/partition.h"
#include "hilo/pjrt/inspect_sharding.h"
#include "hilo/stablehlo/devices/propagation.h"

namespace hilo::pjrt {
namespace {

using Shardings = std::vector<hlo::Sharding>;

/// Returns the free flags: options have one per value, or one for all, or none.
stablehlo::EntryValues entry_values(const std::vector<int64_t>& flags, const std::vector<ProgramValue>& values) {
  stablehlo::EntryValues made;
  for (size_t i = 0; i < values.size(); ++i) {
    const bool is_set = flags.size() == 1 ? flags[0] != 0 : i < flags.size() && flags[i] != 0;
    const Shape& shape = values[i].placement.whole;
    made.shapes.push_back(shape);
    made.free.push_back(is_set && shape.is_array() && shape.has_default_layout());
  }
  return made;
}

StatusOr<Placement> placement_by(const hlo::Sharding& sharding, const ProgramValue& value) {
  const Shape& whole = value.placement.whole;
  if (!whole.is_array()) return replicated(whole);
  return placement_of(whole, sharding, sharding.mesh, sharding.mesh.device_count());
}

/// Sets the placements of values whose sharding may be chosen.
Status place(const Shardings& shardings, const std::vector<bool>& free, std::vector<ProgramValue>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!free[i]) continue;
    HILO_ASSIGN_OR_RETURN(values[i].placement, placement_by(shardings[i], values[i]));
  }
  return ok_status();
}

/// Returns whether the values' placements equal the shardings. Shardings over a mesh with other axes are excluded.
StatusOr<bool> match_placements(const Shardings& shardings, const std::vector<ProgramValue>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const Placement placement, placement_by(shardings[i], values[i]));
    const Placement& stated = values[i].placement;
    if (placement.begins != stated.begins || placement.summands != stated.summands ||
        placement.reduction != stated.reduction)
      return false;
  }
  return true;
}

bool calls_python(const hlo::Instruction& instruction) {
  return instruction.opcode == hlo::Opcode::kCustomCall &&
         hlo::custom_call_target(hlo::attributes_of<hlo::CustomCallAttributes>(instruction)) ==
             "xla_ffi_python_cpu_callback";
}

bool calls_by_device(const hlo::Module& module) {
  for (const hlo::ComputationPtr& computation : hlo::computations_of(module)) {
    if (std::ranges::any_of(computation->instructions(), hlo::is_per_device_call)) return true;
  }
  return false;
}

/// Returns the program of one device. UNIMPLEMENTED has the reason why the program must run as a whole.
StatusOr<hlo::PartitionedProgram> device_program(const hlo::Module& module, const hlo::PropagationRequest& request,
                                                 const CompileRequest& options) {
  if (options.replicas != 1) return unimplemented("it also has replicas");
  for (const hlo::ComputationPtr& computation : hlo::computations_of(module)) {
    if (std::ranges::any_of(computation->instructions(), calls_python))
      return unimplemented("it calls a function in Python, once for all devices");
  }
  return hlo::partition(module, request);
}

bool is_shared(const ProgramValue& value) { return !value.placement.is_whole(); }

void say_whole(const hlo::Module& module, std::string_view why) {
  log_info("compile '{}': it is not partitioned and runs on gathered arguments: {}", module.name, why);
}

/// Sets the placements of free values if the partitioner rejects the program.
Status place_by_propagation(const hlo::Module& module, const hlo::PropagationRequest& request, Program& program) {
  HILO_ASSIGN_OR_RETURN(const hlo::PropagatedShardings chosen, hlo::propagate_shardings(module, request));
  HILO_RETURN_IF_ERROR(place(chosen.parameters, request.free_parameters, program.arguments));
  return place(chosen.results, request.free_results, program.results);
}

}  // namespace

StatusOr<hlo::PropagationRequest> device_request(const stablehlo::ModuleTree& tree, const Program& program) {
  const CompileRequest& options = program.request;
  return stablehlo::propagation_request(tree, entry_values(options.free_parameters, program.arguments),
                                        entry_values(options.free_results, program.results));
}

StatusOr<std::optional<hlo::Module>> partition_program(const stablehlo::ModuleTree& tree, const hlo::Module& module,
                                                       Program& program) {
  const CompileRequest& options = program.request;
  std::optional<hlo::Module> none;
  if (options.partitions == 1 || stablehlo::entry_function(tree) == nullptr) return none;
  const StatusOr<hlo::PropagationRequest> request = device_request(tree, program);
  if (!request.ok()) return request.status();
  if (request->mesh.device_count() != options.partitions) return none;
  HILO_RETURN_IF_ERROR(inspect_shardings(module, *request, options.partitions));
  StatusOr<hlo::PartitionedProgram> made = device_program(module, *request, options);
  if (made.status().code() == StatusCode::kUnimplemented) {
    say_whole(module, made.status().message());
    HILO_RETURN_IF_ERROR(place_by_propagation(module, *request, program));
    return none;
  }
  HILO_RETURN_IF_ERROR(made.status());
  HILO_RETURN_IF_ERROR(place(made->parameters, request->free_parameters, program.arguments));
  HILO_RETURN_IF_ERROR(place(made->results, request->free_results, program.results));
  if (made->report.transfers.empty() && !calls_by_device(made->module) &&
      std::ranges::none_of(program.arguments, is_shared) && std::ranges::none_of(program.results, is_shared))
    return none;  // log once, not per device
  HILO_ASSIGN_OR_RETURN(const bool parameters_fit, match_placements(made->parameters, program.arguments));
  HILO_ASSIGN_OR_RETURN(const bool results_fit, match_placements(made->results, program.results));
  if (parameters_fit && results_fit) return std::optional(std::move(made->module));
  say_whole(module, "an argument or a result is sharded along axes that the mesh of the others lacks");
  return none;
}

}  // namespace hilo::pjrt
