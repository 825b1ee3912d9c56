// SPDX-License-Identifier: Apache-2.0
// tests/support/partitioned.h -- runs partitioned programs on replicas: splits arguments, joins results.
#pragma once

#include "hilo/hlo/partition/partition.h"
#include "tests/support/replicas.h"

namespace hilo::tests {

/// Returns the parts of an array, by device.
std::vector<Literal> cut_literal(const Literal& whole, const hlo::Sharding& sharding, const hlo::Mesh& mesh);

/// Returns the array with these parts. Replicated parts must be equal. Errors    INTERNAL "device 3 ..." if they aren't
StatusOr<Literal> join_literals(const std::vector<Literal>& parts, const Shape& whole, const hlo::Sharding& sharding,
                                const hlo::Mesh& mesh);

/// Returns the results of a partitioned program, on leaves of the whole program's arguments. `results` are the whole
/// program's.
StatusOr<std::vector<Literal>> run_partitioned(Client& client, const hlo::PartitionedProgram& program,
                                               const hlo::Mesh& mesh, const std::vector<Literal>& arguments,
                                               const Shape& results);

}  // namespace hilo::tests
