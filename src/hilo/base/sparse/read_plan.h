// SPDX-License-Identifier: Apache-2.0
// base/sparse/read_plan.h -- a plan as a list of integers.
#pragma once

#include <span>
#include <vector>

#include "hilo/base/sparse/plan.h"
#include "hilo/base/status.h"

namespace hilo::sparse_direct {

/// Returns the plan as one list.
std::vector<int32_t> write_plan(const Plan& plan);

/// Returns a plan whose lists are parts of `list`.
/// Errors    INVALID_ARGUMENT if an index of it is out of bounds, for example in a damaged file
/// Cost      one pass over the list
StatusOr<Plan> read_plan(std::span<const int32_t> list);

}  // namespace hilo::sparse_direct
