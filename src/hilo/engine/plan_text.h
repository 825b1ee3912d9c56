// SPDX-License-Identifier: Apache-2.0
// engine/plan_text.h -- plans as text for people and tests, and back.
#pragma once

#include "hilo/engine/plan.h"

namespace hilo::engine {

/// A plan, a field or an element a line; fields other than words that are as in an empty struct are left out, and
/// comments begin with '//'. Of objects there is no more than their size: code is not text.
/// Example   {kind = kernel, argument_count = 2, units = 8}  // s0 s2
std::string plan_text(const Plan& plan);

/// What plan_text printed. The objects are empty texts.
/// Errors    INVALID_ARGUMENT with line and column
StatusOr<Plan> plan_from_text(std::string_view text);

}  // namespace hilo::engine
