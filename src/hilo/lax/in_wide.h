// SPDX-License-Identifier: Apache-2.0
// lax/in_wide.h -- operands of special functions of several floats. Not for users.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hilo/array/array.h"

namespace hilo::lax {

/// Computes f of the operands in their common shape; converts half floats and narrower ones to f32 and back.
/// Shapes     as elementwise functions
/// Errors     INVALID_ARGUMENT unless operands are floats of one type with compatible shapes
Array in_wide(const char* function, const std::vector<Array>& operands,
              const std::function<Array(std::span<const Array>)>& f);

}  // namespace hilo::lax
