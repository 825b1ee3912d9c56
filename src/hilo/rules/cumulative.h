// SPDX-License-Identifier: Apache-2.0
// rules/cumulative.h -- running products and extrema as trees of combinations, for their derivatives.
#pragma once

#include "hilo/trace/flat_function.h"
#include "hilo/trace/trace.h"

namespace hilo::rules {

/// Returns the operation as a tree of combinations.
/// Precondition: the operation is cumprod, cummax or cummin
FlatFunction running_tree(const Operation& operation);

}  // namespace hilo::rules
