// SPDX-License-Identifier: Apache-2.0
// backend/run_collective.h -- runs one collective instruction over a Communicator, for all engines.
#pragma once

#include "hilo/device/communicator.h"
#include "hilo/hlo/ir/module.h"

namespace hilo {

/// Evaluates a reducer that isn't a common one.
using RunComputation = std::function<StatusOr<Literal>(const hlo::Computation&, std::span<const Literal* const>)>;

/// A collective, replica-id or partition-id, and its buffers.
struct CollectiveCall {
  const hlo::Instruction& instruction;
  std::span<const Shape> operands, results;  ///< leaves
  void* const* buffers;                      ///< operands, then results; dense, row-major, not overlapping
};

/// Runs the part of this replica. If `communicator` is null, it is the program's only replica.
/// Errors    INVALID_ARGUMENT for groups that don't fit the number of replicas; those of the communicator and of `run`
Status run_collective(const CollectiveCall& call, Communicator* communicator, const RunComputation& run);

/// Returns run_collective as a function for evaluators.
hlo::CollectiveFunction collective_function(Communicator* communicator, RunComputation run);

/// Returns the number of replicas to compile for: the replica_count in the module's header, or `requested` if it is
/// missing. A program whose num_partitions only describes sharding over devices runs whole.
/// Errors    INVALID_ARGUMENT for an invalid number, or two that differ; UNIMPLEMENTED for a program whose
///           instructions read partition ids or communicate between partitions
StatusOr<int64_t> replica_count_of(const hlo::Module& module, int64_t requested);

/// Lets a module for several replicas run as its only replica, as XLA runs it for a count of one. Its collectives have
/// one member, and ids of other replicas have no effect. Returns the module's former count, or 1.
StatusOr<int64_t> make_only_replica(hlo::Module& module);

/// Checks that every collective of the module fits the number of replicas.
/// Errors    INVALID_ARGUMENT naming the instruction
Status check_collectives(const hlo::Module& module, int64_t replica_count);

/// Whether the module has an instruction through which replicas communicate or differ.
bool depends_on_replicas(const hlo::Module& module);

}  // namespace hilo
