// SPDX-License-Identifier: Apache-2.0
// trace/flat_function.h -- functions as transformations represent them.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace hilo {

class Array;

/// A function on flat lists of arrays, the input of all transformations.
using FlatFunction = std::function<std::vector<Array>(std::span<const Array>)>;

}  // namespace hilo
