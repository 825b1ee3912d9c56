// SPDX-License-Identifier: Apache-2.0
// import/by_shapes.h -- a function that is created for each list of argument shapes.
#pragma once

#include <functional>
#include <vector>

#include "hilo/trace/flat_function.h"
#include "hilo/types/shape.h"

namespace hilo {

/// Calls the function that `make` creates for the shapes of the arguments. Stores up to 256 functions; beyond that,
/// drops all.
/// Threads    thread-safe; `make` may be called concurrently
FlatFunction by_shapes(std::function<FlatFunction(const std::vector<Shape>&)> make);

}  // namespace hilo
