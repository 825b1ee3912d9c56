// SPDX-License-Identifier: Apache-2.0
// pjrt/custom_partitioner.h -- partitioners of custom calls that callers registered, by target, and what they say of a
// call.
#pragma once

#include <memory>

#include "hilo/pjrt_abi/extensions.h"
#include "hilo/stablehlo/devices/propagation.h"

namespace hilo::pjrt {

/// Who holds one may call it, from any thread. It is given back while another is registered, on that caller's thread,
/// as soon as nobody holds it: what belongs to Python is destroyed where Python's lock is held.
using CustomPartitionerPtr = std::shared_ptr<JAX_CustomCallPartitioner_Callbacks>;

/// Null where nobody registered one.
CustomPartitionerPtr find_custom_partitioner(std::string_view target);

std::vector<std::string> custom_partitioner_targets();

/// Targets whose calls treat each element of their batch by itself.
std::vector<std::string> batch_partitionable_targets();

/// A call whose arrays `devices` devices share.
struct SharedCall {
  std::string_view backend_config;
  const std::vector<Shape>&operands, &results;
  int64_t devices = 1;
};

/// What a partitioner makes of a call: a program of MLIR that each device runs on its parts, and how the arrays are
/// then shared, as OpSharding each.
struct PartitionAnswer {
  stablehlo::OperationId operation = stablehlo::kNone;
  std::string module;
  std::vector<std::string> operands, results;
};

/// Errors    those of placement_of; what the partitioner says, with its code
StatusOr<PartitionAnswer> ask_partition(JAX_CustomCallPartitioner_Callbacks& partitioner, const SharedCall& call,
                                        const std::vector<hlo::Sharding>& operands,
                                        const std::vector<hlo::Sharding>& results);

/// How it shares the results of a call with such operands, as OpSharding each; none: it doesn't say.
StatusOr<std::vector<std::string>> ask_results(JAX_CustomCallPartitioner_Callbacks& partitioner, const SharedCall& call,
                                               const std::vector<hlo::Sharding>& operands);

/// How it shares results that their users want so.
StatusOr<std::vector<std::string>> ask_for_users(JAX_CustomCallPartitioner_Callbacks& partitioner,
                                                 const SharedCall& call, const std::vector<hlo::Sharding>& results);

/// Answers as bytes, and back, for programs that are saved.
/// Errors    INVALID_ARGUMENT for other bytes
std::string write_answers(const std::vector<PartitionAnswer>& answers);
StatusOr<std::vector<PartitionAnswer>> read_answers(std::string_view bytes);

}  // namespace hilo::pjrt
