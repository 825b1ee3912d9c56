// SPDX-License-Identifier: Apache-2.0
// engine/check_plan.h -- whether a plan that was read fits together.
#pragma once

#include "hilo/engine/plan.h"

namespace hilo::engine {

/// Every number is within the table that it indexes, and every word is one that there is.
/// Errors    INVALID_ARGUMENT "reading a plan: step 3: kernel 7 of 5"
Status check_plan(const Plan& plan);

}  // namespace hilo::engine
