// SPDX-License-Identifier: Apache-2.0
// tests/support/partitioned.h -- partitioned programs on replicas: arguments cut, results put together.
#pragma once

#include "hilo/hlo/partition/partition.h"
#include "tests/support/replicas.h"

namespace hilo::tests {

/// The parts of an array, by device.
std::vector<Literal> cut_literal(const Literal& whole, const hlo::Sharding& sharding, const hlo::Mesh& mesh);

/// The array of its parts. What several devices have must be the same.
/// Errors    INTERNAL "device 3 ..." if it isn't
StatusOr<Literal> join_literals(const std::vector<Literal>& parts, const Shape& whole, const hlo::Sharding& sharding,
                                const hlo::Mesh& mesh);

/// The results of a program that was partitioned, on leaves of the whole program's arguments. `results` are the whole
/// program's.
StatusOr<std::vector<Literal>> run_partitioned(Client& client, const hlo::PartitionedProgram& program,
                                               const hlo::Mesh& mesh, const std::vector<Literal>& arguments,
                                               const Shape& results);

}  // namespace hilo::tests
