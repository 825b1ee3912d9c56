// SPDX-License-Identifier: Apache-2.0
// pjrt/partition_program.h -- a program with shardings becomes that of one of its devices, where it can.
#pragma once

#include "hilo/hlo/sharding/propagate.h"
#include "hilo/pjrt/program.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::pjrt {

/// What the program states of shardings, and what its options leave to the compiler. It refers to the tree.
StatusOr<hlo::PropagationRequest> device_request(const stablehlo::ModuleTree& tree, const Program& program);

/// Fills in shardings that the options leave to the compiler: those that the stated ones lead to. After read_facts. The
/// program that every device runs on its parts; nothing if the devices share no array, or the partitioner refuses the
/// program, which the log says: it is to run whole then.
/// Errors    those of hlo::propagate_shardings and hlo::partition but UNIMPLEMENTED of the latter
StatusOr<std::optional<hlo::Module>> partition_program(const stablehlo::ModuleTree& tree, const hlo::Module& module,
                                                       Program& program);

}  // namespace hilo::pjrt
