// SPDX-License-Identifier: Apache-2.0
// pjrt/partition_program.h -- partitions a program with shardings into the program of one device, if possible.
#pragma once

#include "hilo/hlo/sharding/propagate.h"
#include "hilo/pjrt/program.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::pjrt {

/// Returns the program's shardings and the values that its options leave to the compiler. The request refers to the
/// tree.
StatusOr<hlo::PropagationRequest> device_request(const stablehlo::ModuleTree& tree, const Program& program);

/// Partitions a program. Chooses the shardings that the options leave to the compiler by propagation. Returns the
/// program that every device runs on its parts. Returns nothing if no array is sharded, or if the partitioner rejects
/// the program, which is logged; then it must run as a whole. Must be called after read_facts.
/// Errors    those of hlo::propagate_shardings and hlo::partition, except the latter's UNIMPLEMENTED
StatusOr<std::optional<hlo::Module>> partition_program(const stablehlo::ModuleTree& tree, const hlo::Module& module,
                                                       Program& program);

}  // namespace hilo::pjrt
