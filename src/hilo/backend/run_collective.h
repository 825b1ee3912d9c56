// SPDX-License-Identifier: Apache-2.0
// backend/run_collective.h -- one collective instruction over a Communicator; every engine runs its collectives so.
#pragma once

#include "hilo/device/communicator.h"
#include "hilo/hlo/ir/module.h"

namespace hilo {

/// Evaluates a reducer that isn't one of the usual ones.
using RunComputation = std::function<StatusOr<Literal>(const hlo::Computation&, std::span<const Literal* const>)>;

/// A collective, replica-id or partition-id, and the memory it works on.
struct CollectiveCall {
  const hlo::Instruction& instruction;
  std::span<const Shape> operands, results;  ///< leaves
  void* const* buffers;                      ///< operands, then results; dense, row-major, not overlapping
};

/// Runs the replica's part; `communicator` null: the program is its only replica.
/// Errors    INVALID_ARGUMENT for groups that don't fit the number of replicas; those of the communicator and of `run`
Status run_collective(const CollectiveCall& call, Communicator* communicator, const RunComputation& run);

/// The same for evaluators.
hlo::CollectiveFunction collective_function(Communicator* communicator, RunComputation run);

/// Replicas that a module is compiled for: `asked`, unless its header states a replica_count.
/// A program whose num_partitions only says how devices would share it runs whole.
/// Errors    INVALID_ARGUMENT for a number that isn't one, or two that differ; UNIMPLEMENTED for a program whose
///           instructions meet or tell partitions
StatusOr<int64_t> replica_count_of(const hlo::Module& module, int64_t asked);

/// The program of a module that states several replicas as its only one, as XLA runs it where it is asked for one: its
/// collectives meet nobody else, and ids of other replicas say nothing. Returns the count that the module stated, or 1.
StatusOr<int64_t> make_only_replica(hlo::Module& module);

/// Whether every collective of the module fits so many replicas.
/// Errors    INVALID_ARGUMENT naming the instruction
Status check_collectives(const hlo::Module& module, int64_t replica_count);

/// Is there anything in the module by which replicas meet or differ?
bool depends_on_replicas(const hlo::Module& module);

}  // namespace hilo
