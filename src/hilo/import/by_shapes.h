// SPDX-License-Identifier: Apache-2.0
// import/by_shapes.h -- a function that is made anew for each list of shapes that it is called with.
#pragma once

#include <functional>
#include <vector>

#include "hilo/trace/flat_function.h"
#include "hilo/types/shape.h"

namespace hilo {

/// Calls what `make` gives for the arguments' shapes. Each function is stored; at most 256 are, after which all are dropped.
/// Threads    may be called from several at once; `make` too
FlatFunction by_shapes(std::function<FlatFunction(const std::vector<Shape>&)> make);

}  // namespace hilo
