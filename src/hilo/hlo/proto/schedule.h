// SPDX-License-Identifier: Apache-2.0
// hlo/proto/schedule.h -- the execution order of a scheduled module, and the original order of its instructions.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "hilo/hlo/proto/wire.h"

namespace hilo::hlo::proto {

/// Ids of instructions, by computation id; empty for a module that isn't scheduled.
using Schedule = boost::unordered_flat_map<int64_t, std::vector<int64_t>>;
StatusOr<Schedule> read_schedule(const WireMessage& module);

/// Reads the ids of a computation's instructions.
StatusOr<std::vector<int64_t>> instruction_ids(std::span<const std::string_view> instructions);

/// Sorts instructions and their ids by the schedule, if it lists each once.
void order_by_schedule(const Schedule& schedule, int64_t computation, std::vector<std::string_view>& instructions,
                       std::vector<int64_t>& ids);

/// Returns the origin of each computation's first instruction, by computation id. XLA orders instructions by their ids,
/// and computations by where these call them; a schedule hides both orders. Origins preserve them for program_order.h
/// and the writer.
StatusOr<boost::unordered_flat_map<int64_t, uint32_t>> first_origins(std::span<const std::string_view> computations,
                                                                     int64_t entry);

}  // namespace hilo::hlo::proto
