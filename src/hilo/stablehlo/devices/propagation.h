// SPDX-License-Identifier: Apache-2.0
// stablehlo/devices/propagation.h -- collects a module's shardings for hlo/sharding/propagate.h.
#pragma once

#include "hilo/hlo/sharding/propagate.h"
#include "hilo/stablehlo/devices/sharding.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// Returns the entry function: `main`, or else the only public function; null if none exists.
const Operation* entry_function(const ModuleTree& tree);

/// Reads the sharding of an argument or result of this rank from an attribute: `sdy.sharding` of Shardy or
/// `mhlo.sharding` of GSPMD. The mesh is filled in. Returns nothing for an attribute with another name.
/// Errors    INVALID_ARGUMENT; NOT_FOUND for an unknown mesh
StatusOr<std::optional<Sharding>> sharding_of(const ModuleTree& tree, std::string_view name, const Attribute& attribute,
                                              int64_t rank);

/// The leaves of the entry's parameters or results.
struct EntryValues {
  std::vector<Shape> shapes;
  std::vector<bool> free;  ///< whether propagation may choose the sharding of a value without one
};

/// Collects the shardings of the translated module's entry. The mesh is the first one that is referred to, or else the
/// first one in the module. Shardings over other meshes are converted to its axes. If that is impossible, those of
/// arguments and results are excluded from propagation, and inner ones are ignored. The request refers to the tree.
/// Errors    those of sharding_of
StatusOr<hlo::PropagationRequest> propagation_request(const ModuleTree& tree, EntryValues parameters,
                                                      EntryValues results);

/// A custom call InspectSharding, and the sharding of its array.
struct ShardingLook {
  std::string who;  ///< backend_config of the call
  Shape shape;
  Sharding sharding;
  bool is_manual = false;  ///< whether it is inside a manual_computation, where each device has its own array
};

/// Returns all such calls in the order of the running program. A call in a function counts once per call of the
/// function.
/// Errors    those of hlo::propagate_shardings
StatusOr<std::vector<ShardingLook>> sharding_looks(const hlo::Module& module, const hlo::PropagationRequest& request);

/// A custom call that is marked with its operation in the tree (TranslateOptions::partitioned_targets), and the
/// shardings of its arrays.
struct PartitionedCall {
  OperationId operation = kNone;
  std::vector<Shape> operand_shapes, result_shapes;
  std::vector<Sharding> operands, results;
  bool is_manual = false;  ///< whether it is inside a manual computation, where each device has its own arrays
};

/// Returns the operation of such a custom call; nothing for other instructions.
std::optional<OperationId> operation_of(const hlo::Instruction& instruction);

/// Returns all such calls in the tree's order. For a function that is called several times, the shardings of the first
/// call are used.
/// Errors    those of hlo::propagate_shardings
StatusOr<std::vector<PartitionedCall>> partitioned_calls(const hlo::Module& module,
                                                         const hlo::PropagationRequest& request);

}  // namespace hilo::stablehlo
