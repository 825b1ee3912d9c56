// SPDX-License-Identifier: Apache-2.0
// pjrt/custom_partitioner.h -- registered partitioners of custom calls, by target, and their answers for a call.
#pragma once

#include <memory>

#include "hilo/pjrt_abi/extensions.h"
#include "hilo/stablehlo/devices/propagation.h"

namespace hilo::pjrt {

/// A shared partitioner. Holders may call it from any thread. An unused one is destroyed when another one is
/// registered, on that caller's thread, because Python objects must be destroyed while Python's lock is held.
using CustomPartitionerPtr = std::shared_ptr<JAX_CustomCallPartitioner_Callbacks>;

/// Returns the partitioner of a target, or null.
CustomPartitionerPtr find_custom_partitioner(std::string_view target);

std::vector<std::string> custom_partitioner_targets();

/// Returns the targets whose calls process the elements of a batch independently.
std::vector<std::string> batch_partitionable_targets();

/// A call whose arrays are sharded over `devices` devices.
struct SharedCall {
  std::string_view backend_config;
  const std::vector<Shape>&operands, &results;
  int64_t devices = 1;
};

/// A partitioner's answer for a call: the MLIR program that each device runs on its parts, and the shardings of the
/// arrays, as OpSharding each.
struct PartitionAnswer {
  stablehlo::OperationId operation = stablehlo::kNone;
  std::string module;
  std::vector<std::string> operands, results;
};

/// Asks the partitioner for the partitioned program of a call.
/// Errors    those of placement_of; the partitioner's own, with its code
StatusOr<PartitionAnswer> ask_partition(JAX_CustomCallPartitioner_Callbacks& partitioner, const SharedCall& call,
                                        const std::vector<hlo::Sharding>& operands,
                                        const std::vector<hlo::Sharding>& results);

/// Asks for the shardings of a call's results, from those of its operands, as OpSharding each. Returns none if the
/// partitioner has no answer.
StatusOr<std::vector<std::string>> ask_results(JAX_CustomCallPartitioner_Callbacks& partitioner, const SharedCall& call,
                                               const std::vector<hlo::Sharding>& operands);

/// Asks for the shardings of results from those that their users request.
StatusOr<std::vector<std::string>> ask_for_users(JAX_CustomCallPartitioner_Callbacks& partitioner,
                                                 const SharedCall& call, const std::vector<hlo::Sharding>& results);

/// Encode answers for saved programs, and decode them.
/// Errors    INVALID_ARGUMENT for other bytes
std::string write_answers(const std::vector<PartitionAnswer>& answers);
StatusOr<std::vector<PartitionAnswer>> read_answers(std::string_view bytes);

}  // namespace hilo::pjrt
