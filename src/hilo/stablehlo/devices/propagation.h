// SPDX-License-Identifier: Apache-2.0
// stablehlo/devices/propagation.h -- what a module states of the shardings in it, for hlo/sharding/propagate.h.
#pragma once

#include "hilo/hlo/sharding/propagate.h"
#include "hilo/stablehlo/devices/sharding.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// The function that callers call: `main`, or else the only public one; null if there is none.
const Operation* entry_function(const ModuleTree& tree);

/// What an attribute of an argument or result of this rank says of its sharding, the mesh filled in: `sdy.sharding` of Shardy,
/// `mhlo.sharding` of GSPMD. Nothing for an attribute of another name.
/// Errors    INVALID_ARGUMENT; NOT_FOUND for a mesh that isn't there
StatusOr<std::optional<Sharding>> sharding_of(const ModuleTree& tree, std::string_view name, const Attribute& attribute,
                                              int64_t rank);

/// The entry's parameters or results, leaf by leaf.
struct EntryValues {
  std::vector<Shape> shapes;
  std::vector<bool> free;  ///< whether a sharding may be chosen where none is stated
};

/// Of the module's entry, translated: over the mesh that it names first, or has first. Shardings over other meshes are said in
/// that mesh's axes; where these have no words for them, those of arguments and results stand as they are, and those in the
/// middle say nothing. The request refers to the tree.
/// Errors    those of sharding_of
StatusOr<hlo::PropagationRequest> propagation_request(const ModuleTree& tree, EntryValues parameters,
                                                      EntryValues results);

/// Who asks by a custom call InspectSharding how an array is shared, and how it is.
struct ShardingLook {
  std::string who;  ///< the call's backend_config
  Shape shape;
  Sharding sharding;
  bool by_hand = false;  ///< inside a manual_computation: each device has an array of its own
};

/// All of them, as the program runs; a call in a function counts once for each place that calls this.
/// Errors    those of hlo::propagate_shardings
StatusOr<std::vector<ShardingLook>> sharding_looks(const hlo::Module& module, const hlo::PropagationRequest& request);

/// A custom call that says which operation of the tree it is (TranslateOptions::partitioned_targets), and how its arrays are
/// shared.
struct PartitionedCall {
  OperationId operation = kNone;
  std::vector<Shape> operand_shapes, result_shapes;
  std::vector<Sharding> operands, results;
  bool by_hand = false;  ///< in a computation by hand: each device has arrays of its own
};

/// The operation that such a custom call is; nothing for other instructions.
std::optional<OperationId> operation_of(const hlo::Instruction& instruction);

/// All of them, in the tree's order; of one in a function that is called several times, as the first call has it.
/// Errors    those of hlo::propagate_shardings
StatusOr<std::vector<PartitionedCall>> partitioned_calls(const hlo::Module& module,
                                                         const hlo::PropagationRequest& request);

}  // namespace hilo::stablehlo
