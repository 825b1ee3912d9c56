// SPDX-License-Identifier: Apache-2.0
// tests/support/loaded_function.h -- HLO text as a function that the transformations take.
#pragma once

#include <functional>
#include <string>

#include "hilo/array/array.h"

namespace hilo {

/// The entry computation with these lines, a function of one array to one; `computations` are those it calls.
std::function<Array(Array)> loaded_function(const std::string& entry, const std::string& computations = "");

}  // namespace hilo
