// SPDX-License-Identifier: Apache-2.0
// engine/plan_text.h -- prints plans as text for people and tests.
#pragma once

#include "hilo/engine/plan.h"

namespace hilo::engine {

/// Prints a plan with one field or element per line. Words are always printed; other fields are omitted if they have
/// their default value. Comments begin with '//'. Of an object only the size is printed.
/// Example   {kind = kernel, argument_count = 2, units = 8}  // s0 s2
std::string plan_text(const Plan& plan);

}  // namespace hilo::engine
