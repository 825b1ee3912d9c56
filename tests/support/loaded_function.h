// SPDX-License-Identifier: Apache-2.0
// tests/support/loaded_function.h -- HLO text as a function for the transformations.
#pragma once

#include <functional>
#include <string>

#include "hilo/array/array.h"

namespace hilo {

/// The entry computation with these lines, a function from one array to one; `computations` are its callees.
std::function<Array(Array)> loaded_function(const std::string& entry, const std::string& computations = "");

}  // namespace hilo
