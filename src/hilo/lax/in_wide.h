// SPDX-License-Identifier: Apache-2.0
// lax/in_wide.h -- how special functions of several floats take their operands. Not for users.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hilo/array/array.h"

namespace hilo::lax {

/// f of the operands, all in their common shape, half floats and narrower ones as f32; in their type.
/// Shapes    as elementwise functions
/// Errors    INVALID_ARGUMENT unless they are floats of one type, and their shapes fit
Array in_wide(const char* function, const std::vector<Array>& operands,
              const std::function<Array(std::span<const Array>)>& f);

}  // namespace hilo::lax
