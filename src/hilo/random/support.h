// SPDX-License-Identifier: Apache-2.0
// random/support.h -- what distributions do with their arguments first. Not for users.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "hilo/array/arguments.h"
#include "hilo/array/refuse.h"
#include "hilo/numpy/dtypes.h"

namespace hilo::random {

/// The float type that is asked for, by default f32, f64 with x64.
/// Errors    INVALID_ARGUMENT for another type
ElementType float_type(const char* function, const numpy::Dtype& dtype);
/// The shape that is asked for, to which that of each parameter broadcasts; by default the shape of them all.
/// Errors    INVALID_ARGUMENT for parameters that don't broadcast to it
numpy::Shape shape_or(const char* function, const OptionalDimensions& shape,
                      std::initializer_list<const Array*> parameters);

}  // namespace hilo::random
