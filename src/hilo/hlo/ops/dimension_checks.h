// SPDX-License-Identifier: Apache-2.0
// hlo/ops/dimension_checks.h -- checks of dimensions for the shape rules of several ops.
#pragma once

#include <boost/container/small_vector.hpp>

#include <span>
#include <string_view>

#include "hilo/hlo/ir/op_def.h"

namespace hilo::hlo {

/// A list of at most a shape's rank. Short lists need no allocation.
using DimensionList = boost::container::small_vector<int64_t, 8>;

/// Checks that 0 <= dimension < rank; else "dimension 3 out of range for f32[2,2]". `what` names the attribute.
Status check_dimension(std::string_view what, int64_t dimension, const Shape& shape);

/// Checks that every entry is in [0, rank) and none appears twice.
Status check_unique_dimensions(std::string_view what, std::span<const int64_t> dimensions, const Shape& shape);

/// Returns the declared shape.
/// Errors    INVALID_ARGUMENT if none exists or it is no array
StatusOr<Shape> declared_array(const ShapeRuleInput& input);

}  // namespace hilo::hlo
