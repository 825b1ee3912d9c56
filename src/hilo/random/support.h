// SPDX-License-Identifier: Apache-2.0
// random/support.h -- checks and defaults of the arguments of distributions. Internal.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "hilo/array/arguments.h"
#include "hilo/array/refuse.h"
#include "hilo/numpy/dtypes.h"

namespace hilo::random {

/// Returns the requested float type; default f32, with x64 f64.
/// Errors    INVALID_ARGUMENT for another type
ElementType float_type(const char* function, const numpy::Dtype& dtype);
/// Returns the requested shape, to which the shape of each parameter broadcasts; default: their common shape.
/// Errors    INVALID_ARGUMENT for parameters that don't broadcast to it
numpy::Shape shape_or(const char* function, const OptionalDimensions& shape,
                      std::initializer_list<const Array*> parameters);

}  // namespace hilo::random
